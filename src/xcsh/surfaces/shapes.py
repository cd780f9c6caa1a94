"""The JSON shapes of the command line (U-3): plain values, keys as documented, nothing that JSON cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from xcsh.model.command import CommandEntry, SlashCommand
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.extension import ExtensionFile
from xcsh.model.registry import Registry
from xcsh.model.rule import TRIGGER_LABELS, Bucket, Entry
from xcsh.model.source import Skipped
from xcsh.parsing.tokens import estimate_tokens
from xcsh.parsing.values import as_text
from xcsh.slash.lookup import aliases_of, names_of
from xcsh.surfaces.prompt import Prompt

if TYPE_CHECKING:
    from xcsh.slash.expansion import Expansion
    from xcsh.surfaces.reach import Reach

Shape = dict[str, object]


def diagnostic_shape(diagnostic: Diagnostic) -> Shape:
    """One diagnostic; line and column are null where it is about a whole file."""
    line, column = diagnostic.position or (None, None)
    end_line, end_column = diagnostic.end or (None, None)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "path": diagnostic.path or None,
        "line": line,
        "column": column,
        "endLine": end_line,
        "endColumn": end_column,
        "message": diagnostic.message,
        "hint": diagnostic.hint or None,
        "provider": diagnostic.provider or None,
        "related": list(diagnostic.related),
    }


def rule_shape(entry: Entry, diagnostics: Iterable[Diagnostic]) -> Shape:
    """One rule with its origin flattened; `diagnostics` are those of its file."""
    rule = entry.rule
    label = TRIGGER_LABELS[entry.bucket or Bucket.INACTIVE]
    return {
        "name": rule.name,
        "bucket": entry.bucket,
        "provider": rule.origin.provider,
        "providerName": rule.origin.title,
        "level": rule.origin.level,
        "path": rule.origin.path,
        "description": None if rule.description is None else as_text(rule.description),
        "globs": [as_text(glob) for glob in rule.globs],
        "alwaysApply": rule.always_apply is True,
        "condition": list(rule.condition),
        "scope": list(rule.scope),
        "interruptMode": rule.interrupt_mode,
        "content": rule.content,
        "tokens": estimate_tokens(rule.content),
        "trigger": label,
        "shadowed": entry.shadowed_by is not None,
        "shadowedBy": entry.shadowed_by.path if entry.shadowed_by else None,
        "reason": reason_of(entry),
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in diagnostics],
    }


def reason_of(entry: Entry) -> str:
    """Why an entry is in its bucket, and of a stream rule that it can never fire, where that was looked at."""
    return f"{entry.reason}, and can never fire: {entry.idle}" if entry.idle else entry.reason


def skipped_shape(skipped: Skipped) -> Shape:
    """One file that was found and is no item."""
    return {
        "path": skipped.path,
        "provider": skipped.provider,
        "reason": skipped.reason,
        "detail": skipped.detail or None,
    }


def rules_shape(registry: Registry, entries: Iterable[Entry], *, with_skipped: bool) -> Shape:
    """`xcsh rules --json`."""
    by_path = diagnostics_by_path(registry.diagnostics)
    return {
        "cwd": registry.environment.cwd,
        "rules": [rule_shape(entry, by_path.get(entry.rule.path, ())) for entry in entries],
        "skipped": [skipped_shape(skipped) for skipped in registry.skipped] if with_skipped else [],
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in registry.diagnostics],
    }


def reach_shape(registry: Registry, found: Mapping[str, Iterable[Reach]], *, show_all: bool) -> Shape:
    """`xcsh rules --for PATH --json`: the rules that reach the model for each path, with `--all` also the others."""
    chosen = {path: [reach for reach in reaches if show_all or reach.how] for path, reaches in found.items()}
    entries = list({id(reach.entry): reach.entry for reaches in chosen.values() for reach in reaches}.values())
    shape = rules_shape(registry, entries, with_skipped=False)
    shape["for"] = [
        {
            "path": path,
            "rules": [
                {"name": reach.entry.rule.name, "how": reach.how, "pattern": reach.pattern, "detail": reach.detail}
                for reach in reaches
            ],
        }
        for path, reaches in chosen.items()
    ]
    return shape


def command_shape(entry: CommandEntry, names: Mapping[str, SlashCommand]) -> Shape:
    """One command; `names` is every name that can be typed, for its aliases."""
    command = entry.command
    return {
        "name": command.name,
        "description": command.description,
        "argumentHint": command.argument_hint,
        "provider": command.origin.provider,
        "providerName": command.origin.title,
        "level": command.origin.level,
        "path": command.origin.path,
        "source": command.source,
        "template": command.template,
        "aliases": aliases_of(command, names),
        "allowedTools": list(command.allowed_tools),
        "model": command.model,
        "modelInvocable": command.model_invocable,
        "userInvocable": command.user_invocable,
        "shadowed": entry.shadowed_by is not None,
        "shadowedBy": entry.shadowed_by.path if entry.shadowed_by else None,
    }


def commands_shape(registry: Registry, *, show_all: bool) -> Shape:
    """`xcsh commands --json`."""
    items = registry.commands
    names = names_of(items.all)
    return {
        "cwd": registry.environment.cwd,
        "commands": [command_shape(entry, names) for entry in (items.all if show_all else items.active)],
        "extensions": [_extension_shape(file) for file in registry.extensions],
        "skipped": [skipped_shape(skipped) for skipped in items.skipped] if show_all else [],
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in registry.diagnostics],
    }


def _extension_shape(file: ExtensionFile) -> Shape:
    """One extension; its commands are null, since they are known only where it runs."""
    return {
        "name": file.name,
        "level": file.level,
        "path": file.path,
        "active": not file.reason,
        "reason": file.reason or None,
        "detail": file.detail or None,
        "commands": None,
    }


def expansion_shape(expansion: Expansion) -> Shape:
    """`xcsh expand --json`."""
    return {
        "matched": expansion.command is not None,
        "command": expansion.command.name if expansion.command else None,
        "args": list(expansion.args),
        "text": expansion.text,
        "includes": [
            {"kind": each.kind, "text": each.text, "arguments": dict(each.values)} for each in expansion.includes
        ],
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in expansion.diagnostics],
    }


def doctor_shape(registry: Registry, diagnostics: Iterable[Diagnostic]) -> Shape:
    """`xcsh doctor --json`."""
    chosen = list(diagnostics)
    return {
        "cwd": registry.environment.cwd,
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in chosen],
        "summary": summary(chosen),
    }


def prompt_shape(prompt: Prompt) -> Shape:
    """`xcsh prompt --json`."""
    parts = [{"rule": part.rule, "kind": part.kind, "tokens": part.tokens, "path": part.path} for part in prompt.parts]
    return {"text": prompt.text, "tokens": prompt.tokens, "parts": parts}


def summary(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """How many diagnostics there are of each severity that people count."""
    counts = {Severity.ERROR: 0, Severity.WARNING: 0, Severity.INFORMATION: 0}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] = counts.get(diagnostic.severity, 0) + 1
    return counts


def diagnostics_by_path(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """The diagnostics of each file, order kept."""
    found: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found
