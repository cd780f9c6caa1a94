"""The rows of the dashboard as they are shown: chosen by a search, under headings, each where it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from xcsh.model.rule import Bucket
from xcsh.surfaces.listing import HEADINGS
from xcsh.tui.dashboard.row import Row, State

SECTIONS: Mapping[str, tuple[str, str]] = {
    **{bucket: HEADINGS[bucket] for bucket in Bucket.ORDER},
    "commands": ("COMMANDS", "typed, with a slash before them"),
    "prompts": ("PROMPTS", "templates; a command of the same name comes first"),
    "skills": ("SKILLS", "typed as /skill:NAME"),
    "extensions": ("EXTENSIONS", "commands in Python"),
    State.OFF: ("OFF", "switched off in settings"),
    State.SKIPPED: ("SKIPPED", "found, and not used"),
}
"""The sections in their order, with title and gloss."""


class Heading(NamedTuple):
    """Above the rows of a section or a provider. `provider` is the id of the one that it stands for."""

    id: str
    title: str
    gloss: str
    size: int
    tokens: int = 0
    provider: str = ""
    off: bool = False


Item = Heading | Row


class Wanted(NamedTuple):
    """What the user wants to see: rows with all the words of `query`, or those with problems."""

    query: str = ""
    problems: bool = False

    def __call__(self, row: Row) -> bool:
        """Whether a row is wanted."""
        if self.problems and not row.problem:
            return False
        return all(word in row.text for word in self.query.casefold().split())


def by_section(rows: Iterable[Row], wanted: Callable[[Row], bool], *, around: int = 0) -> list[Item]:
    """The wanted rows as `xcsh rules` groups them.

    `around`: the tokens of what stands around the list of the rulebook, which are its own where all of it is wanted.
    """
    found: dict[str, list[Row]] = {}
    searched = False
    for row in rows:
        if wanted(row):
            found.setdefault(row.section, []).append(row)
        else:
            searched = searched or row.section == Bucket.RULEBOOK
    items: list[Item] = []
    for section, (title, gloss) in SECTIONS.items():
        if chosen := found.get(section):
            spent = sum(row.tokens for row in chosen if row.spent)
            if section == Bucket.RULEBOOK and not searched:
                spent += around
            items += [Heading(f"section:{section}", title, gloss, len(chosen), spent), *chosen]
    return items


def by_provider(
    rows: Iterable[Row], wanted: Callable[[Row], bool], titles: Mapping[str, str], off: Iterable[str]
) -> list[Item]:
    """The wanted rows under their providers, in the order of `titles`; those of `off` have a heading in any case,
    unless something is searched for.
    """
    found: dict[str, list[Row]] = {}
    rows = list(rows)
    for row in filter(wanted, rows):
        found.setdefault(row.provider, []).append(row)
    off = set(off)
    searched = not all(map(wanted, rows))
    order = list(SECTIONS)
    items: list[Item] = []
    for provider in (*titles, *(other for other in found if other not in titles)):
        chosen = sorted(found.get(provider, ()), key=lambda row: order.index(row.section))
        if chosen or (provider in off and not searched):
            spent = sum(row.tokens for row in chosen if row.spent)
            heading = Heading(
                f"provider:{provider}",
                titles.get(provider, provider),
                "",
                len(chosen),
                spent,
                provider,
                provider in off,
            )
            items += [heading, *chosen]
    return items


def keep_places(rows: Sequence[Row], before: Sequence[Row]) -> list[Row]:
    """The rows, those that are off now where they were before: whoever switches one off finds it there."""
    stood = {row.id: row for row in before if row.section not in (State.OFF, State.SKIPPED)}
    moving = {row.id: row for row in rows if row.state == State.OFF and row.id in stood}
    if not moving:
        return list(rows)
    after: dict[str, list[Row]] = {}
    anchor = ""
    section = ""
    staying = {row.id for row in rows} - set(moving)
    for old in before:
        if old.section != section:
            section, anchor = old.section, f"section:{old.section}"
        if old.id in moving:
            now = moving[old.id]
            after.setdefault(anchor, []).append(now._replace(section=old.section, name=old.name))
        elif old.id in staying:
            anchor = old.id
    arranged: list[Row] = []
    begun: set[str] = set()
    for row in rows:
        if row.id in moving:
            continue
        if row.section not in begun:
            begun.add(row.section)
            arranged += after.pop(f"section:{row.section}", [])
        arranged.append(row)
        arranged += after.pop(row.id, [])
    for rest in after.values():  # of sections with nothing else in them
        arranged += rest
    return arranged


def position_of(items: Sequence[Item], wanted: str, otherwise: int) -> int | None:
    """Where the item with that id stands; else the row that is nearest to a position; None where there is none."""
    for index, item in enumerate(items):
        if item.id == wanted:
            return index
    rows = [index for index, item in enumerate(items) if isinstance(item, Row)]
    return min(rows, key=lambda index: abs(index - otherwise)) if rows else None
