"""Which skipped file would have been a command of some name, and why it is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.source import SKIP_REASONS, Skipped
from xcsh.slash.expansion import SKILL_PREFIX
from xcsh.surfaces.explanation import diagnostics_on
from xcsh.surfaces.layout import shown_path

_SKILL = "SKILL.md"


class SkippedCommand(NamedTuple):
    """A file as it is shown, with the place of the fault; why it is skipped; what to do."""

    place: str
    reason: str
    hint: str


def skipped_command(registry: Registry, name: str) -> SkippedCommand | None:
    """The file that `/name` would mean if it were not skipped; of several one that has a finding."""
    found = [_described(registry, item) for item in skipped_named(registry, name)]
    return next((each for each in found if each.hint), found[0] if found else None)


def skipped_named(registry: Registry, name: str) -> Iterator[Skipped]:
    """The skipped files whose own name, with folders where `name` has them, is that of a command."""
    for items in (registry.commands, registry.prompts):
        yield from (item for item in items.skipped if _is_called(os.path.splitext(item.path)[0], name))
    if name.startswith(SKILL_PREFIX):
        skill = name.removeprefix(SKILL_PREFIX)
        folders = (os.path.split(item.path) for item in registry.skills.skipped)
        called = [base.lower() == _SKILL.lower() and _is_called(folder, skill) for folder, base in folders]
        yield from (item for item, is_called in zip(registry.skills.skipped, called, strict=True) if is_called)


def _is_called(path: str, name: str) -> bool:
    return bool(name) and path.replace(os.sep, "/").endswith("/" + name.replace(":", "/"))


def _described(registry: Registry, item: Skipped) -> SkippedCommand:
    shown = shown_path(item.path, registry.environment)
    finding = next(iter(diagnostics_on(registry, item.path)), None)
    if finding is None:
        reason = SKIP_REASONS.get(item.reason, item.reason)
        return SkippedCommand(shown, f"{reason}: {item.detail}" if item.detail else reason, "")
    place = f"{shown}:{finding.position.line}:{finding.position.column}" if finding.position else shown
    return SkippedCommand(place, finding.message, finding.hint)
