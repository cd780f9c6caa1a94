"""Brings what is odd about stream rules into a registry's diagnostics, for the verbs that show findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.document import FieldValue
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry, Rule


def with_stream_findings(registry: Registry) -> Registry:
    """The registry with the findings on its active stream rules, and with those marked that can never fire; without
    such rules the registry as it is.
    """
    if not any(entry.bucket == Bucket.TTSR for entry in registry.active):
        return registry
    from xcsh.guard.inspection import inspect_stream_rule

    interrupts = str(registry.settings.get("ttsr.interrupt_mode"))
    found: list[Diagnostic] = []
    entries: list[Entry] = []
    for entry in registry.all:
        idle = ""
        if entry.bucket == Bucket.TTSR:
            findings, idle = inspect_stream_rule(entry.rule, fields=_fields_of(entry.rule), interrupts=interrupts)
            found += findings
        entries.append(entry._replace(idle=idle) if idle else entry)
    return registry._replace(
        rules=registry.rules._replace(all=tuple(entries)),
        diagnostics=tuple(sorted((*registry.diagnostics, *found), key=Diagnostic.sort_key)),
    )


def with_places(found: Iterable[Diagnostic], rules: Iterable[Rule]) -> list[Diagnostic]:
    """Findings of the guard on `rules`, which knows no lines, at the places where their keys stand."""
    given = list(found)
    if not given:
        return []
    from xcsh.guard.inspection import inspect_stream_rule

    paths = {item.path for item in given}
    placed = {
        (item.code, item.path, item.message): item
        for rule in rules
        if rule.path in paths
        for item in inspect_stream_rule(rule, fields=_fields_of(rule)).findings
    }
    return [placed.get((item.code, item.path, item.message), item) for item in given]


def _fields_of(rule: Rule) -> Mapping[str, FieldValue]:
    """Reads the file again: a rule does not keep where its keys stand."""
    from xcsh.model.source import SourceText
    from xcsh.normalize.document import read_document
    from xcsh.parsing.finding import Finding
    from xcsh.parsing.keys import canonical
    from xcsh.sources.excerpt import lines_of

    text = "\n".join(lines_of(rule.path))
    source = SourceText(rule.name, text, rule.origin, rule.rank)
    document = read_document(source, _ignore, Finding(rule.path), repair=True)
    return {canonical(key): field for key, field in document.fields.items()}


def _ignore(_: Diagnostic) -> None:
    """Discovery has reported how the file was read."""
