"""Markdown that streams: a text cut into blocks that stay and a rest that still grows, and each as rich paints it."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from functools import cache
from typing import ClassVar, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments.lexers import get_all_lexers
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, Markdown, MarkdownElement
from rich.rule import Rule
from rich.syntax import Syntax

from xcsh.tui.transcript.blocks import Block
from xcsh.tui.transcript.breaking import LONG, shorter

_MOST_LINES = 24
"""Of a code block or a list that still grows: what is before is cut off as a block of its own."""

_MOST_LETTERS, _MOST_CODE = 4_000, 2_000
"""Of a paragraph and of a code block, as above: what grows is parsed and painted again with every frame."""

_MOST_LEVELS = 60
"""Of lists and quotes in each other, two for a list: at the last one the parser skips all the text that follows."""

_INDENT, _NARROWEST = 4, 12
"""Columns of one level, and of a table's column, and those that the text in the last level has to have."""

_MOST_CELLS = 600
"""Of tables: to lay out more holds up the keys."""


class _Heading(Heading):
    """At the left, as everything."""

    LEVEL_ALIGN: ClassVar = dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "left")


class _CodeBlock(CodeBlock):
    """Without a background, so that it is copied as it is and looks well in every theme."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        code = str(self.text).rstrip("\n")
        lexer = self.lexer_name if self.lexer_name.lower() in _languages() else "text"
        yield Syntax(code, lexer, theme=self.theme, word_wrap=True, background_color=None)


@cache
def _languages() -> frozenset[str]:
    """The names that code blocks may have. Asked for another one, pygments looks through every package there is."""
    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def warm_up() -> None:
    """Loads what the first block of code would otherwise wait for."""
    Syntax("", "python", theme="ansi_dark").highlight("x = 1")
    _languages()
    gc.freeze()  # it stays: to look through it for garbage again and again would hold up the keys


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del options
        yield Rule(style=console.get_style("markdown.hr", default="none"), characters="─")


class SafeMarkdown(Markdown):
    """As rich's, but HTML is shown as the text that it is, and so is the address of a link.

    ValueError: lists, quotes or tables are such that not all of the text would be shown, or not soon.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "hr": _Rule,
    }

    def __init__(self, source: str, *, code_theme: str, width: int) -> None:
        super().__init__("", code_theme=code_theme, hyperlinks=False)
        self.parsed = _parser().parse(source)
        if _depth(self.parsed) > min(_MOST_LEVELS // 2 - 1, (width - _NARROWEST) // _INDENT):
            raise ValueError("the innermost has no room, and the parser goes into so many levels only")
        columns, cells = _cells(self.parsed)
        if columns * _INDENT > width or cells > _MOST_CELLS:
            raise ValueError("a table that has no room, or takes long")


def _depth(tokens: Iterable[Token]) -> int:
    """How deep lists and quotes are in each other."""
    depth = deepest = 0
    for token in tokens:
        if token.type.startswith(("list_item_", "blockquote_")):
            depth += token.nesting
            deepest = max(deepest, depth)
    return deepest


def _cells(tokens: Iterable[Token]) -> tuple[int, int]:
    """The columns of the widest table, and the cells of all."""
    columns = widest = cells = 0
    for token in tokens:
        if token.type == "tr_open":
            columns = 0
        elif token.type in ("th_open", "td_open"):
            columns, cells = columns + 1, cells + 1
            widest = max(widest, columns)
    return widest, cells


class GrowingMarkdown:
    """A text that is being written: what no further text can change is taken out of it, block by block."""

    def __init__(self) -> None:
        self._rest = ""
        self._fence = ""
        self._spaced: bool = False

    def add(self, text: str) -> None:
        """More of the text."""
        self._rest += text

    @property
    def rest(self) -> Block:
        """What may still grow."""
        return Block(self._rest, self._opening + self._rest, self._spaced)

    def take(self, *, whole: bool = False) -> list[Block]:
        """The blocks that stay as they are. `whole`: nothing follows any more, and nothing is left."""
        lines = [part for line in (self._opening + self._rest).split("\n") for part in shorter(line)]
        spans = _spans("\n".join(lines))
        cutting = _Cutting(lines, self._fence, spaced=self._spaced)
        for number, span in enumerate(spans):
            is_over = whole or number < len(spans) - 1
            for edge in span.edges(lines, is_over=is_over):
                cutting.cut(edge, span, spaced=False)
            if is_over:
                following = spans[number + 1].start if number < len(spans) - 1 else len(lines)
                cutting.cut(following, None, spaced=True)
        self._rest, self._fence, self._spaced = "\n".join(lines[cutting.at :]), cutting.fence, cutting.spaced
        return cutting.blocks

    @property
    def _opening(self) -> str:
        return f"{self._fence}\n" if self._fence else ""


class _Span(NamedTuple):
    """A block of a text: its lines, and where items of it begin, where it is a list."""

    start: int
    end: int
    token: Token
    items: list[int]

    def edges(self, lines: list[str], *, is_over: bool) -> list[int]:
        """The lines at which a long block is cut in pieces; none that what follows could still move."""
        is_code = self.token.type == "fence"
        most = {"fence": _MOST_CODE, "paragraph_open": _MOST_LETTERS}.get(self.token.type)
        items = frozenset(self.items if is_over else self.items[:-1])
        edges: list[int] = []
        count = letters = 0
        for at in range(self.start + is_code, self.end - 1):
            count, letters = count + 1, letters + len(lines[at])
            is_long = len(lines[at]) >= LONG  # what follows is more of it, or behind it
            if is_code and at == self.end - 2 and not is_long:
                break  # what follows may be the end of the code
            if (
                is_long
                or (count >= _MOST_LINES and (is_code or at + 1 in items))
                or (most is not None and letters >= most)
            ):
                edges.append(at + 1)
                count = letters = 0
        return edges


class _Cutting:
    """Cuts lines into blocks, one behind the other. `at`: the first line that is left, which is read behind `fence`."""

    def __init__(self, lines: list[str], fence: str, *, spaced: bool) -> None:
        self._lines = lines
        self.at = 1 if fence else 0
        self.fence: str = fence
        self.spaced: bool = spaced
        self.blocks: list[Block] = []

    def cut(self, end: int, within: _Span | None, *, spaced: bool) -> None:
        """Takes the lines before `end`; `within`: the block that goes on there."""
        source = "\n".join(self._lines[self.at : end]).strip("\n")
        shown = f"{self.fence}\n{source}" if self.fence else source
        fence = ""
        if within is not None and within.token.type == "fence":
            shown += f"\n{within.token.markup}"
            fence = self._lines[within.start].strip()
        if source.strip():
            self.blocks.append(Block(source, shown, self.spaced))
            self.spaced = spaced
        self.at, self.fence = end, fence


def _spans(text: str) -> list[_Span]:
    spans: list[_Span] = []
    for token in _block_parser().parse(text):
        if token.map is None:
            continue
        if token.level == 0 and token.nesting >= 0:
            spans.append(_Span(token.map[0], token.map[1], token, []))
        elif token.level == 1 and token.type == "list_item_open":
            spans[-1].items.append(token.map[0])
    return spans


@cache
def _block_parser() -> MarkdownIt:
    """Finds blocks and leaves alone what stands in them."""
    return _parser().disable(["inline"])


def _parser() -> MarkdownIt:
    """Without references: their definition may come long after what refers to it was painted."""
    options = {"html": False, "maxNesting": _MOST_LEVELS}
    return MarkdownIt("commonmark", options).enable(["strikethrough", "table"]).disable(["reference"])
