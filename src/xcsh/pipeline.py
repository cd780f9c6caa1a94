"""The spine: from files on disk to a registry, the stages on one screen."""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from xcsh.errors import FrontmatterError
from xcsh.model.command import Kind
from xcsh.model.diagnostic import Diagnostic, Report
from xcsh.model.provider import Provider
from xcsh.model.registry import Items, Registry
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level
from xcsh.parsing.finding import Finding
from xcsh.provider_items import ProviderItems, Stage, nothing_found, read_provider, scan_mode
from xcsh.registry.budget import report_budget
from xcsh.registry.gate import report_unknown
from xcsh.registry.precedence import provider_positions
from xcsh.registry.resolve import resolve_commands, resolve_rules
from xcsh.sources.context_files import ContextFiles
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundaries, RealPaths
from xcsh.sources.nested import MOST_FOLDERS, Walk, may_search, names_wanted, walk_project
from xcsh.sources.places import Present
from xcsh.sources.settings.reading import load_settings

_SECONDS = 5.0
"""How long the tables of an installed package may take."""

LoadInstalled = Callable[[Environment, Settings, Report, Collection[str]], tuple[tuple[Provider, ...], tuple[str, ...]]]


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
    did `remember`. `load` gives the providers that installed packages bring, and the names of all of them.
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
    stage = Stage(environment, settings, IgnoreFiles(), walk, boundaries, Present(), context, set())
    found = nothing_found()
    for provider in chosen:
        try:
            read = _read_installed(provider, stage) if provider.installed else read_provider(provider, stage)
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


def _read_installed(provider: Provider, stage: Stage) -> ProviderItems:
    """The same for code of somebody else, with a time limit. What it raises becomes a RuntimeError."""
    from xcsh.bounded import call_bounded  # noqa: PLC0415 - only where something is installed

    outcome = call_bounded(lambda: read_provider(provider, stage._replace(ignore=IgnoreFiles())), _SECONDS)
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
    mode = scan_mode(settings, Level.PROJECT)
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
