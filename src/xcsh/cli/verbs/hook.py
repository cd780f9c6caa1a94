"""`xcsh hook`: called by the hooks of other agents; an event comes in as JSON, the project's rules go out."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from xcsh.cli.installing import add_install_options, install, wants_install
from xcsh.cli.output import discover_for, say
from xcsh.errors import UsageError
from xcsh.hooks.hosts import HOSTS, Event
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    import argparse

_LIMIT = 32_000_000
"""Bytes of an event. No call of a tool writes more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.epilog = "exit code: 0 for every event, whatever failed: no failure of xcsh stops the agent"
    parser.add_argument(
        "--for", dest="host", choices=[host.id for host in HOSTS], help="the agent that calls (default: by the event)"
    )
    parser.add_argument(
        "--event", metavar="NAME", default="", help="the agent's name of the event, where it is not in it"
    )
    add_install_options(parser, [host.id for host in HOSTS])


def run(args: argparse.Namespace) -> int:
    """Answers one event on standard input. What goes wrong is said there and on standard error; the agent goes on."""
    if wants_install(args):
        from xcsh.installing.targets import HOOK_TARGETS

        return install(args, "hook", HOOK_TARGETS)
    try:
        said = _answer(args)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not hold up the agent
        from xcsh.cli.failures import failure_of

        failure = failure_of(error, sys.argv[1:])
        say(failure.message, failure.hint)
        said = json.dumps({"systemMessage": f"xcsh: {visible(failure.message)}"})
    if said:
        sys.stdout.write(f"{said}\n")
    return 0


def _answer(args: argparse.Namespace) -> str:
    """What the agent is to read; empty for nothing. UsageError for what is no event."""
    from xcsh.hooks.answering import answer
    from xcsh.hooks.memory import hooks_folder, prune, remembered
    from xcsh.hooks.payload import read_payload

    host = next((host for host in HOSTS if host.id == args.host), None)
    payload = read_payload(_input(), os.environ, host, args.event)
    if payload.kind is None:
        return payload.host.silence
    folder = hooks_folder(os.environ, args.home)
    if payload.kind == Event.START:
        prune(folder)
    registry = discover_for(args, _folder(payload.cwd, args.cwd), rules_only=True)
    with remembered(folder, f"{payload.host.id}-{payload.session}" if payload.session else "", _unable) as memory:
        verdict = answer(payload, registry, memory)
    if verdict.unseen:
        say(verdict.unseen, "make smaller calls")
    if not verdict.denial and not verdict.context:
        return payload.host.silence
    return json.dumps(payload.host.render(payload.name, verdict))


def _folder(named: str, own: str) -> str:
    """The folder that the event names, where it is one, else our own. UsageError: that is gone."""
    if own:
        named = os.path.join(own, named)
        return os.path.normpath(named) if os.path.isdir(named) else own
    if os.path.isabs(named) and os.path.isdir(named):
        return os.path.normpath(named)
    from xcsh.cli.located import folder_is_gone

    raise folder_is_gone()


def _unable(error: OSError) -> None:
    say(f"what was told cannot be remembered: {error}", "rules may be told again; make the folder writable")


def _input() -> str:
    if sys.stdin is None or sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None: closed at the start
        raise UsageError(
            "there is no event on standard input", "this verb is called by an agent: xcsh hook --install AGENT"
        )
    try:
        data = sys.stdin.buffer.read(_LIMIT + 1)
    except OSError as error:
        from xcsh.cli.failures import unreadable_input

        raise unreadable_input(error) from None
    if len(data) > _LIMIT:
        raise UsageError("the event is longer than any call of a tool", "this verb is called by an agent's hooks")
    return data.decode("utf-8", "replace")
