"""Makes the entries of a registry: first wins by name, losers stay visible (R-2, R-31), winners get a bucket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcsh.model.diagnostic import Report
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Level
from xcsh.parsing.finding import Finding
from xcsh.registry.buckets import bucket_of
from xcsh.registry.precedence import rank


def resolve(
    rules: Iterable[Rule], positions: Mapping[str, int], settings: Settings, report: Report
) -> tuple[Entry, ...]:
    """The rules in registry order, each active in exactly one bucket or shadowed by a named winner."""
    attach = {level: settings.get("rules.attach", level) == "auto" for level in (Level.USER, Level.PROJECT)}
    attach[Level.NATIVE] = attach[Level.USER]
    ttsr = settings.get("ttsr.enabled") is True
    winners: dict[str, Rule] = {}
    entries: list[Entry] = []
    for rule in sorted(rules, key=lambda rule: rank(rule, positions)):
        winner = winners.get(rule.name)
        if winner is not None:
            entries.append(Entry(rule, None, f"shadowed by {winner.origin.title}", winner))
            _report_shadowing(winner, rule, report)
            continue
        winners[rule.name] = rule
        bucket, reason = bucket_of(rule, attach=attach[rule.origin.level], ttsr=ttsr)
        if bucket == Bucket.INACTIVE:
            finding = Finding(rule.origin.path, rule.origin.provider)
            report(finding.make("inactive-rule", None, f"the rule {rule.name!r} reaches no surface: {reason}"))
        entries.append(Entry(rule, bucket, reason))
    return tuple(entries)


def _report_shadowing(winner: Rule, loser: Rule, report: Report) -> None:
    if winner.origin.level == Level.PROJECT and loser.origin.level == Level.USER:
        finding = Finding(winner.origin.path, winner.origin.provider)
        message = f"this rule shadows your own {loser.name!r}"
        report(finding.make("shadows-user-rule", None, message, related=(loser.origin.path,)))
