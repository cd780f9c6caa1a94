"""Keeps an item as it was while its file is broken: a save that was not finished takes nothing away (C-32)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Items, Registry
from xcsh.model.rule import Rule
from xcsh.model.source import Skipped
from xcsh.parsing.finding import Finding
from xcsh.registry.resolve import resolve_commands, resolve_rules

KEPT = "kept-last-good"
_BROKEN_REASONS = frozenset({"empty", "invalid-file", "unreadable", "too-large", "binary"})
_BROKEN_HEADS = frozenset(
    {
        "invalid-frontmatter",
        "unterminated-frontmatter",
        "frontmatter-fence",
        "frontmatter-not-first",
        "frontmatter-not-mapping",
        "frontmatter-too-large",
        "lost-frontmatter",
    }
)
_SETTINGS = "invalid-settings-file"
ItemT = TypeVar("ItemT", Rule, SlashCommand)


class _Kept(NamedTuple, Generic[ItemT]):
    """The items of one kind, the earlier ones in place of those that are broken; what is skipped still; whose files."""

    items: list[ItemT]
    skipped: tuple[Skipped, ...]
    origins: dict[str, str]


def with_last_good(before: Registry, after: Registry, positions: Mapping[str, int]) -> Registry:
    """The registry `after`, in which what has just become broken stays as it was in `before`.

    Broken is a file that is still there and that became empty, unreadable or no file of its format, whose frontmatter
    cannot be read any more, or in which there is an error that was not there before. A settings file that is broken
    keeps everything as it was: with other settings everything might be another. What was removed is gone.
    """
    wrong = _newly_wrong(before, after)
    settings = [item for item in after.diagnostics if item.code == _SETTINGS and item.path in wrong]
    if settings:
        return before._replace(diagnostics=_joined(before.diagnostics, settings, {item.path: "" for item in settings}))
    found: list[Diagnostic] = []
    rules = _with_earlier(
        [entry.rule for entry in before.all], [entry.rule for entry in after.all], after.rules.skipped, wrong
    )
    commands, prompts, skills = (
        _with_earlier([entry.command for entry in old.all], [entry.command for entry in new.all], new.skipped, wrong)
        for old, new in (
            (before.commands, after.commands),
            (before.prompts, after.prompts),
            (before.skills, after.skills),
        )
    )
    kept = {**rules.origins, **commands.origins, **prompts.origins, **skills.origins}
    if not kept:
        return after
    changed = after._replace(
        rules=Items(resolve_rules(rules.items, positions, after.settings, found.append), rules.skipped),
        commands=Items(resolve_commands(commands.items, positions, found.append), commands.skipped),
        prompts=Items(resolve_commands(prompts.items, positions, found.append), prompts.skipped),
        skills=Items(resolve_commands(skills.items, positions, found.append), skills.skipped),
    )
    return changed._replace(diagnostics=_joined(after.diagnostics, found, kept))


def _newly_wrong(before: Registry, after: Registry) -> frozenset[str]:
    """The paths of files that are broken now and were not, or whose last good version is in use since then."""
    kept = {item.path for item in before.diagnostics if item.code == KEPT}
    known = {(item.path, item.code) for item in before.diagnostics if item.path not in kept}
    wrong = {
        item.path
        for item in after.diagnostics
        if (item.severity == Severity.ERROR or item.code in _BROKEN_HEADS) and (item.path, item.code) not in known
    }
    for items in (after.rules, after.commands, after.prompts, after.skills):
        wrong |= {skipped.path for skipped in items.skipped if skipped.reason in _BROKEN_REASONS}
    return frozenset(wrong)


def _with_earlier(
    before: Iterable[ItemT], after: list[ItemT], skipped: tuple[Skipped, ...], wrong: frozenset[str]
) -> _Kept[ItemT]:
    """The items with the earlier ones of the paths that are wrong."""
    there = {item.path: item for item in after}
    skipped_paths = {each.path for each in skipped if each.reason in _BROKEN_REASONS}
    kept: dict[str, ItemT] = {}
    for item in before:
        path = item.path
        if path in wrong and (path in skipped_paths or (path in there and there[path] != item)):
            kept[path] = item
    items = [kept.get(item.path, item) for item in after]
    items += [item for path, item in kept.items() if path not in there]
    origins = {path: item.origin.provider for path, item in kept.items()}
    return _Kept(items, tuple(each for each in skipped if each.path not in kept), origins)


def _joined(
    diagnostics: Iterable[Diagnostic], found: Iterable[Diagnostic], kept: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """All findings once, and one for each path of which the last good version is in use."""
    whole = dict.fromkeys(diagnostics)
    whole.update(dict.fromkeys(found))
    for path, provider in kept.items():
        whole[Finding(path, provider).make(KEPT, None, "it is used as it was before its last change")] = None
    return tuple(sorted(whole, key=Diagnostic.sort_key))
