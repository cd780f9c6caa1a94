"""`xcsh -p TEXT`: one turn of the agent. The answer goes to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from xcsh.cli.output import discover_for, say_finding
from xcsh.errors import FailedTurnError, MissingExtraError, UsageError
from xcsh.model.diagnostic import Severity
from xcsh.surfaces.layout import plural

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from pydantic_ai.models import Model

    from xcsh.agent.consent.permissions import Permissions
    from xcsh.api import Registry
    from xcsh.cli.calls import Call
    from xcsh.cli.kept_session import Past
    from xcsh.cli.turn_output import Output
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.agent_session import AgentSession
    from xcsh.session.events import SessionEvent
    from xcsh.session.keeping import Kept

_PACKAGES = ("pydantic_ai", "pydantic_ai_harness", "openai")
_LIMIT = "request_limit"
"""The framework's word for `--max-turns`."""


def run(args: argparse.Namespace) -> int:
    """Answers `args.text`; 0 for an answer, 130 where the turn was interrupted, by Ctrl-C or SIGTERM.

    UsageError: nothing is asked, no model, a bad model name, a bad recording, a bad `--allow`, no such session.
    MissingExtraError: the packages of xcsh[agent] are not there. FailedTurnError: no answer. OSError: standard output
    cannot be written. Whatever it is, the output has said it in its format before.
    """
    import sys

    from xcsh.cli.turn_ending import ended_by_sigterm
    from xcsh.cli.turn_output import output_for
    from xcsh.extensions.output import owned_output

    gc.enable()  # unlike a light verb, a turn lives long enough to need it
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # the framework would introduce itself on a first run
    with ended_by_sigterm(), owned_output() as out:
        output = output_for(args.output, out, sys.stderr)
        try:
            handled = _run(args, output)
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is none of the turn's outcomes
            return output.end(error)
        return output.end(handled=handled)


def _run(args: argparse.Namespace, output: Output) -> bool:
    """Whether a command has dealt with the text itself."""
    from xcsh.agent.consent.settings import grants
    from xcsh.cli.folders_above import rules_above
    from xcsh.cli.kept_session import folder_of, past_of, tell_damage

    allow = grants(args.allow)
    past = past_of(args)
    registry = discover_for(args, folder_of(args, past))
    if past is not None:
        tell_damage(past)
        output.note(past.line)
    output.note(rules_above(args, registry))
    return asyncio.run(_answer(args, registry, past, allow, output))


async def _answer(
    args: argparse.Namespace, registry: Registry, past: Past | None, allow: frozenset[str], output: Output
) -> bool:
    """A command that deals with the text itself needs no model; everything else is sent."""
    from xcsh.cli.calls import prepare_call
    from xcsh.cli.piped_input import whole_prompt
    from xcsh.cli.turn_ending import ended_by

    with ended_by(output):
        call = await prepare_call(args.text or "", registry, output.commands)
        if call is None:
            return True
        _require_packages()
        prompt = (await whole_prompt(call.prepared.text or "")).encode("utf-8", "backslashreplace").decode("utf-8")
        choice = _choice(args, call, past)
        await _turn(args, choice, call._replace(prepared=call.prepared._replace(text=prompt)), past, allow, output)
        return False


def _choice(args: argparse.Namespace, call: Call, past: Past | None) -> ModelChoice:
    """The session's model. Where there is none otherwise, the one that the command names is enough."""
    from xcsh.llm.choose import ModelChoice, choose_model
    from xcsh.session.command_turn import model_of

    earlier = past.stored.model if past is not None else ""
    setting = str(call.context.registry.settings.get("model") or "")
    try:
        choice = choose_model(args.model, os.environ, earlier or setting)
    except UsageError:
        command = call.prepared.command
        wanted = model_of(command)
        if command is None or wanted is None or ":" not in wanted:  # a short name of another tool opens nothing
            raise
        return ModelChoice(wanted, f"/{command.name}")
    if earlier and choice.decided_by == "the setting `model`":
        choice = choice._replace(decided_by="as the session had it")
    return choice


async def _turn(
    args: argparse.Namespace, choice: ModelChoice, call: Call, past: Past | None, allow: frozenset[str], output: Output
) -> None:
    from xcsh.agent.consent.settings import permissions_of
    from xcsh.cli.kept_session import discard, keep
    from xcsh.llm.opening import open_model

    registry = call.context.registry
    cwd = registry.environment.cwd
    permissions = permissions_of(registry, allow, report=say_finding)
    async with open_model(choice, cwd, output.note) as model, AsyncExitStack() as stack:
        kept = keep(args, past, cwd, choice.name)
        try:
            session = await _session(args, choice, model, call, kept, permissions, output)
        except BaseException:
            discard(kept)
            raise
        await stack.enter_async_context(session)
        output.model = choice.name
        if kept is not None:
            output.session = session.id
            output.going_on = f"go on: xcsh -p --resume {session.id} …"

        def tell(event: SessionEvent) -> None:
            output(_clearer(event, args.max_turns, output.going_on))

        session.subscribe(tell)
        await _send(session, call, args.timeout, output.going_on)


async def _session(
    args: argparse.Namespace,
    choice: ModelChoice,
    model: Model,
    call: Call,
    kept: Kept | None,
    permissions: Permissions,
    output: Output,
) -> AgentSession:
    """The session, with the tools that its settings, flags and command allow."""
    from pydantic_ai.usage import UsageLimits

    from xcsh.agent.consent.capability import Consent
    from xcsh.agent.consent.settings import told_to_the_user
    from xcsh.llm.choose import ModelChoice
    from xcsh.llm.opening import open_model
    from xcsh.session.command_turn import grants_of, may_grant
    from xcsh.session.creating import create_agent_session

    registry = call.context.registry
    command = call.prepared.command
    counts = command is not None and may_grant(command, permissions)
    granted = grants_of(command).patterns if command is not None and counts else ()

    def named(name: str) -> AbstractAsyncContextManager[Model]:
        decided_by = f"/{command.name}" if command is not None else ""
        return open_model(ModelChoice(name, decided_by), registry.environment.cwd, output.note)

    with permissions.lend(granted, "the command"):  # what is offered and told depends on it; the turn lends it again
        session = await create_agent_session(
            model,
            consent=lambda _: Consent(permissions, tell=output.note),
            kept=kept,
            limits=UsageLimits(request_limit=args.max_turns),
            open_model=None if args.model else named,  # a flag is explicit: it goes before what a file says
            context=call.context,
        )
        output.note(_diagnostics_line(registry))
        output.note(_model_line(choice))
        output.note(told_to_the_user(permissions))
    return session


async def _send(session: AgentSession, call: Call, seconds: float | None, going_on: str) -> None:
    """Waits for the answer, and for those to what waited from earlier. What ends that closes the connection."""
    from xcsh.cli.calls import prepared_in

    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            await session.send(await prepared_in(call, session.context), call.typed)
            await session.wait_idle()
    except TimeoutError:
        if not limit.expired():
            raise
        await session.abort()
        hint = f"give it longer: --timeout SECONDS   or {going_on}"
        raise FailedTurnError(f"no answer within {seconds:g} seconds", hint) from None


def _clearer(event: SessionEvent, max_turns: int | None, going_on: str) -> SessionEvent:
    """A turn that `--max-turns` has ended says so."""
    from xcsh.session.events import TurnFailed

    if max_turns is None or not isinstance(event, TurnFailed) or _LIMIT not in event.message:
        return event
    what = f"no answer within {plural(max_turns, 'request')} to the model (--max-turns)"
    return event._replace(message=what, hint=f"allow more of them   or {going_on}")


def _require_packages() -> None:
    from importlib import import_module

    for package in _PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"`xcsh -p` needs {error.name}, which is not installed") from None


def _diagnostics_line(registry: Registry) -> str:
    """How many errors and warnings there are; empty where there are none."""
    parts: list[str] = []
    for severity in (Severity.ERROR, Severity.WARNING):
        count = sum(diagnostic.severity == severity for diagnostic in registry.diagnostics)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return f"{' and '.join(parts)} in rule files: xcsh doctor" if parts else ""


def _model_line(choice: ModelChoice) -> str:
    """Which model answers, where nobody named one: it may cost money."""
    return f"model: {choice.name}, because {choice.decided_by}" if choice.detected else ""
