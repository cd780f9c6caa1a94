"""What stands dim behind the cursor: the rest of a likely completion, or what may follow a command's name."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.tui.input.completion import Completion, Sources, command_in


class Ghost(NamedTuple):
    """A dim text. `accepted`: Right puts it into the prompt; else it is only a hint."""

    text: str = ""
    accepted: bool = False


def ghost(text: str, cursor: int, completion: Completion, sources: Sources) -> Ghost:
    """What to show behind the cursor, at the end of a text of one line only."""
    if cursor != len(text) or "\n" in text or not text.strip():
        return Ghost()
    start, end = completion.span
    if completion.candidates and completion.kind in ("command", "path") and end == len(text):
        first, typed = completion.candidates[0], text[start:]
        if first.text.startswith(typed) and len(first.text) > len(typed) > 1:
            return Ghost(first.text[len(typed) :], accepted=True)
    command = command_in(text, sources.commands)
    if command is None or not command.hint:
        return Ghost()
    rest = text.lstrip()[len(command.text) :]
    if not rest.strip():
        return Ghost(command.hint if rest else f" {command.hint}")
    return Ghost()
