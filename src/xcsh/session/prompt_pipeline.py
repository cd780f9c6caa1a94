"""What happens to a text before it is sent (S-1), as data: the stages in their order, and the walk over them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.extensions.custom import CustomCommands, run_custom_command
from xcsh.extensions.failures import failure
from xcsh.extensions.loading import Extensions
from xcsh.extensions.registration import CommandContext
from xcsh.extensions.running import Outcome, call_handler
from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.parsing.finding import Finding
from xcsh.session.mcp.prompts import ServerPrompts
from xcsh.slash.expansion import Expansion, call_in, expand_command, expand_prompt
from xcsh.slash.invocation import parse_invocation
from xcsh.surfaces.layout import visible


class CommandFailure(NamedTuple):
    """A handler's exception (S-5), and the finding that says where it came from."""

    diagnostic: Diagnostic
    error: BaseException


class PromptContext(NamedTuple):
    """Everything that a text can call, and who is told what.

    `say` shows a text to the person. `on_error` is the extension error channel; without it failures go to the log.
    `servers` are the MCP servers of a session; without one there are none. `include` puts in what a command includes,
    which is a session's too; it raises UsageError where that may not be. `check` raises UsageError where no model would
    answer: what a command made, or a text of no command; a stage whose text is sent asks before anything runs for it.
    """

    registry: Registry
    extensions: Extensions
    customs: CustomCommands
    say: Callable[[str], None]
    on_error: Callable[[CommandFailure], None] | None = None
    servers: ServerPrompts | None = None
    include: Callable[[Expansion], Awaitable[str]] | None = None
    check: Callable[[SlashCommand | None], None] = lambda _: None


class Step(NamedTuple):
    """What a stage made of a text: None where nothing is to be sent. `last`: no later stage looks at it.

    `pending`: what the command includes is not in the text yet.
    """

    text: str | None
    last: bool = False
    command: SlashCommand | None = None
    pending: Expansion | None = None


Work = Callable[[], Awaitable[Step]]


class Stage(NamedTuple):
    """A stage. `match` looks whether it has an answer to a text and returns the work; nothing runs before that is."""

    id: str
    description: str
    match: Callable[[str, PromptContext], Work | None]


class Prepared(NamedTuple):
    """`text` is to be sent; where it is None, the stage `handled_by` has dealt with it and nothing is sent.

    `command` is the file command, prompt template or skill that was expanded; its tools and model are for the turn.
    `taken_by` are the stages that had an answer, in order. `pending`: what the command includes is not in the text yet,
    since only a session puts that in (`include_pending`).
    """

    text: str | None
    handled_by: str | None = None
    command: SlashCommand | None = None
    taken_by: tuple[str, ...] = ()
    pending: Expansion | None = None


def _extension_command(text: str, context: PromptContext) -> Work | None:
    invocation = parse_invocation(text)
    command = context.extensions.find(invocation.name) if invocation else None
    if invocation is None or command is None:
        return None

    async def work() -> Step:
        outcome = await call_handler(command.handler, _given_to_handlers(context), invocation.raw)
        _report_failure(outcome, command.name, command.path, context)
        return Step(None)

    return work


def _custom_command(text: str, context: PromptContext) -> Work | None:
    invocation = call_in(text, context.registry)
    command = context.customs.find(invocation.name) if invocation else None
    if invocation is None or command is None:
        return None

    async def work() -> Step:
        context.check(None)
        outcome = await run_custom_command(command, _given_to_handlers(context), invocation.args)
        _report_failure(outcome, command.name, command.path, context)
        return Step(outcome.value if isinstance(outcome.value, str) else None)

    return work


def _file_command(text: str, context: PromptContext) -> Work | None:
    return _expanded(expand_command(context.registry, text), context)


def _prompt_template(text: str, context: PromptContext) -> Work | None:
    return _expanded(expand_prompt(context.registry, text), context)


def _server_prompt(text: str, context: PromptContext) -> Work | None:
    invocation = parse_invocation(text)
    servers = context.servers
    if invocation is None or servers is None or not servers.names_server(invocation.name):
        return None

    async def work() -> Step:
        context.check(None)
        try:
            return Step(await servers.expand(invocation.name, invocation.raw), last=True)
        except UsageError as error:
            _report(Finding("").make("command-failed", None, str(error), hint=error.hint), error, context)
            return Step(None)

    return work


STAGES: tuple[Stage, ...] = (
    Stage(
        "extension-commands",
        "a command that an extension registered runs at once, and nothing is sent",
        _extension_command,
    ),
    Stage(
        "custom-commands",
        "a Python module of that name runs, and the text that it returns goes on in place of what was typed",
        _custom_command,
    ),
    Stage(
        "file-commands",
        "a text that starts with / and the name of a file command becomes its template, filled in",
        _file_command,
    ),
    Stage(
        "prompt-templates",
        "what no file command took becomes the prompt template or skill of that name, filled in",
        _prompt_template,
    ),
    Stage(
        "server-prompts",
        "/server:prompt that no file has a name for becomes what the MCP server says; needs a session",
        _server_prompt,
    ),
)
SESSION_STAGES = STAGES[-1:]
"""What only a session has: for a caller that runs the others before it makes one."""


async def prepare(
    text: str, context: PromptContext, *, expand_prompt_templates: bool = True, stages: tuple[Stage, ...] = STAGES
) -> Prepared:
    """Runs and expands what `text` calls. An unknown `/name` comes back as it is (C-26).

    A handler that raises counts as handled (S-5). FrontmatterError of what the program itself brings is raised (S-6).
    Without `expand_prompt_templates` the text is sent as typed, and nothing runs.
    """
    taken: list[str] = []
    command: SlashCommand | None = None
    pending: Expansion | None = None
    for stage in stages if expand_prompt_templates else ():
        work = stage.match(text, context)
        if work is None:
            continue
        taken.append(stage.id)
        step = await work()
        command, pending = step.command, step.pending
        if step.text is None:
            return Prepared(None, stage.id, None, tuple(taken))
        text = step.text
        if step.last:
            break
    return Prepared(text, None, command, tuple(taken), pending)


def stage_for(text: str, context: PromptContext) -> str | None:
    """The id of the stage that would take a text as it is typed; None for one that calls nothing. Nothing runs."""
    return next((stage.id for stage in STAGES if stage.match(text, context) is not None), None)


def calls_extension(text: str, context: PromptContext) -> bool:
    """Whether a text calls a command of an extension, which runs at once and cannot be queued (S-3)."""
    return stage_for(text, context) == STAGES[0].id


async def include_pending(prepared: Prepared, context: PromptContext) -> Prepared:
    """Puts in what the command includes, where that is still to be done. UsageError: it may not be, or fails."""
    pending, text = prepared.pending, prepared.text
    if pending is None or text is None or context.include is None:
        return prepared
    filled = await context.include(pending)
    return prepared._replace(text=filled + text.removeprefix(pending.text), pending=None)


def _expanded(expansion: Expansion, context: PromptContext) -> Work | None:
    """What was put in is never looked at again, so no stage follows an expansion."""
    if expansion.command is None:
        return None

    async def work() -> Step:
        context.check(expansion.command)
        if not expansion.includes:
            return Step(expansion.text, last=True, command=expansion.command)
        if context.include is None:
            return Step(expansion.text, last=True, command=expansion.command, pending=expansion)
        try:
            return Step(await context.include(expansion), last=True, command=expansion.command)
        except UsageError as error:
            path = expansion.command.path if expansion.command else ""
            _report(Finding(path).make("command-failed", None, str(error), hint=error.hint), error, context)
            return Step(None)

    return work


def _given_to_handlers(context: PromptContext) -> CommandContext:
    environment = context.registry.environment
    return CommandContext(environment.cwd, environment.home, context.registry, context.say)


def _report_failure(outcome: Outcome, name: str, path: str, context: PromptContext) -> None:
    """S-5: to the channel, or to the log."""
    if outcome.error is None:
        return
    _report(failure(path, f"`/{name}`", outcome.error, "command-failed"), outcome.error, context)


def _report(diagnostic: Diagnostic, error: BaseException, context: PromptContext) -> None:
    if context.on_error is not None:
        context.on_error(CommandFailure(diagnostic, error))
        return
    import logging  # noqa: PLC0415 - only where nobody listens

    place = f":{diagnostic.position.line}" if diagnostic.position else ""
    logging.getLogger("xcsh.extensions").error("%s", visible(f"{diagnostic.path}{place}: {diagnostic.message}"))
