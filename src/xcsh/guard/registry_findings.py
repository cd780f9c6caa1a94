"""Brings what is odd about stream rules into a registry's diagnostics, at the places where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xcsh.guard.inspection import inspect_stream_rule
from xcsh.model.diagnostic import Diagnostic, ignore
from xcsh.model.document import FieldValue
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.model.source import SourceText
from xcsh.normalize.document import read_document
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import canonical

LinesOf = Callable[[str], Sequence[str]]
"""The lines of a file, which is read again: a rule does not keep where its keys stand."""


def with_findings(registry: Registry, lines_of: LinesOf) -> Registry:
    """The registry with the findings on its active stream rules, and with those marked that can never fire; without
    such rules the registry as it is.
    """
    if not any(entry.bucket == Bucket.TTSR for entry in registry.active):
        return registry
    interrupts = str(registry.settings.get("ttsr.interrupt_mode"))
    found: list[Diagnostic] = []
    entries: list[Entry] = []
    for entry in registry.all:
        idle = ""
        if entry.bucket == Bucket.TTSR:
            fields = _fields_of(entry.rule, lines_of)
            findings, idle = inspect_stream_rule(entry.rule, fields=fields, interrupts=interrupts)
            found += findings
        entries.append(entry._replace(idle=idle) if idle else entry)
    return registry._replace(
        rules=registry.rules._replace(all=tuple(entries)),
        diagnostics=tuple(sorted((*registry.diagnostics, *found), key=Diagnostic.sort_key)),
    )


def placed(found: Iterable[Diagnostic], rules: Iterable[Rule], lines_of: LinesOf) -> list[Diagnostic]:
    """Findings of the guard on `rules`, which knows no lines, at the places where their keys stand."""
    given = list(found)
    paths = {item.path for item in given}
    places = {
        (item.code, item.path, item.message): item
        for rule in rules
        if rule.path in paths
        for item in inspect_stream_rule(rule, fields=_fields_of(rule, lines_of)).findings
    }
    return [places.get((item.code, item.path, item.message), item) for item in given]


def _fields_of(rule: Rule, lines_of: LinesOf) -> Mapping[str, FieldValue]:
    source = SourceText(rule.name, "\n".join(lines_of(rule.path)), rule.origin, rule.rank)
    document = read_document(source, ignore, Finding(rule.path), repair=True)  # how it was read is reported already
    return {canonical(key): field for key, field in document.fields.items()}
