"""`xcsh stream`: a text through the stream guard. Which rules fire, and where; what kept the others quiet."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from xcsh.cli.output import discover_for, print_json, print_lines
from xcsh.errors import RuleNotFoundError, UsageError
from xcsh.model.rule import Bucket
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    from xcsh.guard.quiet import Gate
    from xcsh.guard.stream_guard import Match, StreamGuard
    from xcsh.model.registry import Registry
    from xcsh.model.rule import Entry

_SOURCES = ("text", "thinking", "tool")


class _Fired(NamedTuple):
    match: Match
    delta: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("--rule", metavar="NAME", help="only this rule")
    parser.add_argument(
        "--source", choices=_SOURCES, default="text", help="the stream that the text is (default: text)"
    )
    parser.add_argument("--tool", metavar="NAME", help="with --source tool: the tool that is called (default: edit)")
    parser.add_argument("--path", metavar="P", help="with --source tool: the file that the call is about")
    parser.add_argument("--raw", action="store_true", help="with --source tool: the text is the call's argument JSON")
    parser.add_argument("--chunk", metavar="N", type=int, default=4, help="characters of one delta (default: 4)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("file", nargs="?", metavar="FILE", help="the text (default: standard input)")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for an unknown rule; firing or not, 0."""
    _check(args)
    registry = discover_for(args)
    chosen = _chosen(registry, args.rule)
    text = _read(args)

    from xcsh.guard.policy import policy_of
    from xcsh.guard.stream_guard import StreamGuard

    watched = [entry.rule for entry in chosen if entry.bucket == Bucket.TTSR]
    guard = StreamGuard(watched, cwd=registry.environment.cwd, policy=policy_of(registry.settings))
    fired = _feed(guard, text, args)
    quiet = _quiet(guard, chosen, {item.match.rule for item in fired}, args)
    if args.json:
        print_json(_shape(guard, fired, quiet))
    else:
        _print(guard, fired, quiet)
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.chunk < 1:
        raise UsageError(f"a delta of {args.chunk} characters is none", "give --chunk a number from 1 on")
    if args.source != "tool" and (args.tool or args.path or args.raw):
        raise UsageError("--tool, --path and --raw are about a tool call", "add: --source tool")


def _chosen(registry: Registry, name: str | None) -> list[Entry]:
    if name is None:
        return [entry for entry in registry.active if entry.bucket == Bucket.TTSR]
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
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    path = os.path.join(str(args.cwd), str(args.file))
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{args.file}: {error.strerror or error}", "give a file that can be read") from None


def _feed(guard: StreamGuard, text: str, args: argparse.Namespace) -> list[_Fired]:
    tool = (args.tool or "edit") if args.source == "tool" else ""
    fired: list[_Fired] = []
    if args.path:
        fired += [_Fired(match, 0) for match in guard.locate(args.path, tool=tool)]
    delta = 0
    for delta, start in enumerate(range(0, len(text), args.chunk)):
        chunk = text[start : start + args.chunk]
        if args.source == "tool" and not args.raw:
            matches = guard.introduce(chunk, tool=tool)
        else:
            matches = guard.feed(args.source, chunk, tool=tool)
        fired += [_Fired(match, delta) for match in matches]
    return fired + [_Fired(match, delta) for match in guard.finish()]


def _quiet(
    guard: StreamGuard, chosen: list[Entry], fired: set[str], args: argparse.Namespace
) -> list[tuple[str, Gate]]:
    from xcsh.guard.quiet import Gate, gate_of

    quiet: list[tuple[str, Gate]] = []
    tool = args.tool or "edit"
    for entry in chosen:
        name = entry.rule.name
        if name in fired:
            continue
        rule = guard.rules.get(name)
        if entry.bucket != Bucket.TTSR:
            gate = Gate("bucket", f"is no active stream rule but {entry.bucket}: {entry.reason}")
        elif rule is None:
            gate = Gate("condition", "has no condition that can be watched")
        else:
            gate = gate_of(rule, args.source, tool, args.path or "", cwd=args.cwd, raw=args.raw)
        quiet.append((name, gate))
    return quiet


def _shape(guard: StreamGuard, fired: list[_Fired], quiet: list[tuple[str, Gate]]) -> dict[str, object]:
    from xcsh.surfaces.shapes import diagnostic_shape

    matches = [
        {
            "rule": match.rule,
            "condition": match.condition,
            "start": match.start,
            "end": match.end,
            "delta": delta,
            "source": match.source,
        }
        for match, delta in fired
    ]
    return {
        "matches": matches,
        "quiet": [{"rule": name, "gate": gate.gate, "detail": gate.detail} for name, gate in quiet],
        "diagnostics": [diagnostic_shape(item) for item in guard.diagnostics],
    }


def _print(guard: StreamGuard, fired: list[_Fired], quiet: list[tuple[str, Gate]]) -> None:
    lines = [
        f"{match.rule}: fires at {match.start} to {match.end}, in delta {delta}: {match.condition}"
        for match, delta in fired
    ]
    lines += [f"{name}: quiet, stopped by {gate.gate}: {gate.detail}" for name, gate in quiet]
    if lines:
        print_lines([visible(line) for line in lines])
    else:
        print("no stream rules are active here", file=sys.stderr)
    sys.stdout.flush()
    for item in guard.diagnostics:
        print(visible(f"{item.severity}[{item.code}] {item.path}: {item.message}"), file=sys.stderr)
