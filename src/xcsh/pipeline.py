"""The spine: from files on disk to a registry, the stages on one screen."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from xcsh.errors import FrontmatterError
from xcsh.model.command import Kind, SlashCommand
from xcsh.model.diagnostic import Diagnostic, Report
from xcsh.model.document import Document
from xcsh.model.provider import NOTHING_OTHERWISE, CommandTable, Provider, RuleTable
from xcsh.model.registry import Items, Registry
from xcsh.model.rule import Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level, Skipped, Source, SourceText
from xcsh.normalize.content import report_content
from xcsh.normalize.context import IMPORTED, with_late_block, without_comments
from xcsh.normalize.document import plain_document, read_document
from xcsh.normalize.own_reading import report_own_reading, report_total
from xcsh.normalize.rules import RuleMode, normalize_rule
from xcsh.parsing.finding import Finding
from xcsh.registry.budget import report_budget
from xcsh.registry.gate import Gate, report_unknown
from xcsh.registry.precedence import provider_positions
from xcsh.registry.resolve import resolve_commands, resolve_rules
from xcsh.sources.context_files import ContextFiles
from xcsh.sources.filesystem import ReadRefusedError
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundaries, RealPaths
from xcsh.sources.nested import MOST_FOLDERS, Walk, may_search, names_wanted, walk_project
from xcsh.sources.places import Present
from xcsh.sources.scan import Scan, ScanMode
from xcsh.sources.settings import load_settings
from xcsh.sources.skips import Skips

_SECONDS = 5.0
"""How long the tables of an installed package may take."""

LoadInstalled = Callable[[Environment, Settings, Report, Collection[str]], tuple[tuple[Provider, ...], tuple[str, ...]]]


class _Stage(NamedTuple):
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


class _Found(NamedTuple):
    """Items and skipped files of one kind."""

    rules: list[Rule]
    commands: list[SlashCommand]
    skipped: list[Skipped]

    def add(self, other: "_Found") -> None:
        """Takes over what another has."""
        self.rules.extend(other.rules)
        self.commands.extend(other.commands)
        self.skipped.extend(other.skipped)


class _Read(NamedTuple):
    """All of one provider, kept apart until it is known that nothing of it failed."""

    items: dict[str, _Found]
    diagnostics: list[Diagnostic]


def _nothing_found() -> dict[str, _Found]:
    return {kind: _Found([], [], []) for kind in (Kind.RULE, Kind.COMMAND, Kind.PROMPT, Kind.SKILL)}


def discover(
    environment: Environment,
    providers: Iterable[Provider],
    *,
    reference: bool = False,
    before: Registry | None = None,
    remember: bool = True,
    load: LoadInstalled | None = None,
) -> Registry:
    """Everything that the providers find around `environment`, normalised, ranked, and rules sorted into buckets.

    `before` is what an earlier discovery found there; it saves a part of the search through sub-folders where that one
    did `remember`. `load` gives
    the providers that installed packages bring, and the names of all of them.
    """
    diagnostics: list[Diagnostic] = []
    report = diagnostics.append
    settings = load_settings(environment, report, reference=reference)
    own = tuple(providers)
    installed, names = load(environment, settings, report, [each.id for each in own]) if load else ((), ())
    chosen = (*own, *installed)
    walk = _walk(environment, settings, chosen, before.walk if before is not None else None, report, remember=remember)
    real_paths = RealPaths()
    boundaries = Boundaries(environment, real_paths, anywhere=settings.get("discovery.links") == "anywhere")
    limit, dedupe = settings.number("discovery.max_file_bytes"), settings.get("prompt.dedupe") is True
    context = ContextFiles(environment, real_paths, limit, dedupe=dedupe)
    stage = _Stage(environment, settings, IgnoreFiles(), walk, boundaries, Present(), context, set())
    found = _nothing_found()
    for provider in chosen:
        try:
            read = _read_installed(provider, stage) if provider.installed else _read_provider(provider, stage)
        except FrontmatterError:
            raise  # C-13: what the program itself brings is broken
        except Exception as error:  # noqa: BLE001 - R-32: whatever a provider raises, the others still load
            message = f"the provider {provider.id!r} failed: {type(error).__name__}: {error}"
            report(Finding("", provider.id).make("provider-failed", None, message))
        else:
            diagnostics.extend(read.diagnostics)
            for kind, items in read.items.items():
                found[kind].add(items)
    positions = provider_positions(chosen)
    rules = resolve_rules(found[Kind.RULE].rules, positions, settings, report)
    report_budget(rules, settings.number("prompt.budget_tokens"), report)
    commands, prompts, skills = (
        Items(resolve_commands(found[kind].commands, positions, report), tuple(found[kind].skipped))
        for kind in (Kind.COMMAND, Kind.PROMPT, Kind.SKILL)
    )
    hidden = (skipped.detail for items in found.values() for skipped in items.skipped if skipped.reason == "disabled")
    report_unknown(settings, (*positions, *names), hidden, report)
    diagnostics.sort(key=Diagnostic.sort_key)
    items = Items(rules, tuple(found[Kind.RULE].skipped))
    return Registry(environment, settings, items, commands, prompts, skills, tuple(diagnostics), walk, installed)


def _read_installed(provider: Provider, stage: _Stage) -> _Read:
    """The same for code of somebody else, with a time limit. What it raises becomes a RuntimeError."""
    from xcsh.bounded import call_bounded  # noqa: PLC0415 - only where something is installed

    outcome = call_bounded(lambda: _read_provider(provider, stage._replace(ignore=IgnoreFiles())), _SECONDS)
    if outcome.value is not None:
        return outcome.value
    raise RuntimeError(f"{type(outcome.error).__name__}: {outcome.error}")


def _walk(
    environment: Environment,
    settings: Settings,
    providers: Iterable[Provider],
    before: object,
    report: Report,
    *,
    remember: bool,
) -> Walk | None:
    """The search through all sub-folders, where the settings ask for it (R-60)."""
    mode = _scan_mode(settings, Level.PROJECT)
    disabled = settings.texts("discovery.disabled", Level.PROJECT)
    names: set[str] = set()
    for provider in providers:
        if provider.id not in disabled:
            with suppress(Exception):  # that the table is broken is said where it is read
                for table in (provider.rules, provider.commands, provider.prompts, provider.skills):
                    names.update(names_wanted(table.sources) if table is not None else ())
    if not (mode.recursive and mode.beyond and names and may_search(environment)):
        return None
    walk = walk_project(
        environment.cwd,
        environment.repo_root,
        frozenset(names),
        before if isinstance(before, Walk) else None,
        remember=remember,
    )
    if walk.cut is not None:
        message = f"more than {MOST_FOLDERS:,} folders: rules in the sub-folders from this one on are not looked for"
        report(Finding(walk.cut).make("search-cut", None, message))
    return walk


def _read_provider(provider: Provider, stage: _Stage) -> _Read:
    """All kinds of one provider's items, the rules first."""
    read = _Read(_nothing_found(), [])
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


def _rules(provider: Provider, table: RuleTable, stage: _Stage, skips: Skips) -> Iterator[Rule]:
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
    provider: Provider, table: RuleTable, source: SourceText, gate: Gate, stage: _Stage, skips: Skips
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


def _plugin_sources(kind: str, stage: _Stage, skips: Skips) -> tuple[Source, ...]:
    from xcsh.sources.plugins import plugin_sources  # noqa: PLC0415 - reads JSON, which most homes have none of

    beyond = stage.settings.get("discovery.providers") == "all"
    return plugin_sources(stage.environment, kind, skips, beyond=beyond)


def _commands(
    provider: Provider, kind: str, table: CommandTable, stage: _Stage, skips: Skips
) -> Iterator[SlashCommand]:
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
    stage: _Stage,
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
        lambda level: _scan_mode(stage.settings, level),
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


def _held_back(source: SourceText, stage: _Stage, skips: Skips) -> bool:
    """Whether a project's text reads otherwise to people than to a model, and nobody has accepted that (R-25)."""
    if source.plain or source.origin.level != Level.PROJECT or stage.settings.get("discovery.hidden_text") != "hold":
        return False
    from xcsh.parsing.characters import find_deceptive, report_hidden  # noqa: PLC0415 - most files are plain

    path, text = source.origin.path, source.text
    found = find_deceptive(text)
    if found is None:
        return False
    from xcsh.sources.accepted_texts import HIDDEN, is_accepted  # noqa: PLC0415 - nearly all texts are sound

    if is_accepted(stage.environment, path, text, HIDDEN):
        return False
    place, character = found
    report_hidden(text, skips.report, skips.finding(path))
    skips.hold_back(path, text, place, character)
    return True


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


def _scan_mode(settings: Settings, level: str) -> ScanMode:
    return ScanMode(
        recursive=settings.get("discovery.recursive", level) is True,
        beyond=settings.get("discovery.providers", level) == "all",
        max_bytes=settings.number("discovery.max_file_bytes"),
    )
