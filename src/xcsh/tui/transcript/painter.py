"""Paints texts, code and Markdown as lines of a terminal, with hanging labels and in the theme's colours."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme
from textual.strip import Strip

from xcsh.surfaces.layout import visible
from xcsh.tui.transcript.breaking import broken

GUTTER = 6
"""Columns for who speaks, or the sign of a notice."""

_PLACE = re.compile(r"(?<![\w/.:])((?:~|\.{1,2})?/?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w+):(\d+)(?!\w)")
"""A path and a line, as compilers and this program write it."""

_MOST_BLOCK = 8_000
"""Characters of one block of Markdown, above which it is shown as it is written: it takes long."""


def visible_text(text: str) -> str:
    """A text of several lines, without what would drive the terminal."""
    if text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return "\n".join(map(visible, lines))


class Painter:
    """Paints for one width and one set of colours. `styles` are named as the transcript's component classes."""

    def __init__(self, width: int, styles: Mapping[str, Style], *, dark: bool = True) -> None:
        """`width`: columns, at least 20."""
        self.width = max(20, width)
        self._styles = styles
        self.code_theme = "ansi_dark" if dark else "ansi_light"
        theme = Theme(
            {
                "markdown.paragraph": Style.null(), "markdown.text": Style.null(), "markdown.item": Style.null(),
                "markdown.h1": Style(bold=True, underline=True), "markdown.h2": Style(bold=True),
                "markdown.h3": Style(bold=True), "markdown.h4": Style(bold=True, italic=True),
                "markdown.h5": Style(italic=True), "markdown.h6": Style(italic=True),
                "markdown.code": self.style("code"), "markdown.block_quote": self.style("muted"),
                "markdown.hr": self.style("muted"), "markdown.link": Style(underline=True),
                "markdown.link_url": self.style("muted"), "markdown.item.bullet": self.style("muted"),
                "markdown.item.number": self.style("muted"), "markdown.table.border": self.style("muted"),
                "markdown.table.header": Style(bold=True),
            }
        )  # fmt: skip
        self.console = Console(
            file=io.StringIO(), width=self.width, force_terminal=True, color_system="truecolor", theme=theme,
            legacy_windows=False, _environ={},
        )  # fmt: skip

    def style(self, name: str) -> Style:
        """A style by its name; none for an unknown one."""
        return self._styles.get(name, Style.null())

    def text(
        self, label: str, text: str, style: str = "", *, label_style: str = "", indent: int = GUTTER
    ) -> list[Strip]:
        """A text as it is, broken to the width, hanging below a label in `indent` columns."""
        body = self._wrapped(visible_text(text), self.width - indent, self.style(style))
        return self._hung(label, self.style(label_style or style), body, indent)

    def line(self, *pieces: tuple[str, str], indent: int = 0) -> Strip:
        """One line of texts and their styles, cut to the width."""
        text = Text.assemble(*((visible(text), self.style(style)) for text, style in pieces), no_wrap=True)
        text.truncate(self.width - indent, overflow="ellipsis")
        return Strip([Segment(" " * indent), *self._segments(text)])

    def markdown(self, label: str, source: str, *, label_style: str = "", indent: int = GUTTER) -> list[Strip]:
        """A block of Markdown."""
        source = visible_text(source)
        if len(source) > _MOST_BLOCK:
            return self.text(label, source, label_style=label_style, indent=indent)
        from xcsh.tui.transcript.markdown import SafeMarkdown  # noqa: PLC0415 - heavy: with the first answer

        try:
            room = self.width - indent
            lines = self.lines(SafeMarkdown(source, code_theme=self.code_theme, width=room), room)
        except Exception:  # noqa: BLE001 - whatever a library cannot paint of a model's text: the text is shown
            return self.text(label, source, label_style=label_style, indent=indent)
        return self._hung(label, self.style(label_style), lines, indent)

    def lines(self, renderable: RenderableType, width: int) -> list[list[Segment]]:
        """What a library makes of something, without the spaces that it fills lines with."""
        options = self.console.options.update(width=max(10, width))
        lines = [_stripped(line) for line in self.console.render_lines(renderable, options, pad=False)]
        while lines and not lines[-1]:
            lines.pop()
        first = next((at for at, line in enumerate(lines) if line), 0)
        return lines[first:]

    def _wrapped(self, text: str, width: int, style: Style) -> list[list[Segment]]:
        lines: list[list[Segment]] = []
        for line in text.split("\n"):
            if cell_len(line) <= width:
                lines.append([Segment(line, style)] if line else [])
            elif line.isascii():
                lines.extend([Segment(each, style)] for each in broken(line, max(10, width)))
            else:
                wrapped = Text(line, style).wrap(self.console, max(10, width))
                lines.extend([Segment(each.plain, style)] if each.plain else [] for each in wrapped)
        return lines

    def _segments(self, text: Text) -> list[Segment]:
        return [segment for segment in text.render(self.console) if segment.text]

    def _hung(self, label: str, style: Style, body: list[list[Segment]], indent: int) -> list[Strip]:
        first = [Segment(label, style), Segment(" " * max(0, indent - cell_len(label)))]
        space = [Segment(" " * indent)]
        lines = body or [[]]
        return [
            Strip([segment for segment in [*(space if at else first), *line] if segment.text])
            for at, line in enumerate(lines)
        ]


def with_links(strip: Strip, style: Style) -> Strip:
    """The line with what looks like `path:line` as a link, for the terminal and for a click in the program."""
    if ":" not in strip.text:
        return strip
    found = list(_PLACE.finditer(strip.text))
    if not found:
        return strip
    edges = [edge for match in found for edge in match.span()]
    parts = _divided(strip, edges)
    for number, match in enumerate(found):
        link = style + Style.from_meta({"place": (match[1], int(match[2]))})
        parts[2 * number + 1] = parts[2 * number + 1].apply_style(link)
    return Strip.join(parts)


def painted(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """The line with the characters from `start` to `end` in another style; -1 for its end."""
    before, middle, after = _divided(strip, [start, len(strip.text) if end == -1 else end])
    marked = Strip([Segment(text, (own or Style.null()) + style) for text, own, _ in middle])
    return Strip.join([before, marked, after])


def _divided(strip: Strip, edges: Iterable[int]) -> list[Strip]:
    """The parts of a line between the characters of these numbers, one more than there are edges."""
    text = strip.text
    cells = [cell_len(text[:edge]) for edge in edges]
    parts = list(strip.divide([*cells, strip.cell_length]))
    return [*parts, *(Strip([]) for _ in range(len(cells) + 1 - len(parts)))]


def _stripped(line: list[Segment]) -> list[Segment]:
    """A line without the spaces at its end."""
    kept = [segment for segment in line if segment.text and not segment.control]
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style)
    return kept
