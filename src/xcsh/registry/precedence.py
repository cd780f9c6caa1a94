"""Precedence: one function, one tuple, for every kind of item (R-30, R-31, C-3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from xcsh.model.command import SlashCommand
from xcsh.model.provider import Provider
from xcsh.model.rule import Rule

Rank = tuple[int, int, int, str]
"""Position of the provider, row of its table, depth below the row's folder, path relative to it."""
ItemT = TypeVar("ItemT", Rule, SlashCommand)


def provider_positions(providers: Iterable[Provider]) -> dict[str, int]:
    """Providers by priority, highest first; ties keep registration order.

    Context files of several tools with one priority have one position: what lies nearest comes last, whoever reads it.
    """
    positions: dict[str, int] = {}
    shared: dict[int, int] = {}
    for position, provider in enumerate(sorted(providers, key=lambda provider: -provider.priority)):
        context = provider.rules is not None and provider.rules.context
        positions[provider.id] = shared.setdefault(provider.priority, position) if context else position
    return positions


def rank(item: Rule | SlashCommand, positions: Mapping[str, int]) -> Rank:
    """Where an item stands in the one total order of its kind; the smallest rank of a name wins."""
    return (positions[item.origin.provider], *item.rank)


def by_precedence(items: Iterable[ItemT], positions: Mapping[str, int]) -> list[tuple[ItemT, ItemT | None]]:
    """The items in registry order, each with the winner of its name where it is not that itself."""
    winners: dict[str, ItemT] = {}
    ordered: list[tuple[ItemT, ItemT | None]] = []
    for item in sorted(items, key=lambda item: rank(item, positions)):
        winner = winners.setdefault(item.name, item)
        ordered.append((item, None if winner is item else winner))
    return ordered
