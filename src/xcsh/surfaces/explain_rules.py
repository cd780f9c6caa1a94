"""Explains rules: their conditions, precedence, bucket, and how they reach the model."""

from __future__ import annotations

from collections.abc import Mapping

from xcsh.model.codes import CODES
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.rule import TRIGGER_LABELS, Bucket, Entry, Rule
from xcsh.model.settings import Settings
from xcsh.parsing.scopes import interrupt_mode
from xcsh.parsing.tokens import estimate_tokens
from xcsh.surfaces.explanation import Explanation, Gate, diagnostics_on, found_gate, frontmatter_gate
from xcsh.surfaces.layout import plural, shown_path
from xcsh.surfaces.rule_url import url_of
from xcsh.surfaces.shapes import rule_shape
from xcsh.surfaces.stream_modes import effective_mode

_STOPPED = "its answer is stopped, the rule is shown to it, and the request is sent again"
_REMINDED = "its answer goes on, and the rule is shown to it with the next request"
_ON_A_MATCH = {
    "always": _STOPPED,
    "prose-only": f"in prose {_STOPPED}; in a tool call {_REMINDED}",
    "tool-only": f"in a tool call {_STOPPED}; in prose {_REMINDED}",
    "never": _REMINDED,
}


def by_name(registry: Registry, name: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """The rules of that name, the winner first."""
    return [_explain(registry, entry, providers) for entry in registry.all if entry.rule.name == name]


def by_path(registry: Registry, path: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """The rule in that file."""
    return [_explain(registry, entry, providers) for entry in registry.all if entry.rule.path == path]


def _explain(registry: Registry, entry: Entry, providers: Mapping[str, Provider]) -> Explanation:
    rule = entry.rule
    provider = providers.get(rule.origin.provider)
    table = provider.rules if provider is not None else None
    diagnostics = diagnostics_on(registry, rule.path)
    cost = plural(estimate_tokens(rule.content), "token")
    gates = [
        found_gate(rule.origin, table.sources if table else (), registry),
        frontmatter_gate(diagnostics, rule.block, known=table is None or table.fields is not None),
        Gate("validity", passed=True, detail=f"ok, {plural(len(rule.content), 'character')}, ~{cost}"),
    ]
    if rule.condition:
        gates.append(_condition_gate(entry, diagnostics))
    if entry.bucket == Bucket.TTSR:
        gates.append(_mode_gate(rule, registry.settings))
    gates.extend(_standing_gates(entry, registry))
    return Explanation(
        "rule",
        rule.name,
        TRIGGER_LABELS[entry.bucket].upper() if entry.bucket else "SHADOWED",
        rule.origin.level,
        rule.path,
        lambda: rule_shape(entry, diagnostics),
        tuple(gates),
        tuple(other.rule.path for other in registry.all if other.shadowed_by is rule),
        _reaches(entry, registry.settings),
        diagnostics,
        provider,
    )


def _standing_gates(entry: Entry, registry: Registry) -> list[Gate]:
    if entry.shadowed_by is not None:
        winner = shown_path(entry.shadowed_by.path, registry.environment)
        detail = f"loses to {winner} ({entry.shadowed_by.origin.title}), which has the same name and comes first"
        return [Gate("precedence", passed=False, detail=detail)]
    never = ", and can never fire" if entry.idle else ""
    reached = entry.bucket != Bucket.INACTIVE and not entry.idle
    bucket = Gate("bucket", reached, f"{entry.bucket}: {entry.reason}{never}")
    return [Gate("precedence", passed=True, detail="wins: nothing of this name comes before it"), bucket]


def _condition_gate(entry: Entry, diagnostics: tuple[Diagnostic, ...]) -> Gate:
    accepted = entry.rule.trigger
    if entry.idle:
        return Gate("condition", passed=False, detail=f"can never fire: {entry.idle}")
    reasons = [item.message for item in diagnostics if CODES[item.code].gate == "condition"]
    if accepted is not None:
        scope = f", watches {', '.join(accepted.scopes)}" if accepted.scopes else ""
        but = f"; but {'; '.join(reasons)}" if reasons else ""
        return Gate("condition", passed=True, detail=f"accepted: {' | '.join(accepted.conditions)}{scope}{but}")
    return Gate("condition", passed=False, detail="; ".join(reasons) or "not accepted")


def _mode_gate(rule: Rule, settings: Settings) -> Gate:
    """What a match does (T-12), and who says so."""
    by = "the rule" if interrupt_mode(rule.interrupt_mode) else "the setting ttsr.interrupt_mode"
    return Gate("interrupts", passed=True, detail=f"{effective_mode(rule, settings)}, as {by} says")


def _reaches(entry: Entry, settings: Settings) -> str:
    rule = entry.rule
    globs = ", ".join(rule.glob_strings)
    with_files = f"with the files that it reads or changes and that match {globs}"
    if entry.bucket == Bucket.ALWAYS_APPLY:
        return f"the model in every prompt, and as {url_of(rule.name)}"
    if entry.bucket == Bucket.RULEBOOK:
        attaches = globs and settings.get("rules.attach", rule.origin.level) == "auto"
        more = f"; and {with_files}" if attaches else ""
        return f"the model as {url_of(rule.name)}, listed by its description{more}"
    if entry.bucket == Bucket.ATTACHED:
        return f"the model {with_files}"
    if entry.bucket == Bucket.TTSR:
        if entry.idle:
            return "nothing: it can never fire"
        return f"the model when it writes what the condition forbids: {_ON_A_MATCH[effective_mode(rule, settings)]}"
    return "nothing" if entry.bucket is not None else ""
