"""What a conversation is doing at the moment, in a few words, as its events tell it."""

from __future__ import annotations

from xcsh.agent.events import RequestResent, TextDelta, ThinkingDelta, ToolCalled, ToolReturned, UsageReported
from xcsh.session.events import (
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    SessionEvent,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from xcsh.surfaces.layout import visible

_WAITING = "waiting for the model"
_LONGEST_NAME = 24


class Activity:
    """`begun` counts what has begun, so that whoever shows how long it takes starts anew."""

    def __init__(self) -> None:
        self.begun = 0
        self._in_turn = self._compacting = False
        self._model = _WAITING
        self._calls: dict[str, str] = {}

    @property
    def doing(self) -> str:
        """What is being done; empty where nothing is."""
        if self._compacting:
            return "making the history shorter"
        if self._calls:
            return f"running {visible(next(reversed(self._calls.values())))[:_LONGEST_NAME]}"
        return self._model if self._in_turn else ""

    def add(self, event: SessionEvent) -> bool:
        """Whether something else is being done after the event."""
        before = self.doing, self.begun
        match event:
            case TurnStarted() | CompactionStarted():
                self.begun += not before[0]
                self._begin(is_turn=isinstance(event, TurnStarted))
            case TextDelta():
                self._model = "writing"
            case ThinkingDelta():
                self._model = "thinking"
            case RequestResent():
                self._model = "trying again"
            case UsageReported():
                self._model = _WAITING
            case ToolCalled(name=name, call_id=call_id):
                self._calls[call_id] = name
            case ToolReturned(call_id=call_id):
                self._calls.pop(call_id, None)
            case TurnCompleted() | TurnFailed() | TurnAborted():
                self._in_turn = self._compacting = False
                self._calls.clear()
            case CompactionCompleted() | CompactionFailed():
                self._compacting = False
            case _:
                pass
        return (self.doing, self.begun) != before

    def _begin(self, *, is_turn: bool) -> None:
        if is_turn:
            self._in_turn, self._compacting, self._model = True, False, _WAITING
        else:
            self._compacting = True
