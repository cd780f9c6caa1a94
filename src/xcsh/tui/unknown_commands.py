"""A text that begins like a command which there is not: whether it was meant as one, and what may have been meant."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from xcsh.surfaces.layout import visible
from xcsh.tui.front_end import Choice

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext

SEND, EDIT = "send", "edit"
_NAME = re.compile(r"/([A-Za-z][\w:.-]{0,63})(?=\s|$)")
_COMMAND = "command "


def unknown_command(text: str, context: PromptContext) -> str | None:
    """The name that a text calls and that nothing has; None where it calls something, or is meant as a text.

    What has a second slash is a path, and so is what stands in the file system: `/usr/bin/env is broken`, `/tmp is
    full`. So is what ends in a sentence's mark.
    """
    from xcsh.session.prompt_pipeline import stage_for  # noqa: PLC0415 - not before the first paint

    match = _NAME.match(text)
    if match is None or match[1][-1] in ".:" or stage_for(text, context) is not None:
        return None
    return None if os.path.lexists(match[0]) else match[1]


def question_about(name: str, context: PromptContext) -> str:
    """What is asked about a text that calls `name`; it names a file that would be this command, and why it is none."""
    from xcsh.surfaces.skipped_commands import skipped_command  # noqa: PLC0415 - not before the first paint

    skipped = skipped_command(context.registry, name)
    why = visible(f"; {skipped.place} is skipped: {skipped.reason}") if skipped else ""
    return f"There is no command /{name}{why}. What is to be done?"


def choices_for(name: str, context: PromptContext) -> list[Choice]:
    """What can be done with a text that calls `name`: call one of a similar name, send it, edit it."""
    from xcsh.slash.lookup import nearest_commands  # noqa: PLC0415 - the same
    from xcsh.tui.input.commands import commands_of  # noqa: PLC0415 - not before the first paint

    known = {each.text[1:]: each for each in commands_of(context)}
    near = [known[each] for each in nearest_commands(known, name)]
    meant = [Choice(f"{_COMMAND}{each.text}", f"run {each.text}", visible(each.summary)) for each in near]
    return [
        *meant,
        Choice(EDIT, "edit it", "it goes back into the prompt"),
        Choice(SEND, "send it to the model", "as a text, as it stands"),
    ]


def corrected(text: str, choice: str) -> str | None:
    """The text with the command that was chosen in place of the unknown one; None where none was."""
    if not choice.startswith(_COMMAND):
        return None
    match = _NAME.match(text)
    return choice.removeprefix(_COMMAND) + text[match.end() if match else 0 :]
