"""What the conversation and its built-ins need of whoever shows them: the application, or the plain mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from xcsh.agent.consent.request import Answer, ConsentRequest
from xcsh.session.events import SessionEvent
from xcsh.surfaces.layout import Style

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


class Choice(NamedTuple):
    """One of several things to choose from: `value` is what the choice returns, the rest is for people."""

    value: str
    label: str
    detail: str = ""


class FrontEnd(Protocol):
    """Shows a conversation. Whatever is given to it may hold control characters; it shows none of them raw."""

    @property
    def style(self) -> Style:
        """How a listing is laid out: width, colour."""
        ...

    @property
    def help_keys(self) -> Sequence[tuple[str, str]]:
        """The keys and words that count where the user types, each with what it does."""
        ...

    @property
    def last_answer(self) -> str:
        """The text of the last message of the model; empty before the first."""
        ...

    def opened(self, session: AgentSession) -> None:
        """A session is there, the first or another; its earlier messages are to be shown where it has some."""
        ...

    def tell(self, event: SessionEvent) -> None:
        """Shows what happened. Returns at once."""
        ...

    async def ask(self, request: ConsentRequest) -> Answer:
        """The user's answer to a question about consent."""
        ...

    async def say(self, text: str) -> None:
        """Shows a text of the front end itself, of any number of lines."""
        ...

    async def choose(self, title: str, choices: Sequence[Choice], *, about: str = "") -> str | None:
        """The value of what the user chooses; None where nothing is chosen. `about` is to be read before that."""
        ...

    async def show_extensions(self) -> None:
        """The dashboard of rules and commands, until the user leaves it (S-23)."""
        ...

    async def open_file(self, path: str, line: int = 1) -> None:
        """Opens a file in the user's editor at a line, until the editor is left."""
        ...

    def put(self, text: str) -> None:
        """Puts a text where the user types, in place of what stands there."""
        ...

    def copy(self, text: str) -> None:
        """Puts a text into the clipboard."""
        ...

    def status_changed(self) -> None:
        """The session, its queue or what waits for it is another than before."""
        ...

    def end(self) -> None:
        """The conversation is over: the front end ends."""
        ...
