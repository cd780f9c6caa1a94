"""The list of the dashboard: only lines that are seen are made, so that 1,000 rows are as fast as ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from xcsh.surfaces.layout import columns, fit, plural
from xcsh.tui.dashboard.arranging import Heading, Item, position_of
from xcsh.tui.dashboard.row import UNREACHED, Row, State

_SIGN_STYLES = {State.ACTIVE: "$text-success", State.SKIPPED: "$text-warning"}
_WIDEST_TITLE = 11
_TOKENS = 6
_ROOM_FOR_TOKENS = 56
_DOUBLE = 2
_CURSOR = "›"


class _Widths(NamedTuple):
    name: int
    title: int
    label: int
    tokens: int


class RowList(ScrollView, can_focus=True):
    """Rows under headings, with a cursor. `headings`: whether the cursor stops at those too."""

    DEFAULT_CSS = """
    RowList { background: $surface; color: $foreground; scrollbar-size-vertical: 1; overflow-x: hidden;
        scrollbar-gutter: stable; }
    RowList > .rows--row { background: $surface; color: $foreground; }
    RowList > .rows--cursor { background: $block-cursor-blurred-background; color: $foreground; text-style: bold; }
    RowList:focus > .rows--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
    RowList > .rows--heading { text-style: bold; color: $text-primary; }
    RowList > .rows--quiet { color: $foreground-muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--row", "rows--cursor", "rows--heading", "rows--quiet"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "up", show=False),
        Binding("down", "move(1)", "down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "end(-1)", "first", show=False),
        Binding("end", "end(1)", "last", show=False),
    ]

    cursor: reactive[int | None] = reactive[int | None](None)

    class Highlighted(Message):
        """The cursor is on another item, or its item has changed; None where the list is empty."""

        def __init__(self, item: Item | None) -> None:
            super().__init__()
            self.item = item

    class Opened(Message):
        """An item was clicked twice."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the framework's own name
        super().__init__(id=id)
        self.headings = False
        self.titled = True
        self._items: Sequence[Item] = ()
        self._widths = _Widths(0, 0, 0, 0)

    @property
    def current(self) -> Item | None:
        """What the cursor is on."""
        return self._items[self.cursor] if self.cursor is not None and self.cursor < len(self._items) else None

    def show(self, items: Sequence[Item], *, headings: bool) -> None:
        """Shows other items. The cursor stays on its own, or goes to the nearest row."""
        current, position = self.current, self.cursor or 0
        self._items, self.headings, self.titled = items, headings, not headings
        self._measure()
        found = position_of(items, current.id if current is not None else "", position)
        if found is not None and not self._stops(found):
            found = position_of(items, "", found)
        self.set_reactive(RowList.cursor, found)
        self._reveal()
        self.refresh()
        self.post_message(self.Highlighted(self.current))

    def on_resize(self) -> None:
        """Other columns for another width."""
        self._measure()
        self._reveal()

    def watch_cursor(self) -> None:
        """Follows the cursor."""
        self._reveal()
        self.refresh()
        self.post_message(self.Highlighted(self.current))

    def action_move(self, step: int) -> None:
        """To the next item, or the one before."""
        self._go((-1 if self.cursor is None else self.cursor) + step, step)

    def action_page(self, step: int) -> None:
        """A screen further, or back."""
        height = max(1, self.scrollable_content_region.height - 1)
        last = len(self._items) - 1
        self._go(max(0, min(last, (self.cursor or 0) + step * height)), step)

    def action_end(self, step: int) -> None:
        """To the first item, or the last."""
        self._go(0 if step < 0 else len(self._items) - 1, -step)

    def on_click(self, event: events.Click) -> None:
        """Goes to the item under the mouse."""
        position = event.y + self.scroll_offset.y
        if self._stops(position):
            self.cursor = position
            if event.chain == _DOUBLE:
                self.post_message(self.Opened())

    def render_line(self, y: int) -> Strip:
        """One line, of the item that is there."""
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        if at >= len(self._items):
            return Strip.blank(width, self.get_visual_style("rows--row").rich_style)
        item = self._items[at]
        classes = ["rows--heading" if isinstance(item, Heading) else "rows--row"]
        if isinstance(item, Row) and item.state in (State.OFF, State.SHADOWED):
            classes.append("rows--quiet")
        if at == self.cursor:
            classes.append("rows--cursor")
        style = self.get_visual_style(*classes)
        content = self._heading(item, width) if isinstance(item, Heading) else self._row(item)
        if at == self.cursor:
            content = Content(_CURSOR + content.plain[1:])  # also where there are no colours
        strip = Visual.to_strips(self, content.truncate(width), width, 1, style)[0]
        return strip.adjust_cell_length(width, style.rich_style)

    def _stops(self, position: int) -> bool:
        return 0 <= position < len(self._items) and (self.headings or isinstance(self._items[position], Row))

    def _go(self, position: int, step: int) -> None:
        while 0 <= position < len(self._items) and not self._stops(position):
            position += step
        if self._stops(position):
            self.cursor = position
        elif step < 0:
            self.scroll_home(animate=False)  # the heading above the first row

    def _reveal(self) -> None:
        if self.cursor is not None:
            above = 1 if self.cursor and isinstance(self._items[self.cursor - 1], Heading) else 0
            region = Region(0, self.cursor - above, 1, 1 + above)
            self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def _measure(self) -> None:
        width = self.scrollable_content_region.width
        self.virtual_size = Size(width, len(self._items))
        rows = [item for item in self._items if isinstance(item, Row)]
        name = min(max((columns(row.name) for row in rows), default=0), max(14, width // 3))
        title = min(max((columns(row.title) for row in rows), default=0), _WIDEST_TITLE) if self.titled else 0
        tokens = _TOKENS if width >= _ROOM_FOR_TOKENS else 0
        label = max(8, width - 4 - name - (2 + title if title else 0) - 3 - (1 + tokens if tokens else 0))
        self._widths = _Widths(name, title, label, tokens)

    def _heading(self, heading: Heading, width: int) -> Content:
        left = f" {heading.title}"
        right = f"~{plural(heading.tokens, 'token')} " if heading.tokens else ""
        about = ("off  " if heading.off else "") + (heading.gloss or plural(heading.size, "item"))
        room = width - columns(left) - 2 - columns(right) - 1
        about = fit(about, room) if room > 0 else ""
        return Content.assemble(left, "  ", (about, "not bold $foreground-muted"), " ", (right, "not bold"))

    def _row(self, row: Row) -> Content:
        widths = self._widths
        quiet = row.state in (State.OFF, State.SHADOWED)
        parts: list[str | tuple[str, str]] = [
            (f" {row.sign}", "" if row.sign == UNREACHED else _SIGN_STYLES.get(row.state, "")),
            ("!" if row.warned else " ", "bold $text-warning"),
            " ",
            (fit(row.name, widths.name), "" if quiet else "bold"),
        ]
        if widths.title:
            parts += ["  ", (fit(row.title, widths.title), "$foreground-muted")]
        parts += ["  ", fit(row.label, widths.label)]
        if widths.tokens:
            cost = "" if not row.tokens else f"{row.tokens:,}" if row.spent else f"({row.tokens:,})"
            parts += [" ", (f"{cost:>{widths.tokens}}", "" if row.spent else "$foreground-muted")]
        return Content.assemble(*parts)
