"""What is asked about a text that begins like a command which there is not, and what may have been meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcsh.session.unknown_commands import CALL
from xcsh.surfaces.layout import visible
from xcsh.tui.front_end import Choice

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext

SEND, EDIT = "send", "edit"
_COMMAND = "command "


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
    match = CALL.match(text)
    return choice.removeprefix(_COMMAND) + text[match.end() if match else 0 :]
