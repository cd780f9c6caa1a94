"""A piece of an answer, as it was cut off."""

from __future__ import annotations

from typing import NamedTuple


class Block(NamedTuple):
    """A piece of a text: `source` is what stands in it, `shown` what is painted, which may hold a fence that it lacks.

    `spaced`: whether an empty line stands before it.
    """

    source: str
    shown: str
    spaced: bool
