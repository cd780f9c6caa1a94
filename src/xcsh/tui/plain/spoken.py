"""Writes a conversation down as it goes: the model's words as they come, everything else in sentences."""

from __future__ import annotations

from typing import TextIO

from xcsh.agent.events import MessageCompleted, MessageRetracted, RulesTriggered, TextDelta, ThinkingDelta
from xcsh.session.events import SessionEvent, TurnAborted, TurnFailed, TurnStarted
from xcsh.tui.plain.sentences import lines_shown, sentence

_ENOUGH = 60
"""Letters that are worth showing before the line is complete."""


class Spoken:
    """The sink of a session. Whole words are written, so that a screen reader does not read parts of one."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._waiting = ""  # of the model's text, not written yet
        self._begun = False  # the message has been begun
        self._thinking = False
        self._in_line = False
        self._taken_back = False
        self.last_answer = ""

    def __call__(self, event: SessionEvent) -> None:
        """Writes what an event says."""
        if self._taken_back and not isinstance(event, RulesTriggered):
            self.say("What is written above is taken back; the model begins again.")
        self._taken_back = False
        match event:
            case TextDelta(text=text):
                self._stream(text)
            case ThinkingDelta():
                if not self._thinking:
                    self.say("The model is thinking.")
                self._thinking = True
            case MessageCompleted(text=text):
                self.last_answer = text or self.last_answer
                if text and not self._begun:
                    self._stream(text)
                self._end_message()
            case MessageRetracted():
                self._taken_back = self._begun
                self._waiting = ""
                self._end_message()
            case _:
                if isinstance(event, TurnStarted | TurnAborted | TurnFailed):
                    self._end_message()  # what was being written has no other end
                if said := sentence(event):
                    self.say(said)

    def say(self, text: str) -> None:
        """Writes lines of their own. The text has nothing that drives a terminal."""
        self._end_line()
        self._write(text.rstrip("\n") + "\n")

    def _stream(self, text: str) -> None:
        if not self._begun:
            self._end_line()
            self._waiting, self._begun = "Model: ", True
        self._waiting += text
        cut = self._waiting.rfind("\n") + 1
        if not cut and len(self._waiting) > _ENOUGH:
            cut = self._waiting.rfind(" ") + 1
        if cut:
            self._write(lines_shown(self._waiting[:cut]))
            self._waiting = self._waiting[cut:]

    def _end_message(self) -> None:
        if self._waiting.strip():
            self._write(lines_shown(self._waiting))
        self._waiting, self._begun, self._thinking = "", False, False
        self._end_line()

    def _end_line(self) -> None:
        if self._waiting and self._begun:
            self._write(lines_shown(self._waiting))
            self._waiting = ""
        if self._in_line:
            self._write("\n")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
        self._in_line = not text.endswith("\n")
