"""Makes a session: what is found on disk, an agent that follows it, and the conversation between (S-10)."""

from __future__ import annotations

import asyncio
import copy
import os
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai.capabilities import AbstractCapability, Toolset
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, infer_model
from pydantic_ai.usage import UsageLimits

from xcsh.agent.building import build_agent
from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.settings import permissions_of
from xcsh.agent.project_rules import ProjectRules
from xcsh.agent.resending import Resending
from xcsh.agent.workspace import commands_in
from xcsh.api import Registry, discover
from xcsh.extensions.custom import CustomCommands, list_custom_commands
from xcsh.extensions.files import read_code
from xcsh.extensions.loading import Extensions, load_extensions
from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.session.agent_session import AgentSession
from xcsh.session.command_turn import CommandTurns, OpenModel, model_of
from xcsh.session.compacting import AutomaticCompaction, Compactor
from xcsh.session.events import CommandSaid, DiagnosticsFound, Notice, SessionEvent, Sink
from xcsh.session.images.attached import AttachedImages
from xcsh.session.images.sending import SentImages
from xcsh.session.including import Including
from xcsh.session.joined_prompts import JoinedPrompts
from xcsh.session.keeping import Kept
from xcsh.session.mcp.servers import session_servers
from xcsh.session.parts import Before, SessionParts
from xcsh.session.prompt_pipeline import CommandFailure, PromptContext
from xcsh.session.recording import Recording
from xcsh.session.run_link import RunLink
from xcsh.session.session_model import SessionModel
from xcsh.session.turn_runner import TurnRunner
from xcsh.sources.mcp.entries import McpServer


async def create_agent_session(  # noqa: PLR0913 - the front door: everything but the model has a default
    model: Model | str,
    cwd: str | os.PathLike[str] | None = None,
    *,
    home: str | os.PathLike[str] | None = None,
    reference: bool = False,
    consent: Callable[[Registry], Consent] | None = None,
    allow: frozenset[str] = frozenset(),
    capabilities: Sequence[AbstractCapability[Any]] = (),
    kept: Kept | None = None,
    limits: UsageLimits | None = None,
    open_model: OpenModel | None = None,
    command_models: bool = True,
    model_name: str = "",
    history: Sequence[ModelMessage] = (),
    registry: Registry | None = None,
    context: PromptContext | None = None,
    resending: Resending | None = None,
    mcp_servers: Sequence[McpServer] = (),
) -> AgentSession:
    """A session around the folder `cwd`: its rules, commands and extensions are found and loaded, none is run.
    Without `cwd` it is that of the session that goes on, else the current one.

    `model`: a model, or its name as pydantic-ai spells it. `consent` makes what asks; without it the patterns `allow`
    and those of the settings are all that is allowed. `kept`: where the session is written down, and what it goes on
    from (`xcsh.session.keeping`). `history`: what a session goes on from that is not written down. `open_model`: for
    `session.model.use`, and for commands that name a model, but not where `command_models` is false. `model_name`:
    what `model` was chosen by. `registry`, or `context` with the commands too: of a caller who has found them
    already, with settings of its own. `resending` takes the place of what the settings say of requests that fail.
    `mcp_servers` are the caller's own, before those of the files.

    Findings are in `session.context.registry.diagnostics`. NotAFolderError: `cwd` is none. UsageError: where local
    workspaces do not exist (Windows), or a sandbox is missing.
    """
    outlet = _Outlet()
    model, model_name = (infer_model(model), model_name or model) if isinstance(model, str) else (model, model_name)
    if cwd is None:
        cwd = (kept.stored.cwd if kept is not None and kept.stored is not None else "") or "."
    if context is None:
        registry = registry or await asyncio.to_thread(discover, cwd, home=home, reference=reference, remember=True)
        context = await asyncio.to_thread(_load, registry, outlet)
    registry = context.registry
    environment = registry.environment
    settings = registry.settings
    asking = consent(registry) if consent else Consent(permissions_of(registry, allow))
    servers = await asyncio.to_thread(session_servers, registry, asking, outlet.tell, os.environ, mcp_servers)
    including = Including(
        asking, lambda: commands_in(environment.cwd, settings), environment, lambda text: outlet.tell(Notice(text))
    )
    link = RunLink(kept.file.messages if kept is not None else _forget)
    changes = kept.changes(environment.cwd, settings.number("undo.max_file_bytes")) if kept is not None else None
    images = kept.images(outlet.tell) if kept is not None else AttachedImages(None, (), outlet.tell)
    rules = ProjectRules(registry)
    mcp = [Toolset[Any](servers)] if servers is not None else []
    resending = resending or Resending(
        attempts=settings.number("requests.attempts"), stall=settings.number("requests.stall_seconds")
    )
    for_summaries = copy.copy(resending)
    resending.tell = link.tell
    answering = SessionModel(model, model_name, open_model, kept.state.get("thinking") if kept is not None else "")

    def check(command: SlashCommand | None) -> None:
        if model_of(command) is None or open_model is None or not command_models:
            answering.check()

    context = context._replace(servers=servers, include=including.fill, check=check)
    compactor = Compactor(
        lambda: answering.model,
        outlet.tell,
        keep_tokens=settings.number("compaction.keep_tokens"),
        capabilities=[for_summaries, JoinedPrompts()],
    )
    automatic = AutomaticCompaction(compactor, settings.number("compaction.at_percent"))
    agent = build_agent(
        registry,
        model,
        environment.cwd,
        consent=asking,
        rules=rules,
        capabilities=[
            resending,
            SentImages(images, outlet.tell),
            JoinedPrompts(),
            automatic,
            link,
            *([changes.journal] if changes else ()),
            *mcp,
            *capabilities,
        ],
    )
    session_id = kept.file.id if kept is not None else uuid.uuid4().hex

    def runner(emit: Sink, recording: Recording, on_delivered: Callable[[str], None]) -> TurnRunner:
        outlet.emit = emit
        return TurnRunner(
            agent,
            answering,
            link,
            emit if changes is None else changes.noting(emit),
            recording,
            on_delivered,
            conversation_id=session_id,
            limits=limits,
        )

    def commands(emit: Sink) -> CommandTurns:
        return CommandTurns(asking, open_model if command_models else None, lambda text: emit(Notice(text)))

    session = AgentSession(
        SessionParts(
            session_id,
            Before(kept.history, kept.turns, kept.used) if kept is not None else Before(history),
            runner,
            kept.file if kept is not None else None,
            link,
            compactor,
            commands,
            changes,
            rules,
            answering,
            images,
            asking.permissions,
        ),
        context,
    )
    if kept is not None:
        session.restore(*kept.queue, kept.state)
    return session


class _Outlet:
    """Where commands and extensions say something, before the session is there that tells it."""

    def __init__(self) -> None:
        self.emit: Callable[[SessionEvent], None] = lambda _: None

    def tell(self, event: SessionEvent) -> None:
        self.emit(event)

    def say(self, text: str) -> None:
        self.emit(CommandSaid(text))

    def on_error(self, failure: CommandFailure) -> None:
        self.emit(DiagnosticsFound((failure.diagnostic,)))


def _load(registry: Registry, outlet: _Outlet) -> PromptContext:
    found: list[Diagnostic] = []
    extensions, customs = _commands(registry, found.append)
    whole = registry._replace(diagnostics=(*registry.diagnostics, *found))
    return PromptContext(whole, extensions, customs, outlet.say, outlet.on_error)


def _commands(registry: Registry, report: Callable[[Diagnostic], None]) -> tuple[Extensions, CustomCommands]:
    code = read_code(registry.environment, report)
    return load_extensions(code, report), list_custom_commands(code, report)


def _forget(history: Sequence[ModelMessage]) -> None:
    """Of a session that nobody writes down."""
