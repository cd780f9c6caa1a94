"""One line of the dashboard: an item in whatever state it is."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from xcsh.model.rule import Bucket

EXTENSION = "extension"
"""The kind of what is written in Python. It is not switched in settings: trust decides."""


UNREACHED = "·"
"""The sign of a rule that no other took the place of, and that reaches no model all the same."""


class State:
    """How an item stands. Off is what settings skip."""

    ACTIVE = "active"
    SHADOWED = "shadowed"
    SKIPPED = "skipped"
    OFF = "off"
    SIGNS: ClassVar[dict[str, str]] = {ACTIVE: "●", SHADOWED: "◌", SKIPPED: "×", OFF: "○"}


class Row(NamedTuple):
    """One item. `section` is where it is listed, `label` its trigger or why it is not active, all printable.

    `tokens` is what it costs; `spent` says that every prompt pays it. `line` is where to look first. `problem`: it does
    not reach the model, or something is odd about it, and nobody has switched it off. `key` is what the setting
    `discovery.disabled` calls it, empty for what cannot be switched; `off_by` is the key that has switched it off.
    """

    id: str
    kind: str
    state: str
    section: str
    name: str
    provider: str
    title: str
    path: str
    shown: str
    label: str
    tokens: int = 0
    spent: bool = False
    line: int = 1
    problem: bool = False
    warned: bool = False
    key: str = ""
    off_by: str = ""
    text: str = ""
    """What a search looks through, without case."""

    @property
    def sign(self) -> str:
        """One character for how it stands."""
        reached = self.state != State.ACTIVE or self.section != Bucket.INACTIVE
        return State.SIGNS[self.state] if reached else UNREACHED
