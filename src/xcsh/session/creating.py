"""Makes a session: what is found on disk, an agent that follows it, and the conversation between (S-10)."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits
from pydantic_ai_harness.compaction import SummarizingCompaction

from xcsh.agent.consent import READ_TOOLS
from xcsh.agent.stream_rules import StreamRules
from xcsh.agent.turn import build_agent
from xcsh.api import Registry, discover
from xcsh.extensions.custom import CustomCommands, list_custom_commands
from xcsh.extensions.files import read_code
from xcsh.extensions.loading import Extensions, load_extensions
from xcsh.model.diagnostic import Diagnostic
from xcsh.session.agent_session import AgentSession
from xcsh.session.compacting import Compactor
from xcsh.session.events import CommandSaid, DiagnosticsFound, Sink
from xcsh.session.prompt_pipeline import CommandFailure, PromptContext
from xcsh.session.run_link import RunLink
from xcsh.session.turn_runner import Recorder, TurnRunner

_KEPT_TOKENS = 8_000
"""How much of the end of a history a compaction leaves word for word."""


class Past(NamedTuple):
    """What a session that is resumed begins with."""

    session_id: str = ""
    history: Sequence[ModelMessage] = ()
    turns: int = 0
    steering: Sequence[str] = ()
    follow_ups: Sequence[str] = ()


async def create_agent_session(  # noqa: PLR0913 - the front door: everything but the model has a default
    model: Model,
    cwd: str | os.PathLike[str] = ".",
    *,
    home: str | os.PathLike[str] | None = None,
    reference: bool = False,
    allow: frozenset[str] = frozenset(),
    capabilities: Sequence[AbstractCapability[Any]] = (),
    recorder: Recorder | None = None,
    past: Past | None = None,
    limits: UsageLimits | None = None,
) -> AgentSession:
    """A session around the folder `cwd`: its rules, commands and extensions are found and loaded, none is run.

    Findings are in `session.context.registry.diagnostics`, and in the event `DiagnosticsFound` of whatever comes
    later. NotAFolderError: `cwd` is none. UsageError: where local workspaces do not exist (Windows).
    """
    registry = await asyncio.to_thread(discover, cwd, home=home, reference=reference)
    found: list[Diagnostic] = []
    extensions, customs = await asyncio.to_thread(_load, registry, found.append)
    sinks: list[Sink] = []
    past = past or Past()

    def say(text: str) -> None:
        sinks[0](CommandSaid(text))

    def on_error(failure: CommandFailure) -> None:
        sinks[0](DiagnosticsFound((failure.diagnostic,)))

    registry = registry._replace(diagnostics=(*registry.diagnostics, *found))
    context = PromptContext(registry, extensions, customs, say, on_error)
    link = RunLink(recorder.messages if recorder is not None else _forget)
    rules = StreamRules(registry, tools=READ_TOOLS)
    agent = build_agent(
        registry,
        model,
        registry.environment.cwd,
        allow=allow,
        stream_rules=rules,
        capabilities=[link, *capabilities],
    )

    def runner(emit: Sink, on_delivered: Callable[[str], None]) -> TurnRunner:
        sinks.append(emit)
        return TurnRunner(
            agent,
            link,
            emit,
            on_delivered,
            conversation_id=past.session_id or uuid.uuid4().hex,
            recorder=recorder,
            limits=limits,
        )

    compactor = Compactor(SummarizingCompaction(max_messages=1, keep_tokens=_KEPT_TOKENS), lambda: model)
    session = AgentSession(runner, link, context, compactor, recorder=recorder, history=past.history, turns=past.turns)
    session.queue.restore(past.steering, past.follow_ups)
    return session


def _load(registry: Registry, report: Callable[[Diagnostic], None]) -> tuple[Extensions, CustomCommands]:
    code = read_code(registry.environment, report)
    return load_extensions(code, report), list_custom_commands(code, report)


def _forget(history: Sequence[ModelMessage]) -> None:
    """Of a session that nobody writes down."""
