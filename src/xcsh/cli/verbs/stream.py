"""`xcsh stream`: a text through the stream guard. Which rules fire, and where; what kept the others quiet."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from xcsh.cli.output import discover_for, print_json, print_lines, say, say_finding
from xcsh.cli.stream_report import Fired, findings_on, is_refused, lines_of, quiet_rules, shape_of
from xcsh.errors import RuleNotFoundError, UsageError
from xcsh.model.rule import Bucket

if TYPE_CHECKING:
    from xcsh.guard.call_text import CallText
    from xcsh.guard.stream_guard import StreamGuard
    from xcsh.model.registry import Registry
    from xcsh.model.rule import Entry

_SOURCES = ("text", "thinking", "tool")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.epilog = "exit code: 0 whether a rule fires or not; 1 for an unknown rule"
    parser.add_argument("--rule", metavar="NAME", help="only this rule")
    parser.add_argument(
        "--source", choices=_SOURCES, default="text", help="the stream that the text is (default: text)"
    )
    parser.add_argument("--tool", metavar="NAME", help="with --source tool: the tool that is called (default: edit)")
    parser.add_argument("--path", metavar="P", help="with --source tool: the file that the call is about")
    parser.add_argument("--raw", action="store_true", help="with --source tool: the text is the call's argument JSON")
    parser.add_argument("--chunk", metavar="N", type=int, default=4, help="characters of one piece (default: 4)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("file", nargs="?", metavar="FILE", help="the text (default: standard input)")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for an unknown rule; firing or not, 0."""
    _check(args)
    registry = discover_for(args)
    chosen = _chosen(registry, args.rule)
    text = _read(args)

    from xcsh.guard.call_text import read_call
    from xcsh.guard.policy import policy_of
    from xcsh.guard.stream_guard import StreamGuard

    watched = [entry.rule for entry in chosen if entry.bucket == Bucket.TTSR]
    guard = StreamGuard(watched, cwd=registry.environment.cwd, policy=policy_of(registry.settings))
    call = read_call(text, args.tool or "edit") if args.raw else None
    if args.source == "tool":
        _note_doubts(args, guard, call)
    fired = _feed(guard, text, args, call)
    quiet = quiet_rules(registry, guard, chosen, fired, args, call)
    found = findings_on(registry, guard, chosen)
    if args.json:
        print_json(shape_of(fired, quiet, found))
        return 0
    if fired or quiet:
        print_lines(lines_of(fired, quiet))
    else:
        from xcsh.cli.folders_above import hint_above

        above = hint_above(args, registry, lambda entry: entry.bucket == Bucket.TTSR, "stream")
        say("no stream rules are active here", above)
    sys.stdout.flush()
    for item in found:
        say_finding(item)
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.chunk < 1:
        raise UsageError(f"a piece of {args.chunk} characters is none", "give --chunk a number from 1 on")
    if args.source != "tool" and (args.tool or args.path or args.raw):
        raise UsageError("--tool, --path and --raw are about a tool call", "add: --source tool")


def _chosen(registry: Registry, name: str | None) -> list[Entry]:
    """The active rules with a condition, those among them that are not watched too; or all of one name."""
    if name is None:
        return [entry for entry in registry.active if entry.bucket == Bucket.TTSR or is_refused(entry)]
    found = [entry for entry in registry.active if entry.rule.name == name]
    if not found:
        streaming = sorted(entry.rule.name for entry in registry.active if entry.bucket == Bucket.TTSR)
        raise RuleNotFoundError(name, streaming)
    return found


def _read(args: argparse.Namespace) -> str:
    """The input: UTF-8, line ends as they are; a byte that is no text counts as one character."""
    if args.file is None or args.file == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it was closed before the start
            raise UsageError("there is no standard input to read", "pipe a text in, or name a file")
        if sys.stdin.isatty():
            print("xcsh: type the text; Ctrl-D on a line of its own ends it", file=sys.stderr)
        try:
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        except OSError as error:
            from xcsh.cli.failures import unreadable_input

            raise unreadable_input(error) from None
    path = os.path.join(str(args.cwd), str(args.file))
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{args.file}: {error.strerror or error}", "give a file that can be read") from None


def _note_doubts(args: argparse.Namespace, guard: StreamGuard, call: CallText | None) -> None:
    """Says what of the call is perhaps not as meant; it is watched all the same."""
    from xcsh.guard.tools import is_known, nearest_tools
    from xcsh.nearest import did_you_mean

    named = {scope.tool.lower() for rule in guard.rules.values() for scope in rule.scopes}
    if args.tool and not is_known(args.tool) and args.tool.lower() not in named:
        meant = did_you_mean(nearest_tools(args.tool))
        say(f"no tool is known as {args.tool!r}", f"{meant} only scopes without a tool's name watch it".lstrip())
    if call is None:
        return
    if not call.is_object:
        say("the input is no JSON object of a call's arguments", "for the text alone leave --raw away")
    if args.path and call.paths and args.path not in call.paths:
        say(f"the arguments name {', '.join(call.paths)}", f"--path {args.path} is left aside")


def _feed(guard: StreamGuard, text: str, args: argparse.Namespace, call: CallText | None) -> list[Fired]:
    tool = (args.tool or "edit") if args.source == "tool" else ""
    fired: list[Fired] = []
    if args.path and not (call is not None and call.paths):
        fired += [Fired(match, 0) for match in guard.locate(args.path, tool=tool)]
    delta = 0
    for delta, start in enumerate(range(0, len(text), args.chunk)):
        chunk = text[start : start + args.chunk]
        if args.source == "tool" and not args.raw:
            matches = guard.introduce(chunk, tool=tool)
        else:
            matches = guard.feed(args.source, chunk, tool=tool)
        fired += [Fired(match, delta) for match in matches]
    return fired + [Fired(match, delta) for match in guard.finish()]
