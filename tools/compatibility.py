"""Which kinds of files of which tool are read, as a table made from the tables of the providers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xcsh.model.provider import Provider, RuleTable
from xcsh.model.source import Root

YES, NO = "yes", "–"
HEAD = ("tool", "rules", "in sub-folders", "patterns", "imports", "what the tool takes", "commands", "skills")


class Row(NamedTuple):
    """One tool: its title and a cell for each column; `patterns` is the key, `limit` the tool's own limit in words."""

    tool: str
    rules: str
    nested: str
    patterns: str
    imports: str
    limit: str
    commands: str
    skills: str


def rows(providers: Iterable[Provider]) -> list[Row]:
    """A row for each tool that has files of its own, by name."""
    by_title: dict[str, list[Provider]] = {}
    for provider in providers:
        if provider.priority:
            by_title.setdefault(provider.title, []).append(provider)
    return [_row(title, parts) for title, parts in sorted(by_title.items(), key=lambda pair: pair[0].lower())]


def pattern_key(table: RuleTable) -> str | None:
    """The key by which a tool's rule says for which files it is."""
    if table.fields is None:
        return None
    key = table.owner.key if table.owner.patterns else table.owner.pattern_key
    if key is None and (not table.own_keys or "globs" in table.own_keys):
        key = "globs"
    return key


def limit_of(table: RuleTable) -> str:
    """How much of its files the tool takes, as far as it says."""
    limits = sorted({source.limit for source in table.sources if source.limit})
    if table.own.total_bytes:
        return f"{table.own.total_by}: {table.own.total_bytes:,} bytes together"
    return " or ".join(f"{limit:,}" for limit in limits) + " characters a file" if limits else ""


def _row(title: str, parts: Sequence[Provider]) -> Row:
    rules = [provider.rules for provider in parts if provider.rules is not None]
    keys = dict.fromkeys(f"`{key}`" for table in rules if (key := pattern_key(table)))
    limits = dict.fromkeys(limit for table in rules if (limit := limit_of(table)))
    return Row(
        title,
        _said(bool(rules)),
        _said(any(source.root == Root.NESTED for table in rules for source in table.sources)),
        ", ".join(keys) or NO,
        "`@path`" if any(table.imports for table in rules) else NO,
        "; ".join(limits) or NO,
        _said(any(provider.commands or provider.prompts for provider in parts)),
        _said(any(provider.skills for provider in parts)),
    )


def _said(yes: bool) -> str:  # noqa: FBT001 - a cell
    return YES if yes else NO
