"""Why one item is as it is: where it came from, each gate it passed or failed, what shadows it, what it costs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.rule import TRIGGER_LABELS, Bucket, Entry
from xcsh.model.source import SKIP_REASONS, Skipped
from xcsh.parsing.tokens import estimate_tokens
from xcsh.surfaces.layout import BOLD, CYAN, DIM, RED, Style, plural, shown_path, visible, wrap
from xcsh.surfaces.rule_url import url_of
from xcsh.surfaces.shapes import Shape, rule_shape, skipped_shape

_FRONTMATTER_CODES = frozenset({
    "invalid-frontmatter", "frontmatter-repaired", "boolean-spelling", "unterminated-frontmatter",
    "frontmatter-not-first",
    "frontmatter-fence", "frontmatter-not-mapping", "frontmatter-too-large", "duplicate-key", "key-spelling",
    "pattern-spelling", "foreign-key", "value-type", "unknown-trigger",
})  # fmt: skip
_CONDITION_CODES = frozenset({"invalid-condition", "unreachable-condition"})
_NEAREST = 3


class Gate(NamedTuple):
    """One question that was asked of a file, whether it passed, and what was seen."""

    gate: str
    passed: bool
    detail: str


class Explanation(NamedTuple):
    """One item or file: its standing, its gates in the order in which they were asked, and what it shadows."""

    entry: Entry | CommandEntry | None
    skipped: Skipped | None
    gates: tuple[Gate, ...]
    shadows: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    provider: Provider | None


def explain(registry: Registry, wanted: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """Every item of that name, active or shadowed, or what became of the file at that path."""
    path = os.path.normpath(os.path.join(registry.environment.cwd, _expanded(wanted, registry)))
    by_name = [entry for entry in registry.all if entry.rule.name == wanted]
    entries = by_name or [entry for entry in registry.all if entry.rule.path == path]
    found = [_of_entry(registry, entry, providers) for entry in entries]
    if not found:
        found = [
            _of_skipped(registry, skipped, providers) for skipped in registry.skipped if _is(skipped, wanted, path)
        ]
    return found


def nearest_names(registry: Registry, wanted: str) -> list[str]:
    """The names of rules most like `wanted`."""
    import difflib  # noqa: PLC0415 - only where a name is unknown

    names = sorted({entry.rule.name for entry in registry.all})
    close = difflib.get_close_matches(wanted, names, _NEAREST, 0.5)
    return close or [name for name in names if wanted.lower() in name.lower()][:_NEAREST]


def explanation_shape(explanation: Explanation) -> Shape:
    """One element of `matches` in `xcsh explain --json`."""
    if explanation.entry is not None:
        kind, item = "rule", rule_shape(explanation.entry, explanation.diagnostics)
    else:
        assert explanation.skipped is not None  # noqa: S101 - one of the two is always there
        kind, item = "skipped", skipped_shape(explanation.skipped)
    provider = explanation.provider
    owner: Shape | None = {"tool": provider.title, "reads": provider.reads, "differs": []} if provider else None
    gates = [{"gate": gate.gate, "passed": gate.passed, "detail": gate.detail} for gate in explanation.gates]
    return {"kind": kind, "item": item, "gates": gates, "shadows": list(explanation.shadows), "owner": owner}


def render_explanation(registry: Registry, explanation: Explanation, style: Style) -> list[str]:
    """The lines of `xcsh explain` for one item or file."""
    entry, skipped = explanation.entry, explanation.skipped
    if entry is not None:
        label = TRIGGER_LABELS[entry.bucket].upper() if entry.bucket else "SHADOWED"
        origin = entry.rule.origin
        parts = [
            visible(entry.rule.name),
            label,
            f"{origin.title}, {origin.level}",
            shown_path(origin.path, registry.environment),
        ]
    else:
        assert skipped is not None  # noqa: S101 - one of the two is always there
        title = explanation.provider.title if explanation.provider else skipped.provider
        parts = [shown_path(skipped.path, registry.environment), "SKIPPED", title]
    lines = [style.paint(parts[0], BOLD, CYAN) + "  ·  " + "  ·  ".join(parts[1:])]
    rows = [(gate.gate, gate.detail, gate.passed) for gate in explanation.gates]
    rows.extend(("shadows", shown_path(path, registry.environment), True) for path in explanation.shadows)
    if entry is not None and entry.bucket is not None:
        rows.append(("reaches", _reaches(entry), True))
    if explanation.provider is not None and explanation.provider.reads:
        rows.append(("owner", f"{explanation.provider.title}: {explanation.provider.reads}", True))
    if explanation.diagnostics:
        count = plural(len(explanation.diagnostics), "finding")
        rows.append(("diagnostics", f"{count}: xcsh doctor {parts[3] if entry else parts[0]}", True))
    for label, text, passed in rows:
        first, *further = wrap(f"  {label:12} ", visible(text), style.width)
        head = style.paint(f"  {label:12}", DIM) if passed else style.paint(f"  {label:12}", BOLD, RED)
        lines.extend([head + first[14:], *further])
    return lines


def _of_entry(registry: Registry, entry: Entry, providers: Mapping[str, Provider]) -> Explanation:
    rule = entry.rule
    provider = providers.get(rule.origin.provider)
    diagnostics = tuple(item for item in registry.diagnostics if item.path == rule.path)
    gates = [
        Gate("found", passed=True, detail=_found(entry, provider, registry)),
        _frontmatter_gate(diagnostics, provider),
        Gate(
            "validity",
            passed=True,
            detail=f"ok, {len(rule.content):,} characters, ~{plural(estimate_tokens(rule.content), 'token')}",
        ),
    ]
    if rule.condition:
        gates.append(_condition_gate(entry, diagnostics))
    if entry.shadowed_by is not None:
        winner = shown_path(entry.shadowed_by.path, registry.environment)
        gates.append(
            Gate(
                "precedence",
                passed=False,
                detail=f"loses to {winner} ({entry.shadowed_by.origin.title}), which has the same name and comes first",
            )
        )
    else:
        gates.append(Gate("precedence", passed=True, detail="wins: nothing of this name comes before it"))
        gates.append(Gate("bucket", entry.bucket != Bucket.INACTIVE, f"{entry.bucket}: {entry.reason}"))
    shadows = tuple(other.rule.path for other in registry.all if other.shadowed_by is rule)
    return Explanation(entry, None, tuple(gates), shadows, diagnostics, provider)


def _of_skipped(registry: Registry, skipped: Skipped, providers: Mapping[str, Provider]) -> Explanation:
    diagnostics = tuple(item for item in registry.diagnostics if item.path == skipped.path)
    detail = f"{SKIP_REASONS.get(skipped.reason, skipped.reason)}" + (f" ({skipped.detail})" if skipped.detail else "")
    gates = (Gate("found", passed=True, detail=skipped.path), Gate(skipped.reason, passed=False, detail=detail))
    return Explanation(None, skipped, gates, (), diagnostics, providers.get(skipped.provider))


def _found(entry: Entry, provider: Provider | None, registry: Registry) -> str:
    row = entry.rule.origin.row
    if provider is None or provider.rules is None or row >= len(provider.rules.sources):
        return shown_path(entry.rule.path, registry.environment)
    source = provider.rules.sources[row]
    endings = ",".join(extension.removeprefix(".") for extension in source.extensions)
    where = f"{source.path}/*.{{{endings}}}" if endings else source.path
    return f"{where}, row {row + 1} of the {provider.id} provider"


def _frontmatter_gate(diagnostics: Iterable[Diagnostic], provider: Provider | None) -> Gate:
    if provider is not None and provider.rules is not None and provider.rules.fields is None:
        return Gate("frontmatter", passed=True, detail="this tool knows none; the text is taken as it stands")
    found = [item for item in diagnostics if item.code in _FRONTMATTER_CODES]
    if not found:
        return Gate("frontmatter", passed=True, detail="read as it stands")
    failed = any(
        item.code in ("unterminated-frontmatter", "frontmatter-not-mapping", "frontmatter-too-large") for item in found
    )
    first = found[0]
    line = f"line {first.position.line}: " if first.position else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Gate("frontmatter", not failed, f"{line}{first.message}{more}")


def _condition_gate(entry: Entry, diagnostics: Iterable[Diagnostic]) -> Gate:
    accepted = entry.rule.trigger
    if accepted is not None:
        scope = f", watches {', '.join(accepted.scopes)}" if accepted.scopes else ""
        return Gate("condition", passed=True, detail=f"accepted: {' | '.join(accepted.conditions)}{scope}")
    reasons = [item.message for item in diagnostics if item.code in _CONDITION_CODES]
    return Gate("condition", passed=False, detail="; ".join(reasons) or "not accepted")


def _reaches(entry: Entry) -> str:
    rule = entry.rule
    if entry.bucket == Bucket.ALWAYS_APPLY:
        return f"the model in every prompt, and as {url_of(rule.name)}"
    if entry.bucket == Bucket.RULEBOOK:
        globs = f"; for {', '.join(rule.glob_strings)} see: xcsh rules --for PATH" if rule.glob_strings else ""
        return f"the model as {url_of(rule.name)}, listed by its description{globs}"
    if entry.bucket == Bucket.ATTACHED:
        return f"the model with files that match {', '.join(rule.glob_strings)} (not attached yet in this version)"
    if entry.bucket == Bucket.TTSR:
        return "the model when it writes what the condition forbids (not watched yet in this version)"
    return "nothing"


def _is(skipped: Skipped, wanted: str, path: str) -> bool:
    base = os.path.basename(skipped.path)
    return skipped.path == path or wanted in (base, base.rpartition(".")[0])


def _expanded(wanted: str, registry: Registry) -> str:
    return registry.environment.home + wanted[1:] if wanted.startswith("~/") else wanted
