"""Expands a command's template in one pass: what is put in is never looked at again (C-23 to C-27)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from xcsh.errors import ExpansionTooLongError

MOST_TEXT = 16_000_000
"""Characters that a loop may make: one over all arguments that repeats them all grows with their square."""
DOLLAR = re.compile(
    r"\$(?:(?P<index>[0-9]+)|(?P<whole>ARGUMENTS)|(?P<rest>@)(?:\[(?P<start>[0-9]+)(?::(?P<count>[0-9]+))?\])?)"
)
TAG = re.compile(
    r"\{\{(?P<third>\{)?\s*"
    r"(?:(?P<word>args|ARGUMENTS|arguments|this|else|/if|/each)"
    r"|(?P<block>#if|#each)\s+(?P<name>args|ARGUMENTS|arguments))"
    r"\s*\}\}(?(third)\})"
)
"""Two expressions, each with a fixed beginning that a search can skip to: one for both would try every character."""
VALUES = frozenset({"args", "ARGUMENTS", "arguments"})
_OPENERS = {"/if": "#if", "/each": "#each"}
_WHOLE = frozenset({"whole", "rest"})
_DEEPEST = 64
"""Blocks nested deeper than any author's are literal, as is a loop in a loop, whose text would grow exponentially."""
_LARGEST_INDEX = 10**9


class Arguments(NamedTuple):
    """What a template is filled with; `this` is the argument of the loop around, `escapes` as for `expand_template`."""

    args: Sequence[str]
    joined: str
    escapes: bool
    this: str | None = None


class Block(NamedTuple):
    """`{{#if}}` or `{{#each}}`: its opening tag, what stands up to `{{else}}`, and what stands behind it."""

    opening: re.Match[str]
    then: Sequence[Node]
    otherwise: Sequence[Node]


Node = str | re.Match[str] | Block
"""Literal text, a placeholder, or a block."""


def expand_template(source: str, args: Sequence[str], raw: str, *, append: bool = True, escapes: bool = True) -> str:
    r"""The text that a template becomes with these arguments.

    `$1`, `$ARGUMENTS`, `$@`, `$@[n]`, `$@[n:m]`, `{{args}}`, `{{ARGUMENTS}}`, `{{arguments}}`, and `{{#if …}}` and
    `{{#each …}}` on those names are placeholders; everything else is literal. `escapes`: a backslash before a `$`
    placeholder makes it literal and goes (C-27). `append`: `raw`, the arguments as typed, follows after a blank line
    where nothing in the template takes them (C-25).
    """
    arguments = Arguments(args, " ".join(args), escapes)
    if TAG.search(source) is None:
        text, taken = _fill(source, arguments)
    else:
        nodes = parse_template(source)
        text, taken = "".join(_rendered(nodes, arguments)), takes_arguments(nodes, arguments)
    return f"{text}\n\n{raw}" if append and raw and not taken else text


def parse_template(source: str) -> list[Node]:
    """A template as a tree. Tags that do not pair are literal text."""
    tokens = sorted([*DOLLAR.finditer(source), *TAG.finditer(source)], key=lambda token: token.start())
    return _Parser(source, tokens, closing_tags(tokens, pair_tags(tokens))).parse()


def pair_tags(tokens: Iterable[re.Match[str]]) -> dict[int, re.Match[str]]:
    """For the offset of each opening tag that is closed, its closing tag."""
    found: dict[int, re.Match[str]] = {}
    stack: list[re.Match[str]] = []
    waiting = dict.fromkeys(_OPENERS.values(), 0)
    for token in tokens:
        if token.re is not TAG:
            continue
        if token["block"] is not None:
            stack.append(token)
            waiting[token["block"]] += 1
        elif waiting.get(opener := _OPENERS.get(token["word"], "")):
            while (opened := stack.pop())["block"] != opener:
                waiting[opened["block"]] -= 1
            waiting[opener] -= 1
            found[opened.start()] = token
    return found


def closing_tags(tokens: Iterable[re.Match[str]], pairs: Mapping[int, re.Match[str]]) -> dict[int, re.Match[str]]:
    """The pairs that make blocks: those nested too deeply, and loops in loops, do not."""
    kept: dict[int, re.Match[str]] = {}
    within: list[tuple[int, bool]] = []
    for token in tokens:
        at = token.start()
        if within and within[-1][0] == at:
            within.pop()
        elif (end := pairs.get(at)) is not None:
            loops = _is_loop(token)
            if len(within) < _DEEPEST and not (loops and any(inside for _, inside in within)):
                kept[at] = end
                within.append((end.start(), loops))
    return kept


def is_escaped(token: re.Match[str]) -> bool:
    """Whether a backslash stands before a `$` placeholder, which `$0` is not."""
    at = token.start()
    return at > 0 and token.string[at - 1] == "\\" and (token["index"] or "1").strip("0") != ""


def takes_arguments(nodes: Sequence[Node], arguments: Arguments) -> bool:
    """Whether anything in the tree shows an argument; a condition alone does not."""
    for node in nodes:
        if isinstance(node, Block):
            if takes_arguments(node.then, arguments) or takes_arguments(node.otherwise, arguments):
                return True
        elif not isinstance(node, str) and not (node.re is DOLLAR and _is_literal(node, arguments)):
            return True
    return False


class _Parser:
    """One walk over the tokens, each block a level of recursion."""

    def __init__(self, source: str, tokens: Sequence[re.Match[str]], closers: dict[int, re.Match[str]]) -> None:
        self.source = source
        self.tokens = tokens
        self.closers = closers
        self.at = 0

    def parse(self) -> list[Node]:
        nodes, _, _ = self._until(None, 0, in_loop=False)
        return nodes

    def _until(
        self, close: re.Match[str] | None, position: int, *, in_loop: bool
    ) -> tuple[list[Node], list[Node], int]:
        """The nodes up to `close`, those behind an `{{else}}` on the way, and the offset behind `close`."""
        parts: tuple[list[Node], list[Node]] = ([], [])
        current = parts[0]
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            tag = token.re is TAG
            if token is close or (tag and token["word"] == "else" and close is not None and current is parts[0]):
                current.append(self.source[position : token.start()])
                current, position = parts[1], token.end()
                if token is close:
                    return parts[0], parts[1], position
            elif (end := self.closers.get(token.start())) is not None:
                current.append(self.source[position : token.start()])
                then, otherwise, position = self._until(end, token.end(), in_loop=in_loop or _is_loop(token))
                current.append(Block(token, then, otherwise))
            elif not tag or token["word"] in VALUES or (in_loop and token["word"] == "this"):
                current.extend((self.source[position : token.start()], token))
                position = token.end()
        current.append(self.source[position:])
        return parts[0], parts[1], len(self.source)


def _is_loop(token: re.Match[str]) -> bool:
    """Whether an opening tag goes over the arguments; only `args` is a list."""
    return token["block"] == "#each" and token["name"] == "args"


def _fill(source: str, arguments: Arguments) -> tuple[str, bool]:
    """A template without tags, and whether anything in it takes arguments."""
    taken = False
    pieces: list[str] = []
    position = 0
    escaping = arguments.escapes and "\\$" in source
    for token in DOLLAR.finditer(source):
        start, end = token.span()
        if escaping and is_escaped(token):
            pieces.append(source[position : start - 1])
            position = start
            continue
        value = arguments.joined if token.lastgroup in _WHOLE else value_of(token, arguments)
        if value is not None:
            taken = True
            pieces += (source[position:start], value)
            position = end
    pieces.append(source[position:])
    return "".join(pieces), taken


def _rendered(nodes: Sequence[Node], arguments: Arguments) -> list[str]:
    pieces: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(node)
        elif isinstance(node, Block):
            pieces += _block(node, arguments)
        elif node.re is TAG:
            pieces.append((arguments.this or "") if node["word"] == "this" else arguments.joined)
        elif not _is_literal(node, arguments):
            pieces.append(value_of(node, arguments) or "")
        else:
            if is_escaped(node) and arguments.escapes and pieces:
                pieces[-1] = pieces[-1].removesuffix("\\")
            pieces.append(node[0])
    return pieces


def _block(block: Block, arguments: Arguments) -> list[str]:
    """The names of a condition are true where there are arguments; what is no list has nothing to loop over."""
    if not arguments.args or (block.opening["block"] == "#each" and not _is_loop(block.opening)):
        return _rendered(block.otherwise, arguments)
    if block.opening["block"] == "#if":
        return _rendered(block.then, arguments)
    pieces: list[str] = []
    length = 0
    for argument in arguments.args:
        inner = _rendered(block.then, arguments._replace(this=argument))
        length += sum(map(len, inner))
        if length > MOST_TEXT:
            raise ExpansionTooLongError(MOST_TEXT)
        pieces += inner
    return pieces


def _is_literal(token: re.Match[str], arguments: Arguments) -> bool:
    return (arguments.escapes and is_escaped(token)) or value_of(token, arguments) is None


def value_of(token: re.Match[str], arguments: Arguments) -> str | None:
    """What a `$` placeholder becomes; a place for which there is no argument is empty. None for `$0`, which stays."""
    index, start = token["index"], token["start"]
    if index is not None:
        number = number_of(index)
        if number == 0:
            return None
        return arguments.args[number - 1] if number <= len(arguments.args) else ""
    if start is None:
        return arguments.joined
    first = number_of(start)
    if first == 0:
        return ""
    last = None if token["count"] is None else first - 1 + number_of(token["count"])
    return " ".join(arguments.args[first - 1 : last])


def number_of(digits: str) -> int:
    """The number; a very long one is one that nobody has so many arguments for."""
    return int(digits) if len(digits) < 10 else _LARGEST_INDEX  # noqa: PLR2004 - nobody types so many arguments
