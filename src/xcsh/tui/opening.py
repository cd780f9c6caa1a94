"""Which session a front end is to open, and what the built-ins need of the conversation that holds it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from xcsh.tui.front_end import FrontEnd

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


class Opening(NamedTuple):
    """Which session to open: that of `resume` (its id), else a new one; in the folder `cwd`, else in its own."""

    cwd: str | None = None
    resume: str | None = None


OpenSession = Callable[[Opening | None, FrontEnd], "AbstractAsyncContextManager[AgentSession]"]
"""Opens a session, which asks the front end about consent. None is the session that the program was called for."""


class HoldsSession(Protocol):
    """Holds one session after the other."""

    @property
    def session(self) -> AgentSession | None:
        """The one that is open."""
        ...

    async def reopen(self, opening: Opening) -> AgentSession | None:
        """Leaves the session for another: it, when it is open; None where it did not open, which is said."""
        ...

    def leave(self) -> None:
        """Ends the session, then the front end."""
        ...
