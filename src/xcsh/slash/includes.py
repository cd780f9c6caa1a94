"""Finds what a template includes: files, and the output of commands (C-42). Nothing is read or run here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from xcsh.model.arguments import Includes
from xcsh.slash.inspection import code_spans, lies_in
from xcsh.slash.shell_line import Filled, refer

SHELL, FILE = "shell", "file"

_INLINE = re.compile(r"(?<!\S)!`(?P<shell>[^`\n]+)`")
_FENCE = re.compile(r"^```(?P<runs>!)?[ \t]*$", re.MULTILINE)
_FILE = re.compile(
    r"""(?<![\w@/.`~\\])@(?:"(?P<quoted>[^"\n]+)"|(?P<path>(?:\$ARGUMENTS\[\d+\]|[^\s`'"()<>\[\]{},;!?*|])+))"""
)
_END = ".:"
"""What may follow a path in a sentence and is no part of it."""
_BRACE = re.compile(r"[!@]\{")
_ANY_BRACE = re.compile(r"[{}]")
_MARK = re.compile("\0([0-9]+)\0")
_MOST = 100
"""Includes of one template; further ones are text."""

Values = Callable[[str], list[Filled]]
"""The placeholders of a part of a template, with what they become."""

Places = Callable[[str], Sequence[tuple[int, int]]]
"""Where a part of a template has placeholders that this call or another has an argument for, by offsets."""


class Include(NamedTuple):
    """One include of a call.

    `literal` is the include as text, with its arguments filled in: what is sent where it does not count. `text` is
    exactly the line that `sh` gets, or the path. `values` are name and value of the variables to which the line
    refers: the arguments, which are never part of the line. `in_place`: what is included takes the include's place;
    otherwise it follows the text. `code_for`: who gets an argument of the line as code, in this call or another, in
    words (`code_given_to`); empty for nobody.
    """

    kind: str
    literal: str
    text: str
    values: tuple[tuple[str, str], ...] = ()
    in_place: bool = True
    code_for: str = ""


class _Found(NamedTuple):
    kind: str
    start: int
    end: int
    inner: str
    in_place: bool = True


class Marked(NamedTuple):
    """A template in which marks stand for its includes; `takes`: an include takes arguments."""

    source: str
    includes: tuple[Include, ...] = ()
    takes: bool = False


def mark_includes(source: str, style: str, values: Values, places: Places = lambda _: ()) -> Marked:
    """Puts a mark in the place of each include, which no argument and no template can hold: both have no NUL."""
    if "\0" in source or ("!" not in source and "@" not in source):
        return Marked(source)
    found = sorted(_marks(source) if style == Includes.MARKS else _braces(source), key=lambda each: each.start)[:_MOST]
    pieces: list[str] = []
    includes: list[Include] = []
    position = 0
    takes = False
    for each in found:
        filled = values(each.inner)
        takes = takes or bool(filled)
        pieces += (source[position : each.start], f"\0{len(includes)}\0")
        position = each.end
        includes.append(_include(source, each, filled, places))
    pieces.append(source[position:])
    return Marked("".join(pieces), tuple(includes), takes)


def put_in(marked: str, texts: Callable[[int], str]) -> str:
    """The text with something for each mark in it."""
    return _MARK.sub(lambda match: texts(int(match[1])), marked)


def included(marked: str) -> list[int]:
    """The includes that are left in an expanded template, in order: a condition may have dropped some."""
    return list(dict.fromkeys(int(match[1]) for match in _MARK.finditer(marked)))


def _include(source: str, each: _Found, filled: list[Filled], places: Places) -> Include:
    as_text = _spliced(each.inner, filled)
    at = source.index(each.inner, each.start)
    literal = source[each.start : at] + as_text + source[at + len(each.inner) : each.end]
    if each.kind == FILE:
        return Include(FILE, literal, as_text.strip(), in_place=each.in_place)
    line, values = refer(each.inner, filled)
    return Include(SHELL, literal, line, values, code_for=_code_for(each.inner, places(each.inner)))


def _code_for(line: str, places: Sequence[tuple[int, int]]) -> str:
    if not places:
        return ""
    from xcsh.slash.handed_code import code_given_to  # noqa: PLC0415 - few templates run a shell with arguments

    return code_given_to(line, places)


def _spliced(text: str, filled: list[Filled]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, value in filled:
        pieces += (text[position:start], value)
        position = end
    return "".join([*pieces, text[position:]])


def _marks(source: str) -> Iterator[_Found]:
    """Claude Code's includes and opencode's. A path in code is no include."""
    blocks = list(_blocks(source))
    spans = [(each.start, each.end) for each in blocks]
    inline = [
        _Found(SHELL, *match.span(), match["shell"])
        for match in _INLINE.finditer(source)
        if not lies_in(spans, match.start())
    ]
    yield from blocks
    yield from inline
    if "@" not in source:
        return
    taken = sorted([*spans, *((each.start, each.end) for each in inline)])
    code = code_spans(source)
    for match in _FILE.finditer(source):
        if lies_in(code, match.start()) or lies_in(taken, match.start()):
            continue
        if match["quoted"]:
            yield _Found(FILE, *match.span(), match["quoted"], in_place=False)
        elif path := match["path"].rstrip(_END):
            yield _Found(FILE, match.start(), match.start() + 1 + len(path), path, in_place=False)


def _blocks(source: str) -> Iterator[_Found]:
    """Code fences that begin with an exclamation mark, each up to the next fence."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(source) if "```!" in source else ():
        if fence["runs"] is not None:
            opening = opening or fence
        elif opening is not None:
            inner = source[opening.end() + 1 : max(fence.start() - 1, opening.end() + 1)]
            if inner.strip():
                yield _Found(SHELL, opening.start(), fence.end(), inner)
            opening = None


def _braces(source: str) -> Iterator[_Found]:
    """Gemini CLI's includes; braces in them have to balance, and what stands in one is a part of it."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for brace in _ANY_BRACE.finditer(source):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            pairs[opened.pop()] = brace.start()
    position = 0
    for match in _BRACE.finditer(source):
        end = pairs.get(match.end() - 1, -1)
        inner = source[match.end() : end].strip() if end >= 0 and match.start() >= position else ""
        if inner:
            position = end + 1
            yield _Found(SHELL if match[0][0] == "!" else FILE, match.start(), end + 1, inner)
