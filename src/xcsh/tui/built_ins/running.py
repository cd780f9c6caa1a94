"""Runs a built-in by its name, over whatever front end there is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from xcsh.tui.built_ins import history, models, places, queue, rules, servers, settings, trusting
from xcsh.tui.built_ins.call import Call
from xcsh.tui.built_ins.helping import help_lines
from xcsh.tui.built_ins.table import BuiltIn
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.opening import HoldsSession

_NOT_YET = "the session is not open yet"
_DOES: Mapping[str, Callable[[Call], Awaitable[str]]] = {
    "queue": queue.queue,
    "undo": history.undo,
    "redo": history.redo,
    "copy": history.copy,
    "export": history.export,
    "compact": history.compact,
    "new": places.new,
    "resume": places.resume,
    "move": places.move,
    "model": models.model,
    "thinking": models.thinking,
    "mcp": servers.mcp,
    "rules": rules.rules,
    "commands": rules.commands,
    "extensions": rules.extensions,
    "explain": rules.explain_item,
    "doctor": rules.doctor,
    "reload": rules.reload,
    "settings": settings.settings,
    "trust": trusting.trust_folder,
}
"""Each returns what is to be said at its end; empty for nothing."""


class BuiltIns:
    """The built-ins over a conversation and its front end."""

    def __init__(self, conversation: HoldsSession, front: FrontEnd) -> None:
        self._conversation = conversation
        self._front = front

    async def run(self, command: BuiltIn, rest: str) -> None:
        """Runs one, and shows what it has to say. What it raises is said by the conversation."""
        session = self._conversation.session
        if command.name == "exit":
            self._conversation.leave()
        elif command.name == "help":
            context = session.context if session is not None else None
            await self._front.say("\n".join(help_lines(context, self._front.style, self._front.help_keys)))
        elif session is None:
            await self._front.say(_NOT_YET)
        elif said := await _DOES[command.name](Call(self._conversation, self._front, session, rest)):
            await self._front.say(said)
