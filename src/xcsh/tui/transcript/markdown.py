"""Markdown that streams: a text cut into blocks that stay and a rest that still grows, and each as rich paints it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, Markdown, MarkdownElement
from rich.rule import Rule
from rich.syntax import Syntax

_MOST_LINES = 40
"""Of a code block or a list that still grows: what is before is cut off as a block of its own."""


class Block(NamedTuple):
    """A piece of a text: `source` is what stands in it, `shown` what is painted, which may hold a fence that it lacks.

    `spaced`: whether an empty line stands before it.
    """

    source: str
    shown: str
    spaced: bool


class _Heading(Heading):
    """At the left, as everything."""

    LEVEL_ALIGN: ClassVar = dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "left")


class _CodeBlock(CodeBlock):
    """Without a background, so that it is copied as it is and looks well in every theme."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        code = str(self.text).rstrip("\n")
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default")


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del options
        yield Rule(style=console.get_style("markdown.hr", default="none"), characters="─")


class SafeMarkdown(Markdown):
    """As rich's, but HTML is shown as the text that it is, and so is the address of a link."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "hr": _Rule,
    }

    def __init__(self, source: str, *, code_theme: str) -> None:
        super().__init__("", code_theme=code_theme, hyperlinks=False)
        self.parsed = _parser().parse(source)


class GrowingMarkdown:
    """A text that is being written: what no further text can change is taken out of it, block by block."""

    def __init__(self) -> None:
        self._rest = ""
        self._fence = ""
        self._spaced = False

    def add(self, text: str) -> None:
        """More of the text."""
        self._rest += text

    @property
    def rest(self) -> Block:
        """What may still grow."""
        return Block(self._rest, self._opening + self._rest, self._spaced)

    def take(self, *, whole: bool = False) -> list[Block]:
        """The blocks that stay as they are. `whole`: nothing follows any more, and nothing is left."""
        blocks: list[Block] = []
        while (block := self._next(whole=whole)) is not None:
            blocks.append(block)
        return blocks

    @property
    def _opening(self) -> str:
        return f"{self._fence}\n" if self._fence else ""

    def _next(self, *, whole: bool) -> Block | None:
        text = self._opening + self._rest
        lines = text.split("\n")
        spans = list(_spans(text))
        if not spans:
            return None
        first = spans[0]
        inner = first.cut(whole=whole)
        if inner is not None and inner < len(lines) - 1:
            fence = first.token.type == "fence"
            closing = f"\n{first.token.markup}" if fence else ""
            return self._cut(lines, inner, closing, lines[first.start].strip() if fence else "", spaced=False)
        if len(spans) > 1:
            return self._cut(lines, spans[1].start, "", "", spaced=True)
        return self._cut(lines, len(lines), "", "", spaced=True) if whole else None

    def _cut(self, lines: list[str], at: int, closing: str, fence: str, *, spaced: bool) -> Block:
        """Takes the lines before `at`; the rest is read behind the line `fence`."""
        shown = "\n".join(lines[:at])
        block = Block(shown[len(self._opening) :].strip("\n"), shown.strip("\n") + closing, self._spaced)
        self._rest, self._fence, self._spaced = "\n".join(lines[at:]), fence, spaced
        return block


class _Span(NamedTuple):
    """A block of a text: its first line, and the lines behind that where items of it begin, where it is a list."""

    start: int
    end: int
    token: Token
    items: list[int]

    def cut(self, *, whole: bool) -> int | None:
        """The line at which a long block is cut in two; None where it is short, or cannot be cut."""
        edge = self.start + 1 + _MOST_LINES
        if self.end <= edge:
            return None
        if self.token.type == "fence":
            return edge
        later = [line for line in self.items if line >= edge]
        return later[0] if len(later) > (not whole) else None


def _spans(text: str) -> Iterator[_Span]:
    items: list[int] = []
    for token in _parser().parse(text):
        if token.map is None:
            continue
        if token.level == 0 and token.nesting >= 0:
            items = []
            yield _Span(token.map[0], token.map[1], token, items)
        elif token.level == 1 and token.type == "list_item_open":
            items.append(token.map[0])


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
