"""Precedence: one function, one tuple (R-30, R-31)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcsh.model.provider import Provider
from xcsh.model.rule import Rule

Rank = tuple[int, int, int, str]
"""Position of the provider, row of its table, depth below the row's folder, path relative to it."""


def provider_positions(providers: Iterable[Provider]) -> dict[str, int]:
    """Providers by priority, highest first; ties keep registration order."""
    ordered = sorted(providers, key=lambda provider: -provider.priority)
    return {provider.id: position for position, provider in enumerate(ordered)}


def rank(rule: Rule, positions: Mapping[str, int]) -> Rank:
    """Where a rule stands in the one total order of all rules; the smallest rank of a name wins."""
    return (positions[rule.origin.provider], *rule.rank)
