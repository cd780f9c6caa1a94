"""What the dashboard lists: every rule, command and extension that was found, in whatever state it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xcsh.extensions.loading import Extensions
from xcsh.extensions.registration import ExtensionCommand
from xcsh.model.command import CommandEntry, Kind
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Items, Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.model.source import Skipped
from xcsh.parsing.tokens import estimate_tokens
from xcsh.surfaces.layout import shown_path, shown_summary, visible
from xcsh.surfaces.prompt import Prompt
from xcsh.surfaces.shapes import diagnostics_by_path
from xcsh.tui.dashboard.row import EXTENSION, Row, State

_PREFIX = {Kind.COMMAND: "/", Kind.PROMPT: "/", Kind.SKILL: "/skill:", EXTENSION: "/", Kind.RULE: ""}
_SECTION = {Kind.COMMAND: "commands", Kind.PROMPT: "prompts", Kind.SKILL: "skills", EXTENSION: "extensions"}
_SWITCHED_OFF = " is disabled in settings"
_PROVIDER = "the provider "


def rows_of(
    registry: Registry, prompt: Prompt, extensions: Extensions, titles: Mapping[str, str] | None = None
) -> list[Row]:
    """Every item: rules by bucket, each with those that it shadows; commands; what is off; what was skipped.

    `registry` has the commands in Python among its commands; `titles` are the providers' names by id.
    """
    making = _Making(registry, prompt, titles or {})
    rows = list(making.rules())
    for items in (registry.commands, registry.prompts, registry.skills):
        rows.extend(making.commands(items))
    rows.extend(making.extensions(extensions))
    files: list[tuple[str, Skipped]] = [(Kind.RULE, item) for item in registry.rules.skipped]
    for kind, items in (
        (Kind.COMMAND, registry.commands),
        (Kind.PROMPT, registry.prompts),
        (Kind.SKILL, registry.skills),
    ):
        files.extend((kind, item) for item in items.skipped)
    files.extend((EXTENSION, item) for item in extensions.skipped)
    seen: set[str] = set()
    for kind, item in files:
        row = making.skipped(EXTENSION if item.path.endswith(".py") else kind, item)
        if row.id not in seen:
            seen.add(row.id)
            rows.append(row)
    return rows


class _Making:
    """Makes rows of what one registry holds."""

    def __init__(self, registry: Registry, prompt: Prompt, titles: Mapping[str, str]) -> None:
        self._registry = registry
        self._titles = titles
        self._costs = {part.path: part.tokens for part in prompt.parts}
        self._found = diagnostics_by_path(registry.diagnostics)

    def rules(self) -> Iterator[Row]:
        """The rules, bucket by bucket."""
        losers: dict[int, list[Entry]] = {}
        for entry in self._registry.all:
            if entry.shadowed_by is not None:
                losers.setdefault(id(entry.shadowed_by), []).append(entry)
        for bucket in Bucket.ORDER:
            for entry in self._registry.active:
                if entry.bucket == bucket:
                    yield self._rule(entry, bucket)
                    yield from (self._rule(loser, bucket) for loser in losers.get(id(entry.rule), ()))

    def _rule(self, entry: Entry, section: str) -> Row:
        rule = entry.rule
        label = self._by(entry.shadowed_by.path) if entry.shadowed_by is not None else trigger_of(entry)
        spent = entry.bucket in (Bucket.ALWAYS_APPLY, Bucket.RULEBOOK)
        row = Row(
            f"{Kind.RULE}:{rule.path}",
            Kind.RULE,
            State.ACTIVE if entry.shadowed_by is None else State.SHADOWED,
            section,
            visible(rule.name),
            rule.origin.provider,
            rule.origin.title,
            rule.path,
            "",
            label,
            self._costs.get(rule.path, 0) if spent else estimate_tokens(rule.content),
            spent=spent,
            problem=entry.bucket in (None, Bucket.INACTIVE) or bool(entry.idle),
            key=f"{Kind.RULE}:{rule.name}",
        )
        return self._complete(row, f"{entry.bucket} {rule.description or ''} {' '.join(rule.glob_strings)}")

    def commands(self, items: Items[CommandEntry]) -> Iterator[Row]:
        """The commands of one kind, each with those that it shadows."""
        losers: dict[int, list[CommandEntry]] = {}
        for entry in items.shadowed:
            losers.setdefault(id(entry.shadowed_by), []).append(entry)
        for entry in items.active:
            yield self._command(entry)
            yield from map(self._command, losers.get(id(entry.command), ()))

    def _command(self, entry: CommandEntry) -> Row:
        command = entry.command
        kind = EXTENSION if command.path.endswith(".py") else command.kind
        label = " ".join(f"{command.argument_hint or ''} {shown_summary(command.description)}".split())
        row = Row(
            f"{kind}:{command.path}",
            kind,
            State.ACTIVE if entry.shadowed_by is None else State.SHADOWED,
            _SECTION[kind],
            visible(_PREFIX[kind] + command.name),
            command.origin.provider,
            command.origin.title,
            command.path,
            "",
            visible(label) if entry.shadowed_by is None else self._by(entry.shadowed_by.path),
            estimate_tokens(command.template) if command.template else 0,
            problem=entry.shadowed_by is not None,
            key="" if kind == EXTENSION else f"{kind}:{command.name}",
        )
        return self._complete(row, label)

    def extensions(self, extensions: Extensions) -> Iterator[Row]:
        """The commands that extensions registered."""
        winners = {command.name: command for command in extensions.commands}
        for command in (*extensions.commands, *extensions.shadowed):
            yield self._extension(command, winners[command.name])

    def _extension(self, command: ExtensionCommand, winner: ExtensionCommand) -> Row:
        active = winner is command
        label = " ".join(f"{command.argument_hint or ''} {shown_summary(command.description)}".split())
        row = Row(
            f"{EXTENSION}:{command.extension}:{command.path}:{command.name}",
            EXTENSION,
            State.ACTIVE if active else State.SHADOWED,
            _SECTION[EXTENSION],
            visible(f"/{command.name}"),
            "native",
            "extension",
            command.path,
            "",
            visible(label) if active else self._by(winner.path or winner.extension),
            problem=not active,
        )
        return self._complete(row, f"{label} {command.extension}")._replace(line=max(1, command.line))

    def skipped(self, kind: str, item: Skipped) -> Row:
        """A file that is no item, or one that is switched off."""
        off = item.reason == "disabled"
        off_by = off_by_of(item)
        stem = item.path.replace("\\", "/").rpartition("/")[2]
        own = off_by.partition(":")[2]
        name = own or (stem.rpartition(".")[0] or stem if off else stem)
        why = item.detail if off else f"{item.reason}: {item.detail}" if item.detail else item.reason
        row = Row(
            f"{kind}:{item.path}",
            kind,
            State.OFF if off else State.SKIPPED,
            State.OFF if off else State.SKIPPED,
            visible((_PREFIX[kind] if off else "") + name),
            item.provider,
            self._titles.get(item.provider, item.provider),
            item.path,
            "",
            visible(f"off: {why}" if off else f"skipped: {why}"),
            problem=not off,
            key=off_by if own else "",
            off_by=off_by,
        )
        return self._complete(row, "")

    def _by(self, path: str) -> str:
        return f"shadowed by {shown_path(path, self._registry.environment)}"

    def _complete(self, row: Row, more: str) -> Row:
        found = self._found.get(row.path, ()) if row.path else ()
        warned = any(item.severity in (Severity.ERROR, Severity.WARNING) for item in found)
        shown = shown_path(row.path, self._registry.environment) if row.path else ""
        text = f"{row.state} {row.kind} {row.name} {row.title} {row.provider} {shown} {row.label} {more}"
        return row._replace(
            shown=shown,
            line=first_line(found),
            problem=row.problem or (warned and row.state != State.OFF),
            warned=warned,
            text=text.casefold(),
        )


def trigger_of(entry: Entry) -> str:
    """What brings an active rule to the model, in one printable line."""
    rule = entry.rule
    if entry.idle:
        label = f"can never fire: {entry.idle}"
    elif entry.bucket == Bucket.TTSR:
        label = "  ".join(filter(None, [" | ".join(rule.condition), ", ".join([*rule.scope, *rule.glob_strings])]))
    elif entry.bucket == Bucket.RULEBOOK:
        label = shown_summary(str(rule.description))
    elif entry.bucket == Bucket.ATTACHED:
        label = ", ".join(rule.glob_strings)
    else:
        label = "always" if entry.bucket == Bucket.ALWAYS_APPLY else entry.reason
    return visible(label)


def off_by_of(item: Skipped) -> str:
    """The element of `discovery.disabled` that has switched a file off; empty where it was something else."""
    if item.reason != "disabled" or not item.detail.endswith(_SWITCHED_OFF):
        return ""
    return item.detail.removesuffix(_SWITCHED_OFF).removeprefix(_PROVIDER)


def first_line(found: Iterable[Diagnostic]) -> int:
    """The 1-based line of the first finding that has one, of an error or a warning if there is any."""
    placed = [item for item in found if item.position is not None]
    grave = [item for item in placed if item.severity in (Severity.ERROR, Severity.WARNING)]
    return next((item.position.line for item in (*grave, *placed) if item.position is not None), 1)
