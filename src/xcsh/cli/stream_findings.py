"""Brings what is odd about stream rules into a registry's diagnostics, for the verbs that show findings."""

from __future__ import annotations

from collections.abc import Mapping

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.document import FieldValue
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule


def with_stream_findings(registry: Registry) -> Registry:
    """The registry with the findings on its active stream rules; without such rules the registry as it is."""
    rules = list(registry.bucket(Bucket.TTSR))
    if not rules:
        return registry
    from xcsh.guard.inspection import inspect_stream_rules

    found = inspect_stream_rules(rules, fields_of=_fields_of)
    return registry._replace(diagnostics=tuple(sorted((*registry.diagnostics, *found), key=Diagnostic.sort_key)))


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
