"""Path globs: one matcher for rules, stream scopes and ignore files. No pattern can make it slow.

Paths and patterns are taken apart at slashes. Inside a part, `fnmatch` of the standard library does the matching
(it never backtracks over a star); across parts `**` is handled like a star over a list. Braces are expanded first,
up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

MOST_ALTERNATIVES = 1_000
_META = re.compile(r"[*?\[\\]")
_CLASS = re.compile(r"\[([!^]?)(\]?[^\]]*)\]")
_Part = Callable[[str], object] | str | None
"""How one part of a path must look: a predicate, an exact text, or None for any number of parts."""


def matching(patterns: Iterable[str], path: str) -> str | None:
    """The pattern by which `path` (relative, slashes) is matched; None where none does or a `!` pattern excludes it.

    A pattern without a slash is also tried on the base name (T-5); a leading slash anchors it at the folder.
    """
    path = path.replace("\\", "/").removeprefix("./")
    found: str | None = None
    for pattern in patterns:
        if pattern.startswith("!"):
            if matches(pattern[1:], path):
                return None
        elif found is None and matches(pattern, path):
            found = pattern
    return found


def matches(pattern: str, path: str) -> bool:
    """Whether one pattern, without negation, matches a relative path or its base name."""
    if pattern.replace("\\", "/") == path:
        return True
    alternatives = _compiled(pattern)
    if not alternatives:
        return False
    parts = path.split("/")
    for anchored, wanted in alternatives:
        if _match_parts(wanted, parts) or (not anchored and _match_parts(wanted, parts[-1:])):
            return True
    return False


def too_many_alternatives(pattern: str) -> bool:
    """Whether the braces of a pattern expand to more than MOST_ALTERNATIVES texts."""
    return _expand(pattern) is None


def is_literal(pattern: str) -> bool:
    """Whether a pattern matches one text only: itself."""
    return _META.search(pattern) is None


def compile_names(patterns: Iterable[str]) -> Callable[[str], object]:
    """One predicate on names for many patterns without slashes: whether any of them matches."""
    import fnmatch  # noqa: PLC0415 - only patterns with wildcards need it

    return re.compile("|".join(fnmatch.translate(_for_fnmatch(pattern)) for pattern in patterns)).match


def compile_path(pattern: str) -> Callable[[str], bool]:
    """A predicate on relative paths, braces not special; a pattern without a slash looks at the base name alone."""
    if "/" not in pattern:
        part = _part(pattern)
        return lambda path: _fits(part, path.rpartition("/")[2])
    wanted = _parts(pattern.removeprefix("/"))
    return lambda path: _match_parts(wanted, path.split("/"))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[tuple[bool, tuple[_Part, ...]], ...]:
    compiled: list[tuple[bool, tuple[_Part, ...]]] = []
    for text in _expand(pattern) or ():
        bare = text.removeprefix("./")
        anchored = "/" in bare.rstrip("/")
        if bare.endswith("/"):
            bare += "**"
            anchored = True
        compiled.append((anchored, _parts(bare.removeprefix("/"))))
    return tuple(compiled)


def _expand(pattern: str) -> list[str] | None:
    if "{" not in pattern:
        return [pattern]
    import bracex  # noqa: PLC0415 - only patterns with braces need it

    try:
        return list(bracex.expand(pattern, limit=MOST_ALTERNATIVES, keep_escapes=True))
    except (bracex.ExpansionLimitException, RecursionError):
        return None


def _parts(pattern: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for text in pattern.split("/"):
        if text == "**":
            if not parts or parts[-1] is not None:
                parts.append(None)
        else:
            parts.append(_part(text))
    if parts and parts[-1] is None:
        parts.append(bool)  # `dir/**` is what lies below, not the folder itself
    return tuple(parts)


def _part(text: str) -> _Part:
    if not _META.search(text):
        return text
    if text == "*":
        return bool
    import fnmatch  # noqa: PLC0415 - only patterns with wildcards inside a part need it

    return re.compile(fnmatch.translate(_for_fnmatch(text))).match


def _for_fnmatch(text: str) -> str:
    """Escapes as classes of one, `[^` as `[!`, and brackets that are no valid class as literal ones."""
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            out.append(f"[{text[at + 1]}]")
            at += 2
            continue
        if character == "[":
            match = _CLASS.match(text, at)
            if match and _is_class(match[2]):
                out.append(f"[{'!' if match[1] else ''}{match[2]}]")
                at = match.end()
                continue
            out.append("[[]")
        else:
            out.append(character)
        at += 1
    return "".join(out)


def _is_class(content: str) -> bool:
    """Whether the text between brackets is a class of characters, and not part of a name such as `[[...slug]]`."""
    if not content or content.startswith(("[", "...")):
        return False
    return all(low <= high for low, high in re.findall(r"(.)-(.)", content, re.DOTALL))


def _match_parts(wanted: tuple[_Part, ...], parts: list[str]) -> bool:
    """Wildcard matching over lists: on a mismatch only the last `**` takes one part more, so the cost is a product."""
    at = want = 0
    star = star_at = -1
    while at < len(parts):
        if want < len(wanted) and wanted[want] is None:
            star, star_at = want, at
            want += 1
        elif want < len(wanted) and _fits(wanted[want], parts[at]):
            want += 1
            at += 1
        elif star >= 0:
            star_at += 1
            at, want = star_at, star + 1
        else:
            return False
    return all(part is None for part in wanted[want:])


def _fits(wanted: _Part, part: str) -> bool:
    return wanted == part if isinstance(wanted, str) else wanted is not None and bool(wanted(part))
