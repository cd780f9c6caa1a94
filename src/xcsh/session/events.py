"""What a session tells whoever shows it: one closed union of events, and their JSON (S-14)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast, get_args

from xcsh.agent.events import TurnEvent
from xcsh.model.diagnostic import Diagnostic
from xcsh.surfaces.shapes import diagnostic_shape


class Usage(NamedTuple):
    """What a turn used: tokens as its providers reported them, else estimated."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class TurnStarted(NamedTuple):
    """A text of the user is on its way to the model. `text` is what is sent, `typed` what was typed."""

    turn: int
    text: str
    typed: str


class TurnCompleted(NamedTuple):
    """The final answer of a turn."""

    turn: int
    text: str
    usage: Usage


class TurnFailed(NamedTuple):
    """There is no answer: what went wrong in one line, and what to do in another. The queue is kept."""

    turn: int
    message: str
    hint: str
    usage: Usage


class TurnAborted(NamedTuple):
    """The user ended the turn. What was finished stays in the history; the queue is kept."""

    turn: int
    usage: Usage


class QueueChanged(NamedTuple):
    """What waits to be sent: before the next request, and after the turn."""

    steering: tuple[str, ...]
    follow_ups: tuple[str, ...]


class SteeringDelivered(NamedTuple):
    """A text that was queued is in the conversation now."""

    text: str


class CommandSaid(NamedTuple):
    """A command has something to show."""

    text: str


class Notice(NamedTuple):
    """Something that the user should know, in a sentence."""

    text: str


class CommandHandled(NamedTuple):
    """A command has dealt with what was typed, and nothing is sent. `stage`: of the prompt pipeline."""

    stage: str
    typed: str


class DiagnosticsFound(NamedTuple):
    """Findings: of the files that were read, or of something that happened."""

    diagnostics: tuple[Diagnostic, ...]


class FilesReread(NamedTuple):
    """The files were read again, since one changed or somebody asked: these many rules and file commands are active."""

    active_rules: int
    active_commands: int


class NoteKept(NamedTuple):
    """The model will be told this with the next prompt, such as what a command of the user has printed."""

    text: str


class CompactionStarted(NamedTuple):
    """The history is being made shorter. What is sent meanwhile waits."""

    tokens: int


class CompactionCompleted(NamedTuple):
    """The history is shorter now; estimates of its tokens before and after."""

    tokens_before: int
    tokens_after: int


class CompactionFailed(NamedTuple):
    """The history stays as it was."""

    message: str


class SessionNotSaved(NamedTuple):
    """What is said can not be written down at the moment: why in one line, and what to do in another.

    The conversation goes on. What a resumed session will have is what was written before.
    """

    message: str
    hint: str


class ModelChanged(NamedTuple):
    """From the next turn on this model answers, and it is told to think so hard; empty: as it does unasked."""

    model: str
    thinking: str


SessionEvent = (
    TurnEvent
    | TurnStarted
    | TurnCompleted
    | TurnFailed
    | TurnAborted
    | QueueChanged
    | SteeringDelivered
    | CommandSaid
    | Notice
    | CommandHandled
    | DiagnosticsFound
    | FilesReread
    | NoteKept
    | CompactionStarted
    | CompactionCompleted
    | CompactionFailed
    | SessionNotSaved
    | ModelChanged
)
Sink = Callable[[SessionEvent], None]

EVENTS: tuple[type[SessionEvent], ...] = get_args(SessionEvent)
"""Every kind of event."""

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def event_name(event: type[SessionEvent]) -> str:
    """What `type` says of such an event: its name in snake case."""
    return _CAPITAL.sub("_", event.__name__).lower()


def event_json(event: SessionEvent) -> dict[str, object]:
    """The event as JSON values: `type`, then its fields under their names; findings as everywhere (U-3)."""
    return {"type": event_name(type(event)), **_fields(event)}


def _fields(record: SessionEvent | tuple[object, ...]) -> dict[str, object]:
    named = cast("Mapping[str, object]", record._asdict())  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return {key: _value(value) for key, value in named.items()}


def _value(value: object) -> object:
    if isinstance(value, Diagnostic):
        return diagnostic_shape(value)
    if isinstance(value, list | tuple):
        items = cast("tuple[object, ...]", value)
        return _fields(items) if hasattr(items, "_asdict") else [_value(item) for item in items]
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, float) and not math.isfinite(value):  # a model may write NaN, which is no JSON
        return str(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
