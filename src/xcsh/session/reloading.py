"""Reads a session's files again: rules, commands, prompts and skills, and which commands in Python there are."""

from __future__ import annotations

from xcsh.api import rediscover
from xcsh.extensions.custom import list_custom_commands
from xcsh.extensions.files import read_code
from xcsh.model.diagnostic import Diagnostic
from xcsh.session.events import DiagnosticsFound, FilesReread, SessionEvent
from xcsh.session.prompt_pipeline import PromptContext


def reread(context: PromptContext) -> tuple[PromptContext, tuple[SessionEvent, ...]]:
    """The context with what the files say now, and what is to be told of it. Reads files and runs nothing.

    Extensions stay as they were loaded, with what was found then: their code runs when a session begins, and a change
    of it is not trusted.
    """
    found: list[Diagnostic] = [*context.extensions.findings]
    before = context.registry.diagnostics
    registry = rediscover(context.registry)
    customs = list_custom_commands(read_code(registry.environment, found.append), found.append)
    diagnostics = tuple(dict.fromkeys((*registry.diagnostics, *found)))
    registry = registry._replace(diagnostics=diagnostics)
    events: list[SessionEvent] = [FilesReread(len(registry.active), len(registry.commands.active))]
    if new := tuple(item for item in diagnostics if item not in before):
        events.append(DiagnosticsFound(new))
    return context._replace(registry=registry, customs=customs), tuple(events)
