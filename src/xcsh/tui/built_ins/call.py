"""One call of a built-in: what it acts on, and what was typed after its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.source import Environment
from xcsh.tui.front_end import Choice, FrontEnd
from xcsh.tui.opening import HoldsSession

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

YES, NO = "yes", "no"


class Call(NamedTuple):
    """`rest` is what was typed after the name, without blanks around it."""

    conversation: HoldsSession
    front: FrontEnd
    session: AgentSession
    rest: str

    @property
    def registry(self) -> Registry:
        """The rules and commands in force."""
        return self.session.context.registry

    @property
    def environment(self) -> Environment:
        """The folder and the home of the session."""
        return self.registry.environment

    async def agreed(self, title: str, yes: str, no: str, *, about: str = "", detail: str = "") -> bool:
        """Whether the user chooses to go ahead; `no` stands first, so that nothing happens by a stray key."""
        choices = (Choice(NO, no), Choice(YES, yes, detail))
        return await self.front.choose(title, choices, about=about) == YES
