"""What the user asks for in a transcript, and others see to."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from xcsh.tui.transcript.entries import RuleAt


class RuleAsked(Message):
    """The user wants to read rules that a notice names."""

    def __init__(self, rules: Sequence[RuleAt]) -> None:
        super().__init__()
        self.rules = rules


class FileAsked(Message):
    """The user wants to see a place that the transcript names, as it is written there."""

    def __init__(self, path: str, line: int = 1) -> None:
        super().__init__()
        self.path = path
        self.line = line


class Left(Message):
    """The user goes back to the prompt; `typed` is what was typed in the transcript."""

    def __init__(self, typed: str = "") -> None:
        super().__init__()
        self.typed = typed


class Moved(Message):
    """The transcript follows its end from now on, or stays where the user is."""

    def __init__(self, *, is_end: bool) -> None:
        super().__init__()
        self.is_end = is_end
