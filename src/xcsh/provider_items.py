"""What one provider makes of the files on disk: its rules, commands, prompt templates and skills, and what it skips."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.command import Kind, SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.document import Document
from xcsh.model.provider import NOTHING_OTHERWISE, CommandTable, Provider, RuleTable
from xcsh.model.rule import Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level, Skipped, Source, SourceText
from xcsh.normalize.content import report_content
from xcsh.normalize.context import IMPORTED, with_late_block, without_comments
from xcsh.normalize.document import plain_document, read_document
from xcsh.normalize.own_reading import report_own_reading, report_total
from xcsh.normalize.rules import RuleMode, normalize_rule
from xcsh.parsing.finding import Finding
from xcsh.registry.gate import Gate
from xcsh.sources.context_files import ContextFiles
from xcsh.sources.filesystem import ReadRefusedError
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundaries
from xcsh.sources.nested import Walk
from xcsh.sources.places import Present
from xcsh.sources.scan import Scan, ScanMode
from xcsh.sources.skips import Skips


class Stage(NamedTuple):
    """What every stage of one discovery shares."""

    environment: Environment
    settings: Settings
    ignore: IgnoreFiles
    walk: Walk | None
    boundaries: Boundaries
    present: Present
    context: ContextFiles
    names: set[str]
    """Names of the rules that were found so far."""


class Found(NamedTuple):
    """Items and skipped files of one kind."""

    rules: list[Rule]
    commands: list[SlashCommand]
    skipped: list[Skipped]

    def add(self, other: Found) -> None:
        """Takes over what another has."""
        self.rules.extend(other.rules)
        self.commands.extend(other.commands)
        self.skipped.extend(other.skipped)


class ProviderItems(NamedTuple):
    """All of one provider, kept apart until it is known that nothing of it failed."""

    items: dict[str, Found]
    diagnostics: list[Diagnostic]


def nothing_found() -> dict[str, Found]:
    """Nothing of any kind, to be added to."""
    return {kind: Found([], [], []) for kind in (Kind.RULE, Kind.COMMAND, Kind.PROMPT, Kind.SKILL)}


def read_provider(provider: Provider, stage: Stage) -> ProviderItems:
    """All kinds of one provider's items, the rules first."""
    read = ProviderItems(nothing_found(), [])
    report = read.diagnostics.append
    if provider.rules is not None:
        kept = read.items[Kind.RULE]
        skips = Skips(provider.id, provider.title, kept.skipped, report)
        kept.rules.extend(_rules(provider, provider.rules, stage, skips))
    for kind, table in (
        (Kind.COMMAND, provider.commands),
        (Kind.PROMPT, provider.prompts),
        (Kind.SKILL, provider.skills),
    ):
        if table is not None:
            kept = read.items[kind]
            skips = Skips(provider.id, provider.title, kept.skipped, report)
            kept.commands.extend(_commands(provider, kind, table, stage, skips))
    return read


def _rules(provider: Provider, table: RuleTable, stage: Stage, skips: Skips) -> Iterator[Rule]:
    """One provider's valid and enabled rules; the rest goes to `skips`, with its reason."""
    ignore = None if table.git_ignored else stage.ignore
    texts: list[SourceText] = []
    sources = _plugin_sources(Kind.RULE, stage, skips) if table.plugins else table.sources
    for source, gate in _open(Kind.RULE, provider, sources, stage, skips, ignore):
        if not table.context:
            rule = _rule(provider, table, source, gate, stage, skips)
            if rule is not None:
                yield rule
            continue
        if table.hides_comments:
            source = source._replace(text=without_comments(source.text))  # noqa: PLW2901 - the file as it counts
        texts.append(source)
        found = stage.context.read(source, table, skips, taken=source.name in stage.names)
        for text, how in ((found.source, table), *((each, IMPORTED) for each in found.imported)):
            rule = _rule(provider, how, text, gate, stage, skips) if text is not None else None
            if rule is not None:
                yield rule
    if table.own.total_bytes and texts:
        report_total((text for text in texts if not text.folder), table.own, skips.report, provider.id)


def _rule(
    provider: Provider, table: RuleTable, source: SourceText, gate: Gate, stage: Stage, skips: Skips
) -> Rule | None:
    """The rule of one file, where it is one and is neither switched off nor held back."""
    if _held_back(source, stage, skips):
        return None
    finding = Finding(source.origin.path, provider.id, provider.yaml_needs_quotes)
    if table.late_block:
        source = with_late_block(source)
    if table.fields is None:
        document = plain_document(source)
    else:
        document = read_document(source, skips.report, finding, repair=gate.repair)
    mode = RuleMode(gate.repair, gate.owner)
    rule = normalize_rule(document, table, provider.title, mode, skips.report, finding)
    if not _kept(rule, source, document, finding, skips) or rule is None:
        return None
    row = table.sources[source.origin.row] if table.sources else None
    if row is not None and gate.repair and (row.limit or table.own is not NOTHING_OTHERWISE):
        report_own_reading(document, row, table, provider.title, skips.report, finding)
    if rule.name != source.name and (why := gate.closed(Kind.RULE, rule.name)):
        skips.skip(source.origin.path, "disabled", why)
        return None
    if row is not None and row.always:
        rule = rule._replace(always_apply=True, activation=None, decided_by=f"{provider.title} applies it always")
    if source.folder or source.above:
        from xcsh.normalize.scoping import scoped  # noqa: PLC0415 - most rules are the working folder's

        rule = scoped(rule, source.folder, source.above)
    stage.names.add(rule.name)
    return rule


def _plugin_sources(kind: str, stage: Stage, skips: Skips) -> tuple[Source, ...]:
    from xcsh.sources.plugins import plugin_sources  # noqa: PLC0415 - reads JSON, which most homes have none of

    beyond = stage.settings.get("discovery.providers") == "all"
    return plugin_sources(stage.environment, kind, skips, beyond=beyond)


def _commands(provider: Provider, kind: str, table: CommandTable, stage: Stage, skips: Skips) -> Iterator[SlashCommand]:
    """One provider's valid and enabled commands, prompt templates or skills."""
    sources = _plugin_sources(kind, stage, skips) if table.plugins else table.sources
    for source, gate in _open(kind, provider, sources, stage, skips, stage.ignore, beyond=table.beyond):
        from xcsh.normalize.commands import fatal_reporter, normalize_command  # noqa: PLC0415 - only where there are any

        if _held_back(source, stage, skips):
            continue
        finding = Finding(source.origin.path, provider.id, provider.yaml_needs_quotes)
        report = fatal_reporter(source.origin.level, skips.report)
        if table.toml:
            from xcsh.normalize.toml_document import read_toml_document  # noqa: PLC0415 - few tools have such files

            document = read_toml_document(source, report, finding)
        else:
            document = read_document(source, report, finding, repair=gate.repair)
        if document is None:
            skips.skip(source.origin.path, "invalid-file", "it cannot be read as a command")
            continue
        command = normalize_command(document, kind, table, report, finding, repair=gate.repair)
        if command is not None and (why := gate.closed(kind, command.name)) is not None:
            skips.skip(source.origin.path, "disabled", why)  # by the name that is typed, which the file's need not be
            continue
        if _kept(command, source, document, finding, skips) and command is not None:
            if note := sources[source.origin.row].note:
                report(finding.make("unread-by-tool", None, note))
            yield command


def _open(
    kind: str,
    provider: Provider,
    sources: tuple[Source, ...],
    stage: Stage,
    skips: Skips,
    ignore: IgnoreFiles | None,
    *,
    beyond: bool = False,
) -> Iterator[tuple[SourceText, Gate]]:
    """The files of a table that can be read and are not switched off, each with the settings for its level."""
    found = stage.walk.found if stage.walk is not None else None
    gates: dict[str, Gate] = {}
    scan = Scan(
        sources,
        stage.environment,
        lambda level: scan_mode(stage.settings, level),
        ignore,
        stage.boundaries,
        stage.present,
        skips,
        found,
    )
    for source in scan.texts():
        level = source.origin.level
        gate = gates.get(level)
        if gate is None and level in Level.ALL:
            gate = gates[level] = Gate(provider, stage.settings, level, beyond=beyond)
        if gate is None:
            message = f"its provider gives it the level {source.origin.level!r}, which is none"
            skips.refuse(source.origin.path, ReadRefusedError("invalid", "invalid-level", message))
            continue
        why = gate.closed(kind, source.name)
        if why is None:
            yield source, gate
        else:
            skips.skip(source.origin.path, "disabled", why)


def _held_back(source: SourceText, stage: Stage, skips: Skips) -> bool:
    """Whether a project's text reads otherwise to people than to a model, and nobody has accepted that (R-25)."""
    if source.plain or source.origin.level != Level.PROJECT or stage.settings.get("discovery.hidden_text") != "hold":
        return False
    from xcsh.sources.trust.quarantine import hold_back  # noqa: PLC0415 - most files are plain

    return hold_back(source, stage.environment, skips)


def _kept(
    item: Rule | SlashCommand | None,
    source: SourceText,
    document: Document,
    finding: Finding,
    skips: Skips,
) -> bool:
    """Whether an item is valid; what is odd about its text is reported, an invalid one is skipped."""
    if item is None:
        skips.skip(source.origin.path, "empty", "no content")
        return False
    report_content(source, document, skips.report, finding)
    return True


def scan_mode(settings: Settings, level: str) -> ScanMode:
    """How the files of a level are looked for."""
    return ScanMode(
        recursive=settings.get("discovery.recursive", level) is True,
        beyond=settings.get("discovery.providers", level) == "all",
        max_bytes=settings.number("discovery.max_file_bytes"),
    )
