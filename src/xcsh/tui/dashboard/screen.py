"""The dashboard of rules, commands and extensions (S-23): what there is, why it is so, and switches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from xcsh.errors import XcshError
from xcsh.surfaces.layout import plural, visible
from xcsh.tui.dashboard.arranging import Heading, Wanted, by_provider, by_section, keep_places
from xcsh.tui.dashboard.chip import Chip
from xcsh.tui.dashboard.detail_pane import DetailPane
from xcsh.tui.dashboard.row import Row, State
from xcsh.tui.dashboard.row_list import RowList
from xcsh.tui.dashboard.snapshot import Snapshot, headline, take
from xcsh.tui.dashboard.switching import Switched, refusal_of, switch

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_LOOK_EVERY = 0.5
"""Seconds between looks at whether the session has read its files again."""

Edit = Callable[[str, int], Awaitable[str]]
"""Opens a file at a line in the user's editor until that is left; what went wrong, or an empty text."""


class Dashboard(ModalScreen[None]):
    """Over a session, until Esc. Everything that reads files happens in threads."""

    CSS_PATH = "dashboard.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "on/off"),
        Binding("P", "switch_provider", "provider", key_display="P"),
        Binding("e,enter", "edit", "edit", key_display="e"),
        Binding("slash", "search", "search", key_display="/", priority=True),  # before the key that follows it
        Binding("p", "regroup", "group", key_display="p"),
        Binding("o", "problems", "problems", key_display="o"),
        Binding("r", "reload", "reload", show=False),
        Binding("tab", "app.focus_next", "detail", key_display="tab"),
        Binding("escape,f2", "leave", "close", key_display="esc"),
        Binding("down", "move(1)", "down", show=False),
        Binding("up", "move(-1)", "up", show=False),
        Binding("ctrl+c", "leave", "close", show=False),
        Binding("ctrl+d", "app.leave", "exit", show=False),
    ]

    def __init__(self, session: AgentSession, edit: Edit) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
        self._session = session
        self._edit = edit
        self._snapshot: Snapshot | None = None
        self._rows: list[Row] = []
        self._wanted = Wanted()
        self._grouped_by_provider = False
        self._changing = asyncio.Lock()
        self.left = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield Static("reading …", id="counts", markup=False)
        with Horizontal(id="bar"):
            yield Input(placeholder="/ search: name, path, provider, trigger", id="search", compact=True)
            yield Chip("regroup", id="grouping")
            yield Chip("problems", id="filter")
        with Container(id="body"):
            yield RowList(id="rows")
            yield DetailPane(id="detail")
        yield Static(id="said", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    @property
    def rows(self) -> RowList:
        """The list."""
        return self.query_one("#rows", RowList)

    @property
    def search(self) -> Input:
        """Where a search is typed."""
        return self.query_one("#search", Input)

    def on_mount(self) -> None:
        """Looks at the session, and again whenever it has read its files."""
        self.rows.focus()
        self._label()
        self.run_worker(self._look, group="look")
        self.set_interval(_LOOK_EVERY, self._look_again)

    def on_unmount(self) -> None:
        """Whoever waits for the user to leave goes on."""
        self.left.set()

    def _look_again(self) -> None:
        taken = self._snapshot
        if taken is not None and taken.taken_of is not self._session.context.registry and not self._changing.locked():
            self.run_worker(self._look, group="look", exclusive=True)

    async def _look(self) -> None:
        snapshot = await asyncio.to_thread(take, self._session.context)
        if not self.query("#counts"):  # the user has left meanwhile
            return
        self._rows = keep_places(snapshot.rows, self._rows)
        self._snapshot = snapshot
        self._arrange()

    def _arrange(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        self.query_one("#counts", Static).update(headline(snapshot, self.size.width - 2))
        if self._grouped_by_provider:
            items = by_provider(self._rows, self._wanted, snapshot.titles, snapshot.off)
        else:
            items = by_section(self._rows, self._wanted, around=snapshot.around)
        self.rows.show(items, headings=self._grouped_by_provider)
        if not items:
            nothing = "nothing matches; Esc shows everything again" if self._rows else "there is nothing here yet"
            self.query_one(DetailPane).say(nothing)

    def _label(self) -> None:
        self.query_one("#grouping", Chip).show("p", "by provider" if self._grouped_by_provider else "by use")
        self.query_one("#filter", Chip).show("o", "only problems" if self._wanted.problems else "all")

    def on_resize(self) -> None:
        """Other widths."""
        self._arrange()

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        if self._snapshot is not None and event.item is not None:
            self.query_one(DetailPane).show(self._snapshot, event.item)

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        self._wanted = self._wanted._replace(query=event.value)
        self._arrange()

    @on(Input.Submitted)
    def _found(self) -> None:
        self.rows.focus()

    @on(RowList.Opened)
    def _opened(self) -> None:
        self.action_edit()

    def say(self, text: str) -> None:
        """Shows a sentence above the keys, until the next one."""
        for said in self.query("#said").results(Static):  # none where the user has left meanwhile
            said.update(visible(text))
            said.set_class(bool(text), "-shown")

    def action_move(self, step: int) -> None:
        """The cursor moves while a search is typed."""
        self.rows.action_move(step)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash in a search is a letter."""
        del parameters
        return not (action == "search" and self.search.has_focus)

    def action_search(self) -> None:
        """To where a search is typed, at once: the next key may be here already."""
        self.set_focus(self.search)

    def action_regroup(self) -> None:
        """By use, or by provider."""
        self._grouped_by_provider = not self._grouped_by_provider
        self._label()
        self._arrange()

    def action_problems(self) -> None:
        """Everything, or only what does not reach the model or is odd."""
        self._wanted = self._wanted._replace(problems=not self._wanted.problems)
        self._label()
        self._arrange()

    def action_leave(self) -> None:
        """Ends the search; without one leaves the dashboard."""
        if self._wanted.query or self.search.has_focus:
            self.search.value = ""
            self.rows.focus()
        else:
            self.dismiss()

    def action_reload(self) -> None:
        """Reads the files again."""
        self.run_worker(partial(self._changed, None), group="change")

    def action_switch(self) -> None:
        """Switches what the cursor is on."""
        item = self.rows.current
        if isinstance(item, Heading):
            self._switch_provider(item.provider)
        elif item is not None and (refusal := refusal_of(item)):
            self.say(refusal)
        elif item is not None:
            self._switch(item.key, on=item.state == State.OFF)

    def action_switch_provider(self) -> None:
        """Switches the provider of what the cursor is on."""
        item = self.rows.current
        if item is not None:
            self._switch_provider(item.provider)

    def _switch_provider(self, provider: str) -> None:
        off = self._snapshot is not None and provider in self._snapshot.off
        self._switch(provider, on=off or any(row.off_by == provider for row in self._rows))

    def _switch(self, key: str, *, on: bool) -> None:
        self.run_worker(partial(self._changed, key, on=on), group="change")

    async def _changed(self, key: str | None, *, on: bool = False) -> None:
        """Writes a switch down, has the session read its files again, and shows what has become of it."""
        async with self._changing:
            try:
                switched = Switched(True, "read again")
                if key is not None:
                    environment = self._session.context.registry.environment
                    switched = await asyncio.to_thread(switch, environment, key, on=on)
                await self._session.reload()
            except XcshError as problem:
                hint = str(getattr(problem, "hint", ""))
                self.say(f"{problem}; {hint}" if hint else str(problem))
                return
            await self._look()
            files = sum(row.key == key for row in self._rows)
            more = f", in all {plural(files, 'file')} of that name" if files > 1 else ""
            self.say(switched.text + more)

    def action_edit(self) -> None:
        """Opens the file in the user's editor, at its first finding."""
        item = self.rows.current
        if isinstance(item, Row) and item.path:
            self.run_worker(partial(self._edited, item.path, item.line), group="change")
        elif isinstance(item, Row):
            self.say(f"{item.name} comes from an installed package; there is no file to edit")

    async def _edited(self, path: str, line: int) -> None:
        problem = await self._edit(path, line)
        await self._look()
        self.say(problem)
