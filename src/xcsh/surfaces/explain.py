"""Why one item is as it is: where it came from, each gate it passed or failed, what shadows it, what it costs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from xcsh.model.codes import OWNER_CODES
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.source import SKIP_REASONS, Skipped
from xcsh.surfaces import explain_commands, explain_rules
from xcsh.surfaces.explanation import Explanation, Gate, diagnostics_on
from xcsh.surfaces.layout import BOLD, CYAN, DIM, RED, Style, plural, shown_path, visible, wrap
from xcsh.surfaces.shapes import Shape, skipped_shape


def explain(registry: Registry, wanted: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """Every item of that name, active or shadowed, or what became of the file at that path.

    `/NAME` means a command, prompt template or skill; `rule://NAME` a rule; another text a rule's name or a path, and
    then a command's name.
    """
    if wanted.startswith("/") and (found := explain_commands.by_name(registry, wanted[1:], providers)):
        return found
    name = wanted.removeprefix("rule://")
    path = os.path.normpath(os.path.join(registry.environment.cwd, _expanded(wanted, registry)))
    return (
        explain_rules.by_name(registry, name, providers)
        or explain_rules.by_path(registry, path, providers)
        or explain_commands.by_path(registry, path, providers)
        or explain_commands.by_name(registry, name, providers)
        or _skipped(registry, wanted, path, providers)
    )


def explain_path(registry: Registry, path: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """All that one file is: a rule, commands of several kinds, and skipped by the one or other provider."""
    items = (registry.rules, registry.commands, registry.prompts, registry.skills)
    skipped = [item for kind in items for item in kind.skipped if item.path == path]
    return [
        *explain_rules.by_path(registry, path, providers),
        *explain_commands.by_path(registry, path, providers),
        *(_of_skipped(registry, item, providers) for item in skipped),
    ]


def nearest_names(registry: Registry, wanted: str) -> list[str]:
    """The names most like `wanted`: of commands where it begins with a slash, else of rules."""
    from xcsh.slash.lookup import names_of, nearest_commands  # noqa: PLC0415 - only where a name is unknown

    if wanted.startswith("/"):
        return [f"/{name}" for name in nearest_commands(names_of(registry.commands.all), wanted[1:])]
    return nearest_commands((entry.rule.name for entry in registry.all), wanted.removeprefix("rule://"))


def explanation_shape(explanation: Explanation) -> Shape:
    """One element of `matches` in `xcsh explain --json`."""
    provider = explanation.provider
    owner: Shape | None = None
    if provider is not None:
        owner = {"tool": provider.title, "reads": provider.reads, "differs": differences(explanation)}
    return {
        "kind": explanation.kind,
        "item": explanation.shape(),
        "gates": [{"gate": gate.gate, "passed": gate.passed, "detail": gate.detail} for gate in explanation.gates],
        "shadows": list(explanation.shadows),
        "owner": owner,
    }


def differences(explanation: Explanation) -> list[str]:
    """What the owning tool does otherwise with the item, a sentence each."""
    return [item.message for item in explanation.diagnostics if item.code in OWNER_CODES]


def render_explanation(registry: Registry, explanation: Explanation, style: Style) -> list[str]:
    """The lines of `xcsh explain` for one item or file."""
    provider = explanation.provider
    where = shown_path(explanation.path, registry.environment)
    title = provider.title if provider else ""
    origin = ", ".join(filter(None, (title, explanation.level)))
    parts = [part for part in (explanation.label, origin, where) if part and part != explanation.name]
    lines = [style.paint(visible(explanation.name), BOLD, CYAN) + "  ·  " + "  ·  ".join(parts)]
    rows = [(gate.gate, gate.detail, gate.passed) for gate in explanation.gates]
    rows.extend(("shadows", shown_path(path, registry.environment), True) for path in explanation.shadows)
    if explanation.reaches:
        rows.append(("reaches", explanation.reaches, True))
    if provider is not None and provider.reads and explanation.kind in ("rule", "skipped"):
        rows.append(("owner", f"{title}: {provider.reads}", True))
        rows.extend(("differs", message, True) for message in differences(explanation))
    if explanation.diagnostics:
        rows.append(("diagnostics", f"{plural(len(explanation.diagnostics), 'finding')}: xcsh doctor {where}", True))
    for label, text, passed in rows:
        first, *further = wrap(f"  {label:12} ", visible(text), style.width)
        head = style.paint(f"  {label:12}", DIM) if passed else style.paint(f"  {label:12}", BOLD, RED)
        lines.extend([head + first[len(f"  {label:12}") :], *further])
    return lines


def _skipped(registry: Registry, wanted: str, path: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    items = (registry.rules, registry.commands, registry.prompts, registry.skills)
    files = [skipped for kind in items for skipped in kind.skipped if _is(skipped, wanted, path)]
    if not files and wanted.startswith("/"):
        from xcsh.surfaces.skipped_commands import skipped_named  # noqa: PLC0415 - only where a name is unknown

        files = [*skipped_named(registry, wanted[1:])]
    return [_of_skipped(registry, skipped, providers) for skipped in files]


def _of_skipped(registry: Registry, skipped: Skipped, providers: Mapping[str, Provider]) -> Explanation:
    reason = SKIP_REASONS.get(skipped.reason, skipped.reason)
    where = shown_path(skipped.path, registry.environment)
    gates = (
        Gate("found", passed=True, detail=where),
        Gate(skipped.reason, passed=False, detail=f"{reason}: {skipped.detail}" if skipped.detail else reason),
    )
    return Explanation(
        "skipped",
        where,
        "SKIPPED",
        "",
        skipped.path,
        lambda: skipped_shape(skipped),
        gates,
        diagnostics=diagnostics_on(registry, skipped.path),
        provider=providers.get(skipped.provider),
    )


def _is(skipped: Skipped, wanted: str, path: str) -> bool:
    base = os.path.basename(skipped.path)
    return skipped.path == path or wanted in (base, base.rpartition(".")[0])


def _expanded(wanted: str, registry: Registry) -> str:
    return registry.environment.home + wanted[1:] if wanted.startswith("~/") else wanted
