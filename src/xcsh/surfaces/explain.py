"""Why one item is as it is: where it came from, each gate it passed or failed, what shadows it, what it costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from xcsh.model.codes import CODES, UNREAD_CODES
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.document import BlockState
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.source import SKIP_REASONS, Origin, Skipped, Source
from xcsh.surfaces.layout import BOLD, CYAN, DIM, RED, Style, plural, shown_path, visible, wrap
from xcsh.surfaces.shapes import Shape, skipped_shape


class Gate(NamedTuple):
    """One question that was asked of a file, whether it passed, and what was seen."""

    gate: str
    passed: bool
    detail: str


class Explanation(NamedTuple):
    """One item or file: what it is, its gates in the order in which they were asked, and what it shadows.

    `label` is where it stands, in capitals; `shape` makes its JSON; `reaches` says to whom it gets, where it does.
    """

    kind: str
    name: str
    label: str
    level: str
    path: str
    shape: Callable[[], Shape]
    gates: tuple[Gate, ...]
    shadows: tuple[str, ...] = ()
    reaches: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    provider: Provider | None = None


def explain(registry: Registry, wanted: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """Every item of that name, active or shadowed, or what became of the file at that path.

    `/NAME` means a command, prompt template or skill; `rule://NAME` a rule; another text a rule's name or a path, and
    then a command's name.
    """
    from xcsh.surfaces import explain_commands, explain_rules  # noqa: PLC0415 - both build on this module

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


def nearest_names(registry: Registry, wanted: str) -> list[str]:
    """The names most like `wanted`: of commands where it begins with a slash, else of rules."""
    from xcsh.slash.lookup import names_of, nearest_commands  # noqa: PLC0415 - only where a name is unknown

    if wanted.startswith("/"):
        return [f"/{name}" for name in nearest_commands(names_of(registry.commands.all), wanted[1:])]
    return nearest_commands((entry.rule.name for entry in registry.all), wanted.removeprefix("rule://"))


def explanation_shape(explanation: Explanation) -> Shape:
    """One element of `matches` in `xcsh explain --json`."""
    provider = explanation.provider
    owner: Shape | None = {"tool": provider.title, "reads": provider.reads, "differs": []} if provider else None
    return {
        "kind": explanation.kind,
        "item": explanation.shape(),
        "gates": [{"gate": gate.gate, "passed": gate.passed, "detail": gate.detail} for gate in explanation.gates],
        "shadows": list(explanation.shadows),
        "owner": owner,
    }


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
    if explanation.diagnostics:
        rows.append(("diagnostics", f"{plural(len(explanation.diagnostics), 'finding')}: xcsh doctor {where}", True))
    for label, text, passed in rows:
        first, *further = wrap(f"  {label:12} ", visible(text), style.width)
        head = style.paint(f"  {label:12}", DIM) if passed else style.paint(f"  {label:12}", BOLD, RED)
        lines.extend([head + first[14:], *further])
    return lines


def diagnostics_on(registry: Registry, path: str) -> tuple[Diagnostic, ...]:
    """The diagnostics on one file."""
    return tuple(item for item in registry.diagnostics if item.path == path)


def found_gate(origin: Origin, sources: tuple[Source, ...], registry: Registry) -> Gate:
    """By which row of its provider's table a file was found."""
    if origin.row >= len(sources):
        return Gate("found", passed=True, detail=shown_path(origin.path, registry.environment))
    source = sources[origin.row]
    where = source.path
    if source.extensions and not origin.path.endswith(source.path):
        endings = [extension.removeprefix(".") for extension in source.extensions]
        where += f"/*.{endings[0]}" if len(endings) == 1 else f"/*.{{{','.join(endings)}}}"
    return Gate("found", passed=True, detail=f"{where}, place {origin.row + 1} of the provider {origin.provider}")


def frontmatter_gate(diagnostics: tuple[Diagnostic, ...], block: str, *, known: bool = True) -> Gate:
    """How the frontmatter was read; `block` is its BlockState, `known` is False for a tool that has none."""
    if not known:
        return Gate("frontmatter", passed=True, detail="this tool knows none; the text is taken as it stands")
    found = [item for item in diagnostics if CODES[item.code].gate == "frontmatter"]
    if not found:
        none = "none" if block == BlockState.ABSENT else "read as it stands"
        return Gate("frontmatter", passed=block != BlockState.FAILED, detail=none)
    first = next((item for item in found if item.code in UNREAD_CODES), found[0])
    line = f"line {first.position.line}: " if first.position else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Gate("frontmatter", block != BlockState.FAILED, f"{line}{first.message}{more}")


def _skipped(registry: Registry, wanted: str, path: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    items = (registry.rules, registry.commands, registry.prompts, registry.skills)
    files = [skipped for kind in items for skipped in kind.skipped if _is(skipped, wanted, path)]
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
