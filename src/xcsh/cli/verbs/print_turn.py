"""`xcsh -p TEXT`: one turn of the agent. The answer goes to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, TextIO

from xcsh.cli.output import discover_for, say_finding
from xcsh.cli.turn_printer import one_line
from xcsh.errors import FailedTurnError, MissingExtraError, UsageError
from xcsh.model.diagnostic import Severity

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from pydantic_ai.models import Model

    from xcsh.api import Registry
    from xcsh.cli.calls import Call
    from xcsh.cli.kept_session import Past
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.agent_session import AgentSession

_PATIENCE = 3.0
"""Seconds after which it is said that standard input is waited for, when there is something to ask anyway."""

_PACKAGES = ("pydantic_ai", "pydantic_ai_harness", "openai")


def run(args: argparse.Namespace) -> int:
    """Answers `args.text`; 0 for an answer, 1 for a turn that failed where the output says so itself.

    UsageError: nothing is asked, no model, a bad model name, a bad recording, a bad `--allow`, no such session.
    MissingExtraError: the packages of xcsh[agent] are not there. FailedTurnError: no answer. KeyboardInterrupt: the
    connection is closed.
    """
    from xcsh.agent.consent import grants
    from xcsh.cli.kept_session import past_of
    from xcsh.extensions.output import owned_output

    gc.enable()  # unlike a light verb, a turn lives long enough to need it
    allow = grants(args.allow)
    past = past_of(args)
    cwd = past.cwd if past is not None and args.folder == "." else args.cwd
    registry = discover_for(args, cwd)
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # the framework would introduce itself on a first run
    with owned_output() as out:
        return asyncio.run(_answer(args, registry, past, allow, out))


async def _answer(
    args: argparse.Namespace, registry: Registry, past: Past | None, allow: frozenset[str], out: TextIO
) -> int:
    """A command that deals with the text itself needs no model; everything else is sent."""
    from xcsh.cli.calls import prepare_call
    from xcsh.llm.choose import choose_model

    call = await prepare_call(args.text or "", registry, out)
    if call is None:
        return 0
    _require_packages()
    prompt = _prompt(call.prepared.text).encode("utf-8", "backslashreplace").decode("utf-8")  # arguments may be no text
    setting = (past.model if past is not None else "") or str(registry.settings.get("model") or "")
    choice = choose_model(args.model, os.environ, setting)
    prepared = call.prepared._replace(text=prompt)
    return await _turn(args, choice, call._replace(prepared=prepared), past, allow, out)


async def _turn(
    args: argparse.Namespace, choice: ModelChoice, call: Call, past: Past | None, allow: frozenset[str], out: TextIO
) -> int:
    from pydantic_ai.usage import UsageLimits

    from xcsh.agent.asking import Consent
    from xcsh.agent.consent import permissions_of, told_to_the_user
    from xcsh.cli.kept_session import keep
    from xcsh.cli.turn_output import output_for
    from xcsh.llm.choose import ModelChoice
    from xcsh.llm.opening import open_model
    from xcsh.session.command_turn import grants_of
    from xcsh.session.creating import create_agent_session

    registry = call.context.registry
    cwd = registry.environment.cwd
    command = call.prepared.command
    granted = grants_of(command, registry.environment) if command is not None else None
    permissions = permissions_of(registry, allow, report=say_finding)
    output = output_for(args.output, out, sys.stderr)

    def named(name: str) -> AbstractAsyncContextManager[Model]:
        return open_model(ModelChoice(name, f"/{command.name}" if command is not None else ""), cwd)

    with permissions.lend(granted.patterns if granted is not None else (), "the command"):
        async with open_model(choice, cwd) as model, AsyncExitStack() as stack:
            session = await create_agent_session(
                model,
                consent=lambda _: Consent(permissions, tell=_say_refused),
                kept=keep(args, past, cwd, choice.name),
                limits=UsageLimits(request_limit=args.max_turns),
                open_model=named,
                context=call.context,
            )
            await stack.enter_async_context(session)
            for line in (_diagnostics_line(registry), _model_line(choice), told_to_the_user(permissions)):
                if line:
                    print(line, file=sys.stderr)
            session.subscribe(output)
            try:
                await _send(session, call, args)
            finally:
                output.close()
            return output.finish(session.id if not args.no_session else None, choice.name)


async def _send(session: AgentSession, call: Call, args: argparse.Namespace) -> None:
    """Waits for the answer, and for those to what waited from earlier; `--timeout` ends the turn."""
    try:
        async with asyncio.timeout(args.timeout):
            await session.send(call.prepared, call.typed)
            await session.wait_idle()
    except TimeoutError:
        await session.abort()
        hint = "give it longer: --timeout SECONDS   or go on: xcsh -p --continue"
        raise FailedTurnError(f"no answer within {args.timeout:g} seconds", hint) from None


def _prompt(text: str | None) -> str:
    """What is asked, and what was piped in as its context."""
    asked = text or ""
    piped = _piped(waiting=not asked.strip()).strip()
    if not asked.strip() and not piped:
        raise UsageError("nothing is asked", 'xcsh -p "…"   or pipe it in: … | xcsh -p')
    if not asked.strip() or not piped:
        return piped or asked
    return f"{asked}\n\n<stdin>\n{piped}\n</stdin>"


def _piped(*, waiting: bool) -> str:
    """Standard input to its end, where it is no terminal. A wait is said: an inherited pipe may never end."""
    source = sys.stdin
    if source is None or source.closed or source.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None under pythonw
        return ""
    buffer = getattr(source, "buffer", None)
    if buffer is None:
        return source.read()
    if not waiting and not _readable(source):
        print("waiting for the end of standard input (to go on without it: </dev/null)", file=sys.stderr)
    return buffer.read().decode("utf-8", errors="replace")


def _readable(source: TextIO) -> bool:
    import select

    try:
        return bool(select.select([source], [], [], _PATIENCE)[0])
    except (OSError, ValueError):
        return True  # nothing that can be waited for: a file, or Windows


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


def _say_refused(line: str) -> None:
    """What was not done for want of consent: said even where nothing shows the calls."""
    print(one_line(line), file=sys.stderr, flush=True)
