"""Reports always-apply rules whose total is above the budget, the largest by name (R-56)."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.diagnostic import Report
from xcsh.model.rule import Bucket, Entry
from xcsh.parsing.finding import Finding
from xcsh.parsing.tokens import estimate_tokens

_NAMED = 3


def report_budget(entries: Iterable[Entry], budget: int, report: Report) -> None:
    """One diagnostic, on the largest rule's file, where the total is above `budget` tokens."""
    always = [
        (estimate_tokens(entry.rule.content), entry.rule) for entry in entries if entry.bucket == Bucket.ALWAYS_APPLY
    ]
    total = sum(tokens for tokens, _ in always)
    if total <= budget:
        return
    largest = sorted(always, key=lambda pair: -pair[0])[:_NAMED]
    named = ", ".join(f"{rule.name} (~{tokens:,})" for tokens, rule in largest)
    message = (
        f"the always-apply rules take about {total:,} tokens of every request, above {budget:,}; the largest: {named}"
    )
    rule = largest[0][1]
    finding = Finding(rule.origin.path, rule.origin.provider)
    report(finding.make("prompt-budget", None, message, related=tuple(rule.origin.path for _, rule in largest)))
