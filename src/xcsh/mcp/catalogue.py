"""What a client can have of a registry: rules to read, commands to call, and questions about both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcsh.api import providers_of
from xcsh.diagnosis import with_every_finding
from xcsh.model.command import SlashCommand
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule
from xcsh.parsing.values import as_text
from xcsh.slash.expansion import callable_commands, expand
from xcsh.surfaces.doctor import doctor_lines
from xcsh.surfaces.explain import explain, nearest_names, render_explanation
from xcsh.surfaces.layout import Style
from xcsh.surfaces.reach import reach_of
from xcsh.surfaces.rule_url import read_rule, url_of

_ADDRESSABLE = (Bucket.ALWAYS_APPLY, Bucket.RULEBOOK)
_STYLE = Style(colour=False, width=100)


class Listed(NamedTuple):
    """A rule or command as it is listed; `hint` is what its argument is."""

    name: str
    description: str
    hint: str = ""


class Catalogue:
    """One registry. Nothing of a project runs. `doctor`, `explain`, `rules_for` read files: not for an event loop."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._commands: dict[str, tuple[str, SlashCommand]] = {}
        for called, command in callable_commands(registry).items():
            self._commands.setdefault(command.name, (called, command))

    def rules(self) -> list[tuple[str, Listed]]:
        """The rules that can be read, with their URLs, in the registry's order."""
        addressable = [entry for entry in self.registry.active if entry.bucket in _ADDRESSABLE]
        return [
            (url_of(entry.rule.name), Listed(entry.rule.name, _described(entry.rule, entry.bucket)))
            for entry in addressable
        ]

    def read(self, url: str) -> Rule:
        """The rule of a URL. RuleUrlError, RuleNotFoundError."""
        return read_rule(self.registry, url)

    def commands(self) -> list[Listed]:
        """The slash commands, prompt templates and skills that a person may call, by name."""
        return [
            Listed(name, command.description, command.argument_hint or "")
            for name, (_, command) in sorted(self._commands.items())
        ]

    def expand(self, name: str, arguments: str) -> tuple[str, str] | None:
        """What the call of a command is sent as, and its description; None where none has the name.

        What the command would include of files or of the shell stands there as it is written.
        """
        if name not in self._commands:
            return None
        called, command = self._commands[name]
        expansion = expand(self.registry, f"/{called} {arguments}".rstrip())
        return (expansion.text, command.description) if expansion.command is command else None

    def complete(self, typed: str) -> list[str]:
        """The names of rules that begin with what is typed, then those that hold it."""
        names = [listed.name for _, listed in self.rules()]
        wanted = typed.lower()
        begin = [name for name in names if name.lower().startswith(wanted)]
        return begin + [name for name in names if wanted in name.lower() and name not in begin]

    def rules_for(self, paths: Sequence[str]) -> str:
        """Which rules are for files: of each rule how it applies, and the whole text of those that are for the file."""
        parts: list[str] = []
        for path in paths:
            reached = [reach for reach in reach_of(self.registry, path) if reach.how is not None]
            parts.append(f"# {path}")
            parts += [f"- {reach.entry.rule.name}: {reach.detail}" for reach in reached] or ["- no rule applies"]
            parts += [
                f"\n## {reach.entry.rule.name}\n\n{reach.entry.rule.content.strip()}"
                for reach in reached
                if reach.how in ("always", "attached")
            ]
        return "\n".join(parts)

    def explain(self, name: str) -> str | None:
        """Why a rule, a command (`/NAME`) or a file is as it is; None where there is nothing of the name."""
        registry = with_every_finding(self.registry)
        found = explain(registry, name, {provider.id: provider for provider in providers_of(registry)})
        blocks = ["\n".join(render_explanation(registry, each, _STYLE)) for each in found]
        return "\n\n".join(blocks) or None

    def nearest(self, name: str) -> list[str]:
        """The names that are nearest to one that there is none of."""
        return nearest_names(self.registry, name)

    def doctor(self) -> str:
        """Every finding, with place, excerpt and what to do."""
        return "\n".join(doctor_lines(with_every_finding(self.registry), _STYLE, whole=True))


def _described(rule: Rule, bucket: str | None) -> str:
    said = " ".join(as_text(rule.description).split()) if rule.description else ""
    return said or ("in force for everything" if bucket == Bucket.ALWAYS_APPLY else "")
