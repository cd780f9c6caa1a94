"""Path globs: one matcher for rules, stream scopes and ignore files. No pattern can make it slow.

Paths and patterns are taken apart at slashes. Inside a part, an expression that never backtracks over a star does the
matching; across parts `**` is handled like a star over a list. Braces are expanded first, up to a limit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

MOST_ALTERNATIVES = 1_000
_LONGEST_WITH_BRACES = 4_096
_MOST_BRACES = 64
_META = re.compile(r"[*?\[\\]")
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


def relative(path: str, cwd: str) -> str:
    """A path of a tool call as globs see it: relative to the working folder where it lies in it, with slashes."""
    if not path:
        return ""
    slashed = os.path.normpath(path.replace("\\", "/")).replace("\\", "/")
    folder = cwd.replace("\\", "/").rstrip("/")
    return slashed[len(folder) + 1 :] if folder and slashed.startswith(folder + "/") else slashed


def too_many_alternatives(pattern: str) -> bool:
    """Whether the braces of a pattern expand to more than MOST_ALTERNATIVES texts, or are too many to look at."""
    return expand(pattern) is None


def is_literal(pattern: str) -> bool:
    """Whether a pattern matches one text only: itself."""
    return _META.search(pattern) is None


def compile_names(patterns: Iterable[str]) -> Callable[[str], object]:
    """One predicate on names for many patterns of an ignore file without slashes: whether any of them matches."""
    from xcsh.parsing.glob_parts import git_expressions  # noqa: PLC0415 - only patterns with wildcards need it

    found = [text for pattern in patterns for text in git_expressions(pattern) or ()]
    return re.compile("|".join("" if text == "**" else text for text in found) if found else "(?!)").match


def compile_path(pattern: str) -> Callable[[str], bool]:
    """A predicate on relative paths for a pattern of an ignore file, in which braces are not special.

    A pattern without a slash looks at the base name alone.
    """
    wanted = _git_parts(pattern.removeprefix("/"))
    if "/" not in pattern:
        return lambda path: _match_parts(wanted, [path.rpartition("/")[2]])
    return lambda path: _match_parts(wanted, path.split("/"))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[tuple[bool, tuple[_Part, ...]], ...]:
    compiled: list[tuple[bool, tuple[_Part, ...]]] = []
    for text in expand(pattern) or ():
        bare = text.removeprefix("./")
        anchored = "/" in bare.rstrip("/")
        if bare.endswith("/"):
            bare += "**"
            anchored = True
        compiled.append((anchored, _parts(bare.removeprefix("/"))))
    return tuple(compiled)


def expand(pattern: str) -> list[str] | None:
    """The alternatives of the braces; None where there are too many to look at."""
    if "{" not in pattern:
        return [pattern]
    if len(pattern) > _LONGEST_WITH_BRACES or pattern.count("{") > _MOST_BRACES:
        return None
    import bracex  # noqa: PLC0415 - only patterns with braces need it

    try:
        return list(bracex.expand(pattern, limit=MOST_ALTERNATIVES, keep_escapes=True))
    except (bracex.ExpansionLimitException, RecursionError):
        return None


def _parts(pattern: str) -> tuple[_Part, ...]:
    return _collapsed(None if text == "**" else _part(text) for text in pattern.split("/"))


def _git_parts(pattern: str) -> tuple[_Part, ...]:
    """The parts of a pattern of an ignore file; of one that git gives up on, a part that no path has."""
    if not any(special in pattern for special in ("[", "\\", "***")):
        return _parts(pattern)
    from xcsh.parsing.glob_parts import git_expressions  # noqa: PLC0415 - as above

    expressions = git_expressions(pattern)
    if expressions is None:
        return ("/",)
    return _collapsed(None if text == "**" else re.compile(text).match for text in expressions)


def _collapsed(parts: Iterable[_Part]) -> tuple[_Part, ...]:
    collapsed: list[_Part] = []
    for part in parts:
        if part is not None or not collapsed or collapsed[-1] is not None:
            collapsed.append(part)
    if collapsed and collapsed[-1] is None:
        collapsed.append(bool)  # `dir/**` is what lies below, not the folder itself
    return tuple(collapsed)


def _part(text: str) -> _Part:
    if not _META.search(text):
        return text
    ending = text[1:]
    if text[0] != "*" or _META.search(ending):
        return _wild(text)
    return (lambda name: name.endswith(ending)) if ending else bool  # most patterns are `*.ts`


@lru_cache(maxsize=1024)
def _wild(text: str) -> _Part:
    from xcsh.parsing.glob_parts import part_expression  # noqa: PLC0415 - only patterns with wildcards need it

    return re.compile(part_expression(text)).match


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
