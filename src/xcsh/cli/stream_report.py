"""What `xcsh stream` says of each rule: where it fired, or what kept it quiet, a broken condition included."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcsh.model.codes import CODES
from xcsh.model.diagnostic import Diagnostic, ignore
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.parsing.patterns import is_glob_shorthand
from xcsh.surfaces.layout import shown_path, visible
from xcsh.surfaces.shapes import Shape, diagnostic_shape

if TYPE_CHECKING:
    from xcsh.guard.call_text import CallText
    from xcsh.guard.quiet import Gate
    from xcsh.guard.stream_guard import Match, StreamGuard
    from xcsh.guard.watched import WatchedRule


class Fired(NamedTuple):
    """A match, and the piece of the stream that completed it, counted from 0."""

    match: Match
    delta: int


class Quiet(NamedTuple):
    """A rule that did not fire, and why; where another stream is watched, `options` are those that give it."""

    rule: str
    gate: Gate
    options: str = ""


def is_refused(entry: Entry) -> bool:
    """Whether a rule has a condition, and is no stream rule all the same: switched off, or not accepted (T-1, T-13)."""
    return entry.bucket != Bucket.TTSR and bool(entry.rule.condition)


def quiet_rules(
    registry: Registry,
    guard: StreamGuard,
    chosen: Iterable[Entry],
    fired: Iterable[Fired],
    args: argparse.Namespace,
    call: CallText | None,
) -> list[Quiet]:
    """What kept each of the chosen rules quiet that did not fire."""
    from xcsh.guard.quiet import Gate, gate_of

    done = {item.match.rule for item in fired}
    path = "" if call is not None and call.paths else args.path or ""
    quiet: list[Quiet] = []
    for entry in chosen:
        name = entry.rule.name
        if name in done:
            continue
        rule, options = guard.rules.get(name), ""
        if entry.rule.trigger is None and is_refused(entry):
            gate = Gate("condition", _why_refused(registry, entry))
        elif is_refused(entry):
            gate = Gate("bucket", f"stream rules are switched off{_where_switched_off(registry)}")
        elif entry.bucket != Bucket.TTSR:
            gate = Gate("bucket", f"is no stream rule but {entry.bucket}: {entry.reason}")
        elif rule is None:
            why = "; ".join(item.message for item in guard.diagnostics if item.path == entry.rule.path)
            gate = Gate("condition", why or "has no condition that can be watched")
        else:
            gate = gate_of(rule, args.source, args.tool or "edit", path, cwd=args.cwd, call=call)
            options = _options(rule) if gate.gate == "scope" else ""
        quiet.append(Quiet(name, gate, options))
    return quiet


def _options(rule: WatchedRule) -> str:
    """The options with which the first stream that a rule watches is looked at."""
    scope = next((each for each in rule.scopes if each.stream == "tool" or not rule.globs), None)
    if scope is None:
        return ""
    from shlex import quote

    words = ["--source", scope.stream]
    words += ["--tool", quote(scope.tool)] if scope.tool else []
    words += ["--path", "FILE"] if scope.glob or rule.globs else []
    return " ".join([*words, *(["--raw"] if scope.raw else [])])


def findings_on(registry: Registry, guard: StreamGuard, chosen: Sequence[Entry]) -> list[Diagnostic]:
    """What is wrong with the conditions and scopes of the chosen rules, each at its place in the file."""
    paths = {entry.rule.path for entry in chosen}
    said = [item for item in registry.diagnostics if item.path in paths and CODES[item.code].gate == "condition"]
    if not guard.diagnostics:
        return said
    from xcsh.guard.registry_findings import placed
    from xcsh.sources.excerpt import lines_of as lines_of_file

    return said + placed(guard.diagnostics, (entry.rule for entry in chosen), lines_of_file)


def shape_of(fired: Iterable[Fired], quiet: Iterable[Quiet], found: Iterable[Diagnostic]) -> Shape:
    """`xcsh stream --json`."""
    matches = [
        {
            "rule": match.rule,
            "condition": match.condition,
            "start": match.start,
            "end": match.end,
            "delta": delta,
            "source": match.source,
            "text": match.text,
            "interrupts": match.interrupts,
        }
        for match, delta in fired
    ]
    return {
        "matches": matches,
        "quiet": [{"rule": name, "gate": gate.gate, "detail": gate.detail} for name, gate, _ in quiet],
        "diagnostics": [diagnostic_shape(item) for item in found],
    }


def lines_of(fired: Iterable[Fired], quiet: Iterable[Quiet]) -> list[str]:
    """A line for each rule."""
    lines = [_fired_line(*item) for item in fired]
    lines += [_quiet_line(*item) for item in quiet]
    return [visible(line) for line in lines]


def _quiet_line(name: str, gate: Gate, options: str) -> str:
    return f"{name}: quiet, stopped by {gate.gate}: {gate.detail}{f'; to try it: {options}' if options else ''}"


def _fired_line(match: Match, delta: int) -> str:
    effect = "stops the answer" if match.interrupts else "only reminds"
    shown = f" on `{match.text}`" if match.text else ""
    where = f"at {match.start} to {match.end}{shown}"
    if is_glob_shorthand(match.condition):
        where = f"for the file {match.path}"
    return f"{match.rule}: fires {where}, in piece {delta}, and {effect}: condition `{match.condition}`"


def _why_refused(registry: Registry, entry: Entry) -> str:
    reasons = [
        item.message
        for item in registry.diagnostics
        if item.path == entry.rule.path and CODES[item.code].gate == "condition"
    ]
    return "; ".join(reasons) or entry.reason


def _where_switched_off(registry: Registry) -> str:
    """` (settings.toml:3)`: the place that says so."""
    from xcsh.sources.settings.origin import accounts

    environment = registry.environment
    reference = registry.settings.get("reference") is True
    found = accounts(environment, ignore, reference=reference)
    account = next(account for account in found if account.setting.key == "ttsr.enabled")
    for said in account.deciding():
        if said.position is None:
            return f" ({said.where})"
        return f" ({shown_path(said.where, environment)}:{said.position.line})"
    return ""
