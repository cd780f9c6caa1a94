"""What is odd about stream rules, for the verbs that show findings; loads the guard only where there are such rules."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule


def with_stream_findings(registry: Registry) -> Registry:
    """The registry with the findings on its stream rules, and with those marked that can never fire. Reads files."""
    if not any(entry.bucket == Bucket.TTSR for entry in registry.active):
        return registry
    from xcsh.guard.registry_findings import with_findings
    from xcsh.sources.excerpt import lines_of

    return with_findings(registry, lines_of)


def with_places(found: Iterable[Diagnostic], rules: Iterable[Rule]) -> list[Diagnostic]:
    """Findings of the guard on `rules`, which knows no lines, at the places where their keys stand. Reads files."""
    given = list(found)
    if not given:
        return []
    from xcsh.guard.registry_findings import placed
    from xcsh.sources.excerpt import lines_of

    return placed(given, rules, lines_of)
