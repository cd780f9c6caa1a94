"""A question about consent and its answers, as values for whoever asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

THE_MODEL = "the model"


class ConsentRequest(NamedTuple):
    """What somebody wants to do. Of `command`, `path` and `arguments` one says it; the others are empty.

    `command`: exactly what a shell would get. `path`: relative to the working folder, absolute where it leads out of
    it; `diff`: the change as a unified diff. `arguments`: of another tool, as JSON. `why`: why it needs consent.
    `origin`: whose wish it is. `notes`: what else to know before the answer. `patterns`: what `Always`
    could write down, narrowest first. `once`: only `Once` and `No` are to be had, since what it would do next time is
    not known now; another yes counts as `Once`. All but `why` and `notes` may be the model's own text: show it as data.
    """

    tool: str
    why: str
    command: str = ""
    path: str = ""
    diff: str = ""
    arguments: str = ""
    origin: str = THE_MODEL
    notes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    call_id: str = ""
    once: bool = False


class Once(NamedTuple):
    """Yes, this time."""


class Session(NamedTuple):
    """Yes, and for as long as the session lasts: the very same, or whatever `pattern` matches."""

    pattern: str = ""


class Always(NamedTuple):
    """Yes, and from now on for whatever `pattern` matches; it is written to the user's settings."""

    pattern: str


class No(NamedTuple):
    """No. `reason` is told to the model."""

    reason: str = ""


Answer = Once | Session | Always | No
Ask = Callable[[ConsentRequest], Awaitable[Answer]]
