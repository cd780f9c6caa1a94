"""Makes the entries of a registry: first wins by name, losers stay visible (R-2, R-31, C-3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcsh.model.command import CommandEntry, Kind, SlashCommand
from xcsh.model.diagnostic import Report
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Level, Origin
from xcsh.parsing.finding import Finding
from xcsh.registry.buckets import bucket_of
from xcsh.registry.precedence import by_precedence
from xcsh.slash.builtins import BUILTIN_COMMANDS


def resolve_rules(
    rules: Iterable[Rule], positions: Mapping[str, int], settings: Settings, report: Report
) -> tuple[Entry, ...]:
    """The rules in registry order, each active in exactly one bucket or shadowed by a named winner."""
    attach = {level: settings.get("rules.attach", level) == "auto" for level in Level.ALL}
    ttsr = settings.get("ttsr.enabled") is True
    entries: list[Entry] = []
    for rule, winner in by_precedence(rules, positions):
        if winner is not None:
            entries.append(Entry(rule, None, f"shadowed by {winner.origin.title}", winner))
            _report_shadowing(winner.origin, rule.origin, f"your own rule {rule.name!r}", report)
            continue
        bucket, reason = bucket_of(rule, attach=attach[rule.origin.level], ttsr=ttsr)
        if bucket == Bucket.INACTIVE:
            finding = Finding(rule.origin.path, rule.origin.provider)
            report(finding.make("inactive-rule", None, f"the rule {rule.name!r} reaches no surface: {reason}"))
        entries.append(Entry(rule, bucket, reason))
    return tuple(entries)


def resolve_commands(
    commands: Iterable[SlashCommand], positions: Mapping[str, int], report: Report
) -> tuple[CommandEntry, ...]:
    """The commands in registry order, each active or shadowed by a named winner."""
    entries: list[CommandEntry] = []
    for command, winner in by_precedence(commands, positions):
        if winner is None:
            entries.append(CommandEntry(command, "the first of this name"))
            if command.kind == Kind.COMMAND and command.name in BUILTIN_COMMANDS:
                _report_builtin(command, report)
            continue
        entries.append(CommandEntry(command, f"shadowed by {winner.origin.title}", winner))
        _report_shadowing(winner.origin, command.origin, f"your own {command.kind} {command.name!r}", report)
    _report_taken_names(entries, report)
    return tuple(entries)


def _report_taken_names(entries: Iterable[CommandEntry], report: Report) -> None:
    """A name that says whose a command is belongs to that one (C-8)."""
    found = list(entries)
    owners = {alias: entry.command for entry in found for alias in entry.command.aliases}
    for entry in found:
        if entry.command.name in BUILTIN_COMMANDS and entry.shadowed_by is None:
            owners.setdefault(f"{entry.command.origin.level}:{entry.command.name}", entry.command)
    for entry in found:
        owner = owners.get(entry.command.name)
        if owner is not None and owner is not entry.command:
            message = f"`/{entry.command.name}` always means the command in {owner.path}"
            finding = Finding(entry.command.path, entry.command.origin.provider)
            report(finding.make("unreachable-command", None, message, related=(owner.path,)))


def _report_builtin(command: SlashCommand, report: Report) -> None:
    message = (
        f"`/{command.name}` is a built-in of the interactive mode; this one is /{command.origin.level}:{command.name}"
    )
    report(Finding(command.path, command.origin.provider).make("shadowed-by-builtin", None, message))


def _report_shadowing(winner: Origin, loser: Origin, what: str, report: Report) -> None:
    if winner.level == Level.PROJECT and loser.level == Level.USER:
        finding = Finding(winner.path, winner.provider)
        report(finding.make("shadows-user-rule", None, f"this file shadows {what}", related=(loser.path,)))
