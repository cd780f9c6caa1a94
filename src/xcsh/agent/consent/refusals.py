"""The one line that says what was refused because nobody is there to consent, why, and how to allow it."""

from __future__ import annotations

from shlex import quote

from xcsh.agent.consent.patterns import COMMAND, INCLUDE, SHELL, Request
from xcsh.agent.consent.request import ConsentRequest
from xcsh.agent.consent.shell_command import simple_command
from xcsh.surfaces.layout import visible

_LONGEST = 80


def not_done(request: Request, shown: ConsentRequest, reason: str) -> str:
    """What was refused is cut to one line without control characters; it may be the model's own text."""
    return f"Not done: {_what(request, shown)}: {reason}, and nobody is here to consent. {_how(request, shown)}"


def _what(request: Request, shown: ConsentRequest) -> str:
    if request.tool == COMMAND:
        name = request.argument.rpartition(" ")[0]
        return f"`/{_cut(name)}` asks for {_cut(shown.arguments)}"
    if request.tool == INCLUDE:
        return f"`/{_cut(request.argument.rpartition(' ')[0])}` runs `{_cut(shown.command)}`"
    return f"`{_cut(shown.command or shown.path or f'{shown.tool} {shown.arguments}')}`"


def _how(request: Request, shown: ConsentRequest) -> str:
    if shown.patterns and shown.once:
        return f"To allow it for a call of which you know the arguments: --allow {quote(shown.patterns[0])}"
    if shown.patterns:
        return f"To allow it: --allow {quote(shown.patterns[0])}"
    if request.tool == SHELL and simple_command(request.argument) is None:
        why = "No pattern can allow it, since it is more than one plain command"
        return f"{why}; to allow the whole shell: --allow {SHELL}"
    if request.outside:
        return "No pattern can allow it, since it lies outside of the working folder"
    return f"To allow it: --allow {quote(shown.tool)}"


def _cut(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST].split())
    cut = len(line) > _LONGEST or len(text) > 4 * _LONGEST
    return visible(line[: _LONGEST - 1] + "…" if cut else line)
