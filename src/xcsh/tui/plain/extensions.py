"""The dashboard as a list and a few words: what is switched on and off, shown, or opened (S-23)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from xcsh.errors import XcshError
from xcsh.surfaces.layout import Style, plural, visible
from xcsh.tui.dashboard.arranging import Heading, Wanted, by_section
from xcsh.tui.dashboard.detail import detail_of
from xcsh.tui.dashboard.row import Row, State
from xcsh.tui.dashboard.snapshot import Snapshot, headline, take
from xcsh.tui.dashboard.switching import refusal_of, switch

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

HELP = (
    "Type: off NAME, on NAME, show NAME, edit NAME, or find WORDS; NAME is an item's or a tool's. "
    "An empty line goes back to the conversation."
)
_WORDS = ("off", "on", "show", "edit", "find")


class ExtensionsList:
    """Rules and commands of a session. `listed` and `done` return what is to be written."""

    def __init__(self, session: AgentSession, style: Style, edit: Callable[[str, int], Awaitable[None]]) -> None:
        self._session = session
        self._style = style
        self._edit = edit

    async def listed(self, query: str = "") -> str:
        """The items that have all words of a query, under their headings."""
        return _text(await self._snapshot(), query)

    async def done(self, typed: str) -> str:
        """Does what was typed, and says what has become of it."""
        word, _, name = typed.strip().partition(" ")
        name = name.strip()
        if word not in _WORDS or not name:
            return HELP
        if word == "find":
            return await self.listed(name)
        snapshot = await self._snapshot()
        if word in ("off", "on") and (provider := _provider(snapshot, name)) is not None:
            return await self._switched(provider, on=word == "on")
        rows = [row for row in snapshot.rows if name.casefold() in (row.name.casefold(), row.key.casefold())]
        if not rows:
            return f"There is nothing named {visible(name)}. To look for it: find {visible(name)}"
        if word == "show":
            items = [await asyncio.to_thread(detail_of, snapshot, row, self._style) for row in rows]
            return "\n\n".join("\n".join(lines) for lines in items)
        return await self._edited(rows[0]) if word == "edit" else await self._switched_one(name, rows, on=word == "on")

    async def _snapshot(self) -> Snapshot:
        return await asyncio.to_thread(take, self._session.context)

    async def _switched_one(self, name: str, rows: Sequence[Row], *, on: bool) -> str:
        keys = list(dict.fromkeys(row.key for row in rows if not refusal_of(row)))
        if not keys:
            return _refused(rows[0])
        if len(keys) > 1:
            return f"{visible(name)} may be several things. Name one: {', '.join(map(visible, keys))}"
        return await self._switched(keys[0], on=on)

    async def _switched(self, key: str, *, on: bool) -> str:
        try:
            switched = await asyncio.to_thread(switch, self._session.context.registry.environment, key, on=on)
            await self._session.reload()
        except XcshError as problem:
            return f"{problem}. {getattr(problem, 'hint', '')}".rstrip()
        return f"{switched.text}."

    async def _edited(self, row: Row) -> str:
        if not row.path:
            return f"{row.name} comes from an installed package. There is no file to edit."
        await self._edit(row.path, row.line)
        await self._session.reload()
        return "The files are read again."


def _text(snapshot: Snapshot, query: str) -> str:
    lines = [headline(snapshot, 0).replace("\n", ". ") + "."]
    found = by_section(snapshot.rows, Wanted(query), around=snapshot.around)
    for item in found:
        if isinstance(item, Heading):
            lines.append(f"{item.title}, {item.gloss}: {plural(item.size, 'item')}.")
        else:
            state = "" if item.state == State.ACTIVE else f", {item.state}"
            why = f": {item.label}" if item.label else ""
            lines.append(f"  {item.name}{state}, of {item.title}, {item.shown}{why}")
    if not found:
        lines.append(f"Nothing has all of these words: {visible(query)}")
    return "\n".join(lines)


def _provider(snapshot: Snapshot, name: str) -> str | None:
    """The id of the tool that is named by it, or by its title."""
    return next(
        (each for each, title in snapshot.titles.items() if name.casefold() in (each.casefold(), title.casefold())),
        None,
    )


def _refused(row: Row) -> str:
    if row.off_by and row.state == State.OFF and not row.key:
        return f"{row.name} is off with everything of {row.title}. To switch that on: on {row.title}"
    return f"{refusal_of(row)}."
