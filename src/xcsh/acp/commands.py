"""The commands of a session as the protocol lists them, and the few that this front end has of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from acp.schema import AvailableCommand, AvailableCommandInput, UnstructuredCommandInput

from xcsh.api import render_prompt
from xcsh.diagnosis import with_every_finding, with_stream_findings
from xcsh.session.agent_session import AgentSession
from xcsh.session.offered_commands import offered_commands
from xcsh.surfaces.doctor import doctor_lines
from xcsh.surfaces.layout import Style
from xcsh.surfaces.listing import render_rules

_STYLE = Style(colour=False, width=80)


class Own(NamedTuple):
    """A command of the front end: what it is, what may follow it, and what it does; what it has to say is returned."""

    summary: str
    hint: str
    run: Callable[[AgentSession, str], Awaitable[str]]


async def _compact(session: AgentSession, rest: str) -> str:
    await session.compact(rest or None)
    return ""


async def _undo(session: AgentSession, _: str) -> str:
    report = await session.undo()
    return report.text if report is not None else "no turn has changed a file"


async def _redo(session: AgentSession, _: str) -> str:
    report = await session.redo()
    return report.text if report is not None else "there is no undo to take back"


async def _rules(session: AgentSession, _: str) -> str:
    registry = await asyncio.to_thread(with_stream_findings, session.context.registry)
    return _block(render_rules(registry, registry.active, render_prompt(registry), _STYLE))


async def _doctor(session: AgentSession, rest: str) -> str:
    registry = await asyncio.to_thread(with_every_finding, session.context.registry)
    return _block(await asyncio.to_thread(doctor_lines, registry, _STYLE, whole=rest == "--all"))


OWN: dict[str, Own] = {
    "compact": Own("make the history shorter", "[what must not be lost]", _compact),
    "undo": Own("take back the file changes of the last turn", "", _undo),
    "redo": Own("take the last undo back", "", _redo),
    "rules": Own("which rules are active, and why", "", _rules),
    "doctor": Own("everything that is odd about the files", "[--all]", _doctor),
}


def own_command(text: str) -> tuple[Own, str] | None:
    """The command of the front end that a text calls, and what follows its name (S-21)."""
    name, _, rest = text.strip().removeprefix("/").partition(" ")
    return (OWN[name], rest.strip()) if text.startswith("/") and name in OWN else None


def commands_of(session: AgentSession) -> list[AvailableCommand]:
    """Every command that a person can call, each name once."""
    return [
        *(_command(name, own.summary, own.hint) for name, own in OWN.items()),
        *(_command(each.name, each.description, each.hint) for each in offered_commands(session.context, OWN)),
    ]


def _command(name: str, description: str, hint: str) -> AvailableCommand:
    given = AvailableCommandInput(UnstructuredCommandInput(hint=hint)) if hint else None
    return AvailableCommand(name=name, description=description or name, input=given)


def _block(lines: list[str]) -> str:
    return "\n".join(["```", *lines, "```"])
