"""`xcsh hook`: called by the hooks of other agents; an event comes in as JSON, the project's rules go out."""

from __future__ import annotations

import argparse
import os
import sys

from xcsh.cli.installing import add_install_options, install
from xcsh.cli.output import discover_for, say
from xcsh.errors import UsageError
from xcsh.hooks.hosts import HOSTS, Event

_LIMIT = 32_000_000
"""Bytes of an event. No call of a tool writes more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.epilog = "exit code: 0, or 1 where something of xcsh failed; never 2, which would stop the agent"
    parser.add_argument(
        "--for", dest="host", choices=[host.id for host in HOSTS], help="the agent that calls (default: by the event)"
    )
    parser.add_argument(
        "--event", metavar="NAME", default="", help="the agent's name of the event, where it is not in it"
    )
    add_install_options(parser, [host.id for host in HOSTS])


def run(args: argparse.Namespace) -> int:
    """Answers one event on standard input. UsageError for what is no event."""
    if args.install:
        from xcsh.installing.targets import HOOK_TARGETS

        return install(args, "hook", HOOK_TARGETS)
    from xcsh.hooks.answering import answer
    from xcsh.hooks.memory import hooks_folder, prune, remembered
    from xcsh.hooks.payload import read_payload

    host = next((host for host in HOSTS if host.id == args.host), None)
    payload = read_payload(_input(), os.environ, host, args.event)
    if payload.kind is None:
        return _say(payload.host.silence)
    folder = hooks_folder(os.environ, args.home)
    if payload.kind == Event.START:
        prune(folder)
    cwd = payload.cwd if os.path.isdir(payload.cwd) else args.cwd
    registry = discover_for(args, os.path.abspath(cwd))
    with remembered(folder, f"{payload.host.id}-{payload.session}" if payload.session else "", _unable) as memory:
        verdict = answer(payload, registry, memory)
    if not verdict.denial and not verdict.context:
        return _say(payload.host.silence)
    import json

    return _say(json.dumps(payload.host.render(payload.name, verdict)))


def _unable(error: OSError) -> None:
    say(f"what was told cannot be remembered: {error}", "rules may be told again; make the folder writable")


def _input() -> str:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it was closed before the start
        raise UsageError("there is no standard input to read", "this verb is called by an agent's hooks")
    data = sys.stdin.buffer.read(_LIMIT + 1)
    if len(data) > _LIMIT:
        raise UsageError("the event is longer than any call of a tool", "this verb is called by an agent's hooks")
    return data.decode("utf-8", "replace")


def _say(text: str) -> int:
    if text:
        sys.stdout.write(f"{text}\n")
    return 0
