"""What the built-in commands do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from xcsh.api import render_prompt
from xcsh.sources.excerpt import lines_of
from xcsh.surfaces.doctor import render_doctor
from xcsh.surfaces.listing import render_rules
from xcsh.tui.built_ins.table import BUILT_INS, BuiltIn
from xcsh.tui.front_end import FrontEnd

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession
    from xcsh.tui.conversation import Conversation

_NOT_YET = "the session is not open yet"


class BuiltIns:
    """The built-ins over a conversation and its front end."""

    def __init__(self, conversation: Conversation, front: FrontEnd) -> None:
        self._conversation = conversation
        self._front = front
        self._do: dict[str, Callable[[AgentSession, str], Awaitable[str]]] = {
            "rules": self._rules,
            "extensions": self._extensions,
            "doctor": self._doctor,
            "compact": self._compact,
            "undo": self._undo,
            "redo": self._redo,
            "queue": self._queue,
            "reload": self._reload,
            "copy": self._copy,
        }

    async def run(self, command: BuiltIn, rest: str) -> None:
        """Runs one, and shows what it has to say."""
        if command.name == "exit":
            self._conversation.leave()
            return
        if command.name == "help":
            await self._front.say(_help())
            return
        session = self._conversation.session
        said = _NOT_YET if session is None else await self._do[command.name](session, rest)
        if said:
            await self._front.say(said)

    async def _rules(self, session: AgentSession, _: str) -> str:
        registry = session.context.registry
        return "\n".join(render_rules(registry, registry.active, render_prompt(registry), self._front.style))

    async def _extensions(self, _: AgentSession, __: str) -> str:
        await self._front.show_extensions()
        return ""

    async def _doctor(self, session: AgentSession, _: str) -> str:
        registry = session.context.registry
        found = registry.diagnostics
        return "\n".join(render_doctor(registry, found, len(list(registry.paths())), lines_of, self._front.style))

    async def _compact(self, session: AgentSession, rest: str) -> str:
        await session.compact(rest or None)
        return ""

    async def _undo(self, session: AgentSession, _: str) -> str:
        report = await session.undo()
        return report.text if report is not None else "no turn has changed a file"

    async def _redo(self, session: AgentSession, _: str) -> str:
        report = await session.redo()
        return report.text if report is not None else "there is no undo to take back"

    async def _queue(self, session: AgentSession, _: str) -> str:
        texts = session.withdraw()
        if texts:
            self._front.put("\n\n".join(texts))
        return "" if texts else "nothing waits"

    async def _reload(self, session: AgentSession, _: str) -> str:
        await session.reload()
        return f"{len(session.context.registry.active)} rules are active"

    async def _copy(self, _: AgentSession, __: str) -> str:
        answer = self._front.last_answer
        if answer:
            self._front.copy(answer)
        return "copied" if answer else "there is no answer yet"


def _help() -> str:
    width = max(len(f"/{item.name} {item.hint}".rstrip()) for item in BUILT_INS)
    lines = [f"{f'/{item.name} {item.hint}'.rstrip():{width}}  {item.summary}" for item in BUILT_INS]
    keys = "Enter sends, and steers while an answer streams. Alt+Enter queues. Esc interrupts. Tab completes."
    return "\n".join([*lines, "", keys])
