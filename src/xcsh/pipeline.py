"""The spine: from files on disk to a registry, the stages on one screen."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.diagnostic import Diagnostic, Position, Report
from xcsh.model.document import BlockState, Document
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.rule import Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level, Skipped, SourceText
from xcsh.normalize.rules import RuleMode, normalize_rule
from xcsh.parsing.block import find_meant, find_strict
from xcsh.parsing.finding import Finding
from xcsh.parsing.frontmatter import read_meant, read_strict
from xcsh.registry.budget import report_budget
from xcsh.registry.precedence import provider_positions
from xcsh.registry.resolve import resolve
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.scan import Scan, ScanMode
from xcsh.sources.settings import load_settings
from xcsh.sources.skips import Skips

_LONG_RULE = 32_000
_FEW_BRACES = 2
"""With no more of them a pattern cannot have too many alternatives by accident."""


def discover(environment: Environment, providers: Iterable[Provider], *, reference: bool = False) -> Registry:
    """Everything that the providers find around `environment`, normalised, ranked and sorted into buckets."""
    diagnostics: list[Diagnostic] = []
    report = diagnostics.append
    settings = load_settings(environment, report, reference=reference)
    chosen = tuple(providers)
    skipped: list[Skipped] = []
    ignore = IgnoreFiles()
    rules: list[Rule] = []
    for provider in chosen:
        try:
            rules.extend(_rules_of(provider, environment, settings, ignore, skipped, report))
        except Exception as error:  # noqa: BLE001 - R-32: whatever a provider raises, the others still load
            message = f"the provider {provider.id!r} failed: {type(error).__name__}: {error}"
            report(Finding("", provider.id).make("provider-failed", None, message))
    entries = resolve(rules, provider_positions(chosen), settings, report)
    report_budget(entries, settings.number("prompt.budget_tokens"), report)
    diagnostics.sort(key=Diagnostic.sort_key)
    return Registry(environment, settings, entries, tuple(skipped), tuple(diagnostics))


def _rules_of(
    provider: Provider,
    environment: Environment,
    settings: Settings,
    ignore: IgnoreFiles,
    skipped: list[Skipped],
    report: Report,
) -> list[Rule]:
    """One provider's valid and enabled rules; the rest goes to `skipped`, with its reason."""
    rules: list[Rule] = []
    modes = {level: _RuleGate(provider, settings, level) for level in (Level.USER, Level.PROJECT)}
    skips = Skips(provider.id, provider.title, skipped, report)
    scan = Scan(provider, environment, lambda level: _scan_mode(settings, level), ignore, skips)
    for source in scan.texts():
        gate = modes[source.origin.level]
        if (why := gate.closed(source.name)) is not None:
            skips.skip(source.origin.path, "disabled", why)
            continue
        finding = Finding(source.origin.path, provider.id, provider.yaml_needs_quotes)
        document = read_document(source, provider, gate.mode, report, finding)
        rule = normalize_rule(document, provider, gate.mode, report, finding)
        if rule is None:
            skips.skip(source.origin.path, "empty", "no content")
            continue
        _report_content(source, rule, document, report, finding)
        rules.append(rule)
    return rules


def read_document(source: SourceText, provider: Provider, mode: RuleMode, report: Report, finding: Finding) -> Document:
    """Takes a file apart: block, fields, body. A tool without frontmatter gets its text as it stands."""
    text = source.text
    if provider.fields is None:
        return Document(source.name, source.origin, text, {}, 1, BlockState.ABSENT, source.rank)
    block = find_meant(text, report, finding) if mode.repair else find_strict(text)
    if block is None:
        return Document(source.name, source.origin, text, {}, 1, BlockState.ABSENT, source.rank)
    if block.state == BlockState.FAILED:
        return Document(source.name, source.origin, text, {}, 1, BlockState.FAILED, source.rank)
    fields, state = (read_meant if mode.repair else read_strict)(block, report, finding)
    if state == BlockState.FAILED:
        return Document(source.name, source.origin, text, {}, 1, state, source.rank)
    body = text[block.body_start :]
    stripped = body.strip()
    blank = len(body) - len(body.lstrip())
    line = block.position.line + block.text.count("\n") + 1 + body.count("\n", 0, blank)
    return Document(source.name, source.origin, stripped, fields, line, state, source.rank)


class _RuleGate:
    """What settings say of one provider's items of one level: how they are read, and which are switched off."""

    def __init__(self, provider: Provider, settings: Settings, level: str) -> None:
        self.mode = RuleMode(
            repair=settings.get("frontmatter.repair", level) is True,
            owner=settings.get("rules.activation", level) == "owner",
        )
        self._disabled = frozenset(settings.texts("discovery.disabled", level))
        self._all: str | None = None
        if provider.id in self._disabled:
            self._all = f"the provider {provider.id} is disabled in settings"
        elif not provider.reference and settings.get("discovery.providers", level) == "reference":
            self._all = 'discovery.providers is "reference"'

    def closed(self, name: str) -> str | None:
        """Why the item is switched off; None where it is not."""
        if self._all is not None:
            return self._all
        if self._disabled and f"rule:{name}" in self._disabled:
            return f"rule:{name} is disabled in settings"
        return None


def _scan_mode(settings: Settings, level: str) -> ScanMode:
    return ScanMode(
        recursive=settings.get("discovery.recursive", level) is True,
        beyond=settings.get("discovery.providers", level) == "all",
        max_bytes=settings.number("discovery.max_file_bytes"),
        links_anywhere=settings.get("discovery.links") == "anywhere",
    )


def _report_content(source: SourceText, rule: Rule, document: Document, report: Report, finding: Finding) -> None:
    """What is odd about the text of a rule itself, in both modes."""
    if not source.text.isascii():
        from xcsh.parsing.characters import report_hidden  # noqa: PLC0415 - most rules are ASCII

        report_hidden(source.text, report, finding)
    if len(rule.content) > _LONG_RULE:
        message = f"{len(rule.content):,} characters, about {len(rule.content) // 4:,} tokens"
        report(finding.make("large-rule", Position(document.body_line, 1), message))
    if not rule.name.isprintable():
        report(finding.make("name-characters", None, f"the name is {rule.name!r}"))
    for glob in rule.globs:
        if isinstance(glob, str) and glob.count("{") > _FEW_BRACES:
            from xcsh.parsing.globs import too_many_alternatives  # noqa: PLC0415 - rare

            if not too_many_alternatives(glob):
                continue
            field = document.fields.get("globs")
            message = f"the braces of {glob[:60]!r} stand for too many patterns; it matches nothing"
            report(finding.make("too-many-alternatives", field.position if field else None, message))
