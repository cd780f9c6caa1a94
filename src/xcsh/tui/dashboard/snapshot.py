"""What the dashboard shows, taken at one moment: a registry with every finding, and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xcsh.api import providers_of, render_prompt
from xcsh.diagnosis import with_every_finding
from xcsh.extensions.loading import Extensions
from xcsh.extensions.registration import ExtensionCommand
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.session.prompt_pipeline import PromptContext
from xcsh.surfaces.layout import plural
from xcsh.surfaces.listing import diagnostics_line
from xcsh.surfaces.prompt import Prompt
from xcsh.tui.dashboard.row import Row, State
from xcsh.tui.dashboard.rows import rows_of


class Snapshot(NamedTuple):
    """`taken_of` is the session's registry as it was; `registry` has the commands in Python and all findings too."""

    taken_of: Registry
    registry: Registry
    extensions: Extensions
    prompt: Prompt
    providers: Mapping[str, Provider]
    rows: list[Row]

    @property
    def around(self) -> int:
        """The tokens of the prompt that no rule costs: what stands around the list of the rulebook."""
        return self.prompt.tokens - sum(part.tokens for part in self.prompt.parts)

    @property
    def titles(self) -> dict[str, str]:
        """The names of the providers, by id and in their order."""
        return {provider.id: provider.title for provider in self.providers.values()}

    @property
    def off(self) -> frozenset[str]:
        """The providers that are switched off for everything that they have."""
        disabled = self.registry.settings.texts("discovery.disabled")
        return frozenset(name for name in disabled if name in self.providers)

    def extension(self, row: Row) -> ExtensionCommand | None:
        """The command of an extension that a row stands for."""
        commands = (*self.extensions.commands, *self.extensions.shadowed)
        return next((each for each in commands if row.id == row_id(each)), None)


def row_id(command: ExtensionCommand) -> str:
    """The id of an extension command's row."""
    return f"extension:{command.extension}:{command.path}:{command.name}"


def take(context: PromptContext) -> Snapshot:
    """Everything that can be listed of what a session has found. Reads files: not for an event loop."""
    registry = with_every_finding(context.registry)
    prompt = render_prompt(registry)
    providers = {provider.id: provider for provider in providers_of(registry)}
    titles = {provider.id: provider.title for provider in providers.values()}
    rows = rows_of(registry, prompt, context.extensions, titles)
    return Snapshot(context.registry, registry, context.extensions, prompt, providers, rows)


def headline(snapshot: Snapshot, width: int) -> str:
    """How many items there are in which state, as in `xcsh rules`, and what the prompt costs; one line or two."""
    counts: dict[str, int] = dict.fromkeys((State.ACTIVE, State.SHADOWED, State.SKIPPED, State.OFF), 0)
    for row in snapshot.rows:
        counts[row.state] += 1
    parts = [f"{count:,} {state}" for state, count in counts.items() if count or state != State.OFF]
    if found := diagnostics_line(snapshot.registry.diagnostics):
        parts.append(found)
    left, cost = " · ".join(parts), f"~{plural(snapshot.prompt.tokens, 'token')}"
    for right in (f"{cost} in the prompt", cost):
        if len(left) + 2 + len(right) <= width:
            return f"{left}{right:>{width - len(left)}}"
    return f"{left}\n{cost} in the prompt"
