"""xcsh's own rules, commands, prompt templates and skills (R-11, C-5, C-29)."""

from __future__ import annotations

from xcsh.model.provider import CommandTable, Provider, RuleFields, RuleTable
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers


def _rows(
    folder: str, *extensions: str, elsewhere: tuple[str, ...] = (), marker: str | None = None
) -> tuple[Source, ...]:
    """The project's folder, then the user's: project first."""
    return (
        Source(Root.CWD, f".xcsh/{folder}", Level.PROJECT, extensions, elsewhere=elsewhere, marker=marker),
        Source(Root.HOME, f".xcsh/agent/{folder}", Level.USER, extensions, elsewhere=elsewhere, marker=marker),
    )


NATIVE = Provider(
    id="native",
    title="xcsh",
    priority=100,
    rules=RuleTable(
        sources=_rows("rules", ".md", ".mdc"),
        fields=RuleFields(
            globs=readers.as_it_stands,
            always_apply=readers.as_it_stands,
            description=readers.as_it_stands,
            trigger=readers.text_or_texts,
        ),
    ),
    commands=CommandTable(sources=_rows("commands", ".md", elsewhere=(".py",))),
    prompts=CommandTable(sources=_rows("prompts", ".md")),
    skills=CommandTable(sources=_rows("skills", ".md", marker="SKILL.md")),
    reference=True,
    reads="alwaysApply, then description, then globs decide; condition makes a stream rule",
)
