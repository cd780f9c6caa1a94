"""What a text typed after `xcsh -p` becomes before it is sent: commands run, templates are filled in (S-1)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from xcsh.errors import FailedTurnError
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    from xcsh.model.diagnostic import Diagnostic
    from xcsh.model.registry import Registry
    from xcsh.model.source import Skipped
    from xcsh.session.prompt_pipeline import CommandFailure


async def prepared_text(text: str, registry: Registry, out: TextIO) -> str | None:
    """The text to send; None where a command has dealt with it. What a command says goes to `out`.

    FailedTurnError: the command's code raised.
    """
    if not text.startswith("/"):
        return text
    from asyncio import to_thread

    from xcsh.extensions.custom import list_custom_commands
    from xcsh.extensions.files import read_code
    from xcsh.extensions.loading import load_extensions
    from xcsh.session.prompt_pipeline import PromptContext, prepare

    diagnostics: list[Diagnostic] = []
    failures: list[CommandFailure] = []
    code = read_code(registry.environment, diagnostics.append)
    customs = list_custom_commands(code, diagnostics.append)
    extensions = await to_thread(load_extensions, code, diagnostics.append)
    for item in diagnostics:
        place = f":{item.position.line}" if item.position else ""
        print(visible(f"{item.severity}[{item.code}] {item.path}{place}: {item.message}"), file=sys.stderr)

    def say(said: str) -> None:
        out.write(said if said.endswith("\n") else said + "\n")
        out.flush()

    prepared = await prepare(text, PromptContext(registry, extensions, customs, say, failures.append))
    if failures:
        item = failures[0].diagnostic
        place = f"{item.path}:{item.position.line}: " if item.position else ""
        raise FailedTurnError(f"{place}{item.message}", "mend the command; nothing was sent")
    if prepared.text == text and not prepared.taken_by:
        _tell_of_untrusted(text, [*code.skipped_commands, *code.skipped_extensions])
    return prepared.text


def _tell_of_untrusted(text: str, skipped: list[Skipped]) -> None:
    """An unknown `/name` is sent as it stands (C-26); where code that might answer it may not run, that is said."""
    untrusted = [item for item in skipped if item.reason == "untrusted"]
    if untrusted:
        name = text.split(maxsplit=1)[0]
        print(
            visible(f"{name} is sent as text: {len(untrusted)} files of code here may not run; see: xcsh trust"),
            file=sys.stderr,
        )
