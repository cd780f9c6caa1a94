"""What a turn tells whoever shows it: a closed union of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast


class TextDelta(NamedTuple):
    """More of the message that the model is writing."""

    text: str


class ThinkingDelta(NamedTuple):
    """More of the model's reasoning."""

    text: str


class MessageCompleted(NamedTuple):
    """The whole text of a message that stays, empty for one that only called tools."""

    text: str


class MessageRetracted(NamedTuple):
    """The message that was being written is discarded; another attempt follows."""


class RulesTriggered(NamedTuple):
    """The request was ended because its output began to break rules; another attempt follows, with the rules.

    `paths`: of each rule its file. `kept`: what was written stays in the conversation. `written_tokens`: an estimate of
    how far the answer had come. `texts`: what each match of a rule was, on one line of at most 80 characters.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...]
    kept: bool
    written_tokens: int
    texts: tuple[str, ...] = ()


class RequestResent(NamedTuple):
    """The request failed for a reason that passes; it is made for the `attempt`th time, in `delay` seconds."""

    attempt: int
    delay: float
    reason: str


class RulesAttached(NamedTuple):
    """The model is given rules for a file that it touched. `paths`: of each rule its file.

    `held_back`: it was about to change the file, and is asked to do so again once it has read the rules.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...]
    file: str
    held_back: bool


class ToolCalled(NamedTuple):
    """A tool is about to run. `arguments` as the model wrote them, decoded."""

    name: str
    arguments: dict[str, object]
    call_id: str

    @property
    def line(self) -> str:
        """The call in words. A list or an object among the arguments is counted: its own text would be code."""
        words = (
            f"({len(cast('list[object]', value))} {key})" if isinstance(value, list | dict) else str(value)
            for key, value in self.arguments.items()
        )
        return " ".join([self.name, *words])


class ToolReturned(NamedTuple):
    """What the model gets back. `failed` where the tool did not do what was asked."""

    name: str
    content: str
    call_id: str
    failed: bool


class FileChanged(NamedTuple):
    """The call of a tool has changed a file, before it returns. `diff`: hunks with their `@@` lines, and no other head.

    `added` and `removed` count lines; nothing where that is not known. `left`: how many lines of the diff are not in
    `diff`; nothing where some are missing and nobody knows how many.
    """

    path: str
    operation: str
    added: int | None
    removed: int | None
    diff: str
    left: int | None
    call_id: str


class UsageReported(NamedTuple):
    """A response is complete: what the turn has used so far, and how full the model's context is.

    `cost`: in US dollars, nothing where a price is not known; `context_window` likewise. The tokens are as the provider
    reported them, else estimated.
    """

    requests: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    context_tokens: int
    context_window: int | None


TurnEvent = (
    TextDelta
    | ThinkingDelta
    | MessageCompleted
    | MessageRetracted
    | RulesTriggered
    | RulesAttached
    | RequestResent
    | ToolCalled
    | ToolReturned
    | FileChanged
    | UsageReported
)
Sink = Callable[[TurnEvent], None]
