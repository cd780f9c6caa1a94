"""What a text typed after `xcsh -p` becomes before it is sent: commands run, templates are filled in (S-1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TextIO

from xcsh.cli.named_servers import server_called
from xcsh.cli.output import say_finding
from xcsh.errors import FailedTurnError, UsageError
from xcsh.slash.invocation import parse_invocation
from xcsh.surfaces.layout import plural, visible

if TYPE_CHECKING:
    from xcsh.model.diagnostic import Diagnostic
    from xcsh.model.registry import Registry
    from xcsh.model.source import Skipped
    from xcsh.session.prompt_pipeline import CommandFailure, Prepared, PromptContext


class Call(NamedTuple):
    """A text as it was typed, what the pipeline made of it, and what it could call."""

    typed: str
    prepared: Prepared
    context: PromptContext


async def prepare_call(text: str, registry: Registry, out: TextIO) -> Call | None:
    """What is to be sent; None where a command has dealt with the text. What a command says goes to `out`.

    FailedTurnError: the command's code raised.
    """
    from asyncio import to_thread

    from xcsh.extensions.custom import CustomCommands, list_custom_commands
    from xcsh.extensions.files import read_code
    from xcsh.extensions.loading import Extensions, load_extensions
    from xcsh.session.prompt_pipeline import Prepared, PromptContext, prepare

    if not text.startswith("/"):  # it calls nothing, so nothing is loaded
        return Call(text, Prepared(text), PromptContext(registry, Extensions(), CustomCommands(), _ignore))

    diagnostics: list[Diagnostic] = []
    failures: list[CommandFailure] = []
    code = read_code(registry.environment, diagnostics.append)
    customs = list_custom_commands(code, diagnostics.append)
    extensions = await to_thread(load_extensions, code, diagnostics.append)
    for item in diagnostics:
        say_finding(item)

    def say(said: str) -> None:
        text = said if said.endswith("\n") else said + "\n"
        if out.isatty():
            text = "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))
        out.write(text)
        out.flush()

    invocation = parse_invocation(text)
    name = invocation.name if invocation is not None else ""
    if extensions.find(name) is None and customs.find(name) is None:
        _stop_for_unusable(name, customs.skipped)
    context = PromptContext(registry, extensions, customs, say, failures.append)
    prepared = await prepare(text, context)
    if failures:
        item = failures[0].diagnostic
        place = f"{item.path}:{item.position.line}: " if item.position else ""
        raise FailedTurnError(f"{place}{item.message}", "mend the command; nothing was sent")
    if not prepared.taken_by and not server_called(name, registry.environment):  # the session asks the server
        _tell_of_untrusted(text, extensions.skipped)
        _tell_of_nearest(name, context)
    return Call(text, prepared, context) if prepared.text is not None else None


async def prepared_in(call: Call, context: PromptContext) -> Prepared:
    """What is sent: with what only a session has, prompts of MCP servers and what a command includes.

    FailedTurnError: the server gives none, or what the command includes may not run.
    """
    from xcsh.session.prompt_pipeline import SESSION_STAGES, include_pending, prepare

    if call.prepared.pending is not None:
        try:
            return await include_pending(call.prepared, context)
        except UsageError as error:
            raise FailedTurnError(str(error), error.hint) from None
    if call.prepared.taken_by or call.prepared.text is None or not call.typed.startswith("/"):
        return call.prepared
    failures: list[CommandFailure] = []
    late = await prepare(call.typed, context._replace(on_error=failures.append), stages=SESSION_STAGES)
    if failures:
        raise FailedTurnError(failures[0].diagnostic.message, failures[0].diagnostic.hint)
    if not late.taken_by:
        return call.prepared
    piped = call.prepared.text.removeprefix(call.typed)
    return late._replace(text=f"{late.text}{piped}")


def _ignore(_: str) -> None:
    """Nothing is loaded that could say something."""


def _stop_for_unusable(name: str, skipped: Iterable[Skipped]) -> None:
    """A command in Python that may not or cannot run is no reason to send its call elsewhere (S-5)."""
    for item in skipped:
        if os.path.basename(item.path) == f"{name}.py":
            hint = "see: xcsh trust" if item.reason == "untrusted" else "mend the file; nothing was sent"
            raise FailedTurnError(f"/{name} is a command in Python that is not run: {item.detail}", hint)


def _tell_of_untrusted(text: str, skipped: Iterable[Skipped]) -> None:
    """An unknown `/name` is sent as it stands (C-26); that an extension might have answered it is said."""
    untrusted = [item for item in skipped if item.reason == "untrusted"]
    if untrusted:
        files = plural(len(untrusted), "extension")
        print(
            visible(f"{text.split(maxsplit=1)[0]} is sent as text; {files} here may not run: xcsh trust"),
            file=sys.stderr,
        )


def _tell_of_nearest(name: str, context: PromptContext) -> None:
    """A misspelt name is sent as text too; nothing else would tell. A path is nobody's misspelt command."""
    from xcsh.slash.expansion import SKILL_PREFIX
    from xcsh.slash.lookup import names_of, nearest_commands
    from xcsh.surfaces.skipped_commands import skipped_command

    if not name or "/" in name:
        return
    registry = context.registry
    text = f"/{name} is sent as text, since no command is named so"
    if skipped := skipped_command(registry, name):
        parts = (text, f"{skipped.place} is skipped: {skipped.reason}", skipped.hint)
        print(visible("; ".join(filter(None, parts))), file=sys.stderr)
        return
    names = [*names_of(registry.commands.all), *names_of(registry.prompts.all)]
    names += [SKILL_PREFIX + each for each in names_of(registry.skills.all)]
    names += [command.name for command in (*context.extensions.commands, *context.customs.commands)]
    near = nearest_commands(names, name)
    meant = f"; did you mean {', '.join(f'/{each}' for each in near)}?" if near else ""
    print(visible(f"{text}{meant}"), file=sys.stderr)
