"""What an item of a stream means to the guard: text of one of the model's streams, or the end of one."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Delta(NamedTuple):
    """Some more of a stream. `call` keeps streams of one source apart; `tool` names the tool of a call."""

    source: str
    text: str
    call: str = ""
    tool: str = ""


class End(NamedTuple):
    """A stream is complete."""

    source: str
    call: str = ""


Step = Delta | End


class Reader(Protocol):
    """Reads the items of one response, in order. What it does not know means nothing; it never fails."""

    def read(self, item: object) -> list[Step]:
        """What `item` means."""
        ...
