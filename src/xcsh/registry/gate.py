"""What settings say of one provider's items: how they are read, and which are switched off (R-34)."""

from __future__ import annotations

from xcsh.model.provider import Provider
from xcsh.model.settings import Settings


class Gate:
    """The settings for one provider's items of one level."""

    def __init__(self, provider: Provider, settings: Settings, level: str) -> None:
        self.repair = settings.get("frontmatter.repair", level) is True
        self.owner = settings.get("rules.activation", level) == "owner"
        self._disabled = frozenset(settings.texts("discovery.disabled", level))
        self._all: str | None = None
        if provider.id in self._disabled:
            self._all = f"the provider {provider.id} is disabled in settings"
        elif not provider.reference and settings.get("discovery.providers", level) == "reference":
            self._all = 'discovery.providers is "reference"'

    def closed(self, kind: str, name: str) -> str | None:
        """Why an item is switched off; None where it is not."""
        if self._all is None and self._disabled and f"{kind}:{name}" in self._disabled:
            return f"{kind}:{name} is disabled in settings"
        return self._all
