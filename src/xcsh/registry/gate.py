"""What settings say of one provider's items: how they are read, and which are switched off (R-34)."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.command import Kind
from xcsh.model.diagnostic import Report, Severity
from xcsh.model.provider import Provider
from xcsh.model.settings import Settings
from xcsh.model.source import Level
from xcsh.parsing.finding import Finding

_ITEMS = tuple(f"{kind}:" for kind in (Kind.RULE, Kind.COMMAND, Kind.PROMPT, Kind.SKILL))


def report_unknown(settings: Settings, provider_ids: Iterable[str], disabled: Iterable[str], report: Report) -> None:
    """Reports what `discovery.disabled` names and nothing here is called; `disabled` are the details of what it hid.

    The user's own names are for all folders: an item that is not in this one is in another.
    """
    hidden = list(disabled)
    known = set(provider_ids)
    everywhere = [name for name in settings.texts("discovery.disabled") if not name.startswith(_ITEMS)]
    for name in dict.fromkeys((*everywhere, *settings.texts("discovery.disabled", Level.PROJECT))):
        if name not in known and not any(detail.startswith(f"{name} ") for detail in hidden):
            message = f"`discovery.disabled` names {name!r}, and nothing here is called so"
            report(Finding("").make("invalid-setting", None, message, severity=Severity.INFORMATION))


class Gate:
    """The settings for one provider's items of one level."""

    def __init__(self, provider: Provider, settings: Settings, level: str, *, beyond: bool = False) -> None:
        """`beyond`: the items are no part of the reference, whatever their provider is."""
        self.repair = settings.get("frontmatter.repair", level) is True
        self.owner = settings.get("rules.activation", level) == "owner"
        self._disabled = frozenset(settings.texts("discovery.disabled", level))
        self._all: str | None = None
        if provider.id in self._disabled:
            self._all = f"the provider {provider.id} is disabled in settings"
        elif (beyond or not provider.reference) and settings.get("discovery.providers", level) == "reference":
            self._all = 'discovery.providers is "reference"'

    def closed(self, kind: str, name: str) -> str | None:
        """Why an item is switched off; None where it is not."""
        if self._all is None and self._disabled and f"{kind}:{name}" in self._disabled:
            return f"{kind}:{name} is disabled in settings"
        return self._all
