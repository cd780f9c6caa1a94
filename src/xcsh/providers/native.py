"""xcsh's own rules (R-11)."""

from __future__ import annotations

from xcsh.model.provider import Provider, RuleFields
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

NATIVE = Provider(
    id="native",
    title="xcsh",
    priority=100,
    sources=(
        Source(Root.CWD, ".xcsh/rules", Level.PROJECT, (".md", ".mdc")),
        Source(Root.HOME, ".xcsh/agent/rules", Level.USER, (".md", ".mdc")),
    ),
    fields=RuleFields(
        globs=readers.as_it_stands,
        always_apply=readers.as_it_stands,
        description=readers.as_it_stands,
        trigger=readers.text_or_texts,
    ),
    reference=True,
    reads="alwaysApply, then description, then globs decide; condition makes a stream rule",
)
