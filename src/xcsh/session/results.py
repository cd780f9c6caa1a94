"""What a session gives back, and what it refuses."""

from __future__ import annotations

from typing import Literal, NamedTuple

from xcsh.errors import UsageError

Outcome = Literal["completed", "failed", "aborted", "handled", "queued"]


class StreamingBehaviorError(UsageError):
    """A prompt came while a turn streams, and nobody said what is to become of it (S-2)."""

    def __init__(self) -> None:
        super().__init__(
            "a turn is streaming",
            'say streaming_behavior="steer" to interrupt it, or "follow_up" to send the text after it',
        )


class ExtensionCommandError(UsageError):
    """`steer` and `follow_up` take texts, and a command of an extension is none (S-3)."""

    def __init__(self, text: str) -> None:
        name = text.split(maxsplit=1)[0]
        super().__init__(f"{name} is a command of an extension and cannot be queued", "run it with prompt()")


class ClosedSessionError(UsageError):
    """Something was said to a session that has been closed."""

    def __init__(self) -> None:
        super().__init__("the session is closed", "open it again, or start a new one")


class PromptResult(NamedTuple):
    """What became of a prompt. `text` is the answer of a completed turn."""

    outcome: Outcome
    text: str = ""
