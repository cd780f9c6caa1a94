"""The first line of the screen: the folder and its branch, the model, and what the conversation uses."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from textual.widgets import Static

from xcsh.session.events import ModelChanged, SessionEvent, TurnAborted, TurnCompleted, TurnFailed
from xcsh.surfaces.layout import columns, fit, visible
from xcsh.tui.gauge import Gauge

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_MOST_BYTES = 1_000
_HASH = 7


class Heading(Static):
    """Shows `title` until a session is open."""

    def __init__(self, title: str) -> None:
        super().__init__(visible(title), id="heading", markup=False)
        self._title = title
        self._folder = self._branch = self._model = ""
        self._cwd = ""
        self._gauge = Gauge()

    async def open(self, session: AgentSession) -> None:
        """Shows a session: where it is, its model, and what its earlier messages have used."""
        environment = session.context.registry.environment
        self._cwd, self._model = environment.cwd, _short(session.model_name)
        home = environment.home
        inside = environment.cwd.startswith(home.rstrip(os.sep) + os.sep)
        self._folder = f"~{environment.cwd[len(home) :]}" if inside else environment.cwd
        self._gauge = Gauge(await asyncio.to_thread(lambda: session.usage))
        await self._look_at_branch()

    async def show(self, event: SessionEvent) -> None:
        """Takes over what an event says."""
        if isinstance(event, ModelChanged):
            self._model = _short(event.model)
        if self._gauge.add(event) or isinstance(event, ModelChanged):
            self._write()
        if isinstance(event, TurnCompleted | TurnFailed | TurnAborted):
            await self._look_at_branch()

    def on_resize(self) -> None:
        """The gauge is at the right end."""
        self._write()

    async def _look_at_branch(self) -> None:
        self._branch = await asyncio.to_thread(branch_of, self._cwd)
        self._write()

    def _write(self) -> None:
        left = self._title
        if self._folder:
            branch = f" ({self._branch})" if self._branch else ""
            left = " ─ ".join(filter(None, ("xcsh", self._folder + branch, self._model)))
        self.update(heading_line(left, self._gauge.text, self.size.width))


def heading_line(left: str, right: str, width: int) -> str:
    """The two with a line between them; the left one is cut where there is no room."""
    left, right = visible(left), visible(right)
    if not right:
        return fit(left, width).rstrip()
    room = width - columns(right) - 1
    between = room - columns(left) - 1
    if between >= 1:
        return f"{left} {'─' * between} {right}"
    return f"{fit(left, max(1, room))} {right}"


def branch_of(folder: str) -> str:
    """The branch that is checked out around a folder, or the beginning of a commit; empty where there is none.

    Reads two small files and starts nothing.
    """
    while True:
        git = os.path.join(folder, ".git")
        if os.path.lexists(git):
            break
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    if os.path.isfile(git):
        pointer = _first_line(git)
        git = os.path.join(folder, pointer.removeprefix("gitdir:").strip())
    head = _first_line(os.path.join(git, "HEAD"))
    return head.removeprefix("ref:").strip().removeprefix("refs/heads/") if head.startswith("ref:") else head[:_HASH]


def _short(model: str) -> str:
    """The name of a model; of a recording that of its file."""
    kind, colon, name = model.partition(":")
    return f"{kind}:{os.path.basename(name)}" if colon and kind == "replay" else model


def full_path(path: str, cwd: str, home: str) -> str:
    """A path as people read it, from the folder `cwd` or below `~`, as an absolute one."""
    return os.path.join(home, path[2:]) if path.startswith("~/") else os.path.join(cwd, path)


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_BYTES).partition("\n")[0].strip()
    except OSError:
        return ""
