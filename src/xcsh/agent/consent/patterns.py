"""Patterns of what may be done: how they are written, and which requests they allow or refuse. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.agent.consent.shell_command import Word, may_run, runs_others, simple_command
from xcsh.agent.consent.steering_files import NONE, steering_parts
from xcsh.errors import UsageError
from xcsh.parsing.globs import matches, too_many_alternatives

SHELL, WRITE_FILE, EDIT_FILE = "shell", "write_file", "edit_file"
FILE_TOOLS = (WRITE_FILE, EDIT_FILE)
OWN_TOOLS = (*FILE_TOOLS, SHELL)
"""The tools of xcsh itself that need consent."""

COMMAND = "command"
"""Of a request: what a command of the project grants to its turn. The argument is its name and a hash of its text."""

INCLUDE = "include"
"""Of a request: that a command runs what its text includes. The argument is as for COMMAND."""

_PATTERN = re.compile(r"([A-Za-z_][A-Za-z0-9_.:/-]*)(?:\((.*)\))?\Z", re.DOTALL)
_ANY_ARGUMENTS = ":*"
_MCP, _ALL_TOOLS = "mcp__", "__*"
_STARRED = re.compile(r"(?:[A-Za-z][\w-]*)?\*")
"""A last word that was meant as "and whatever follows". A glob of files, `src/*`, is a command like any other."""
_FORMS = "TOOL, shell(git status:*), shell(npm test), write_file(src/**)"


class Pattern(NamedTuple):
    """One `TOOL` or `TOOL(argument)`. `words`: of a shell pattern; `prefix`: more words may follow them."""

    text: str
    tool: str
    argument: str | None = None
    words: tuple[Word, ...] = ()
    prefix: bool = False


class Request(NamedTuple):
    """What somebody wants to do: a tool, and the command or the path relative to the working folder.

    `outside`: the path leads out of the working folder. `foreign`: it is none of xcsh's own tools, whatever its name;
    the argument is then a text that says what it would do. `steering`: names of files that steer the tools beside those
    that xcsh knows.
    """

    tool: str
    argument: str = ""
    outside: bool = False
    foreign: bool = False
    steering: frozenset[str] = NONE


def parse_pattern(text: str) -> Pattern:
    """A pattern as it is written in settings and flags. Raises UsageError for a text that is none."""
    match = _PATTERN.match(_without_star(text.strip()))
    if match is None:
        raise UsageError(f"{text!r} is no pattern", f"write one of: {_FORMS}")
    tool, argument = match[1], match[2]
    if argument is None:
        return Pattern(text.strip(), tool)
    argument = argument.strip()
    if not argument:
        raise UsageError(f"{text!r} has nothing between its parentheses", f"for everything of the tool: {tool}")
    if tool == SHELL:
        return _shell_pattern(text.strip(), argument)
    if tool in FILE_TOOLS:
        _check_glob(text, argument)
    return Pattern(text.strip(), tool, argument)


def allows(pattern: Pattern, request: Request) -> bool:
    """Whether a pattern lets a request go ahead; it never does where the request cannot be read for sure."""
    if not same_tool(pattern.tool, request.tool) or (request.foreign and request.tool in OWN_TOOLS):
        return False
    if request.tool in FILE_TOOLS:
        return _allows_path(pattern, request)
    if pattern.argument is None:
        return True
    if request.tool != SHELL:
        return pattern.argument == request.argument
    words = simple_command(request.argument)
    if words is None or len(words) < len(pattern.words):
        return False
    if not pattern.prefix:
        return len(words) == len(pattern.words) and _begins(words, pattern.words)
    return _begins(words, pattern.words) and not runs_others(words)


def denies(pattern: Pattern, request: Request) -> bool:
    """Whether a pattern of `consent.deny` refuses a request: whatever might be meant, as far as it can be seen."""
    if request.tool in FILE_TOOLS:
        if pattern.tool not in FILE_TOOLS:
            return False
        return pattern.argument is None or matches(pattern.argument, request.argument)
    if pattern.tool != request.tool and not _is_of_server(pattern.tool, request.tool):
        return False
    if pattern.argument is None:
        return True
    if request.tool != SHELL:
        return pattern.argument == request.argument
    return may_run(request.argument, [word.text for word in pattern.words], exactly=not pattern.prefix)


def _shell_pattern(text: str, argument: str) -> Pattern:
    prefix = argument.endswith(_ANY_ARGUMENTS)
    words = simple_command(argument.removesuffix(_ANY_ARGUMENTS) if prefix else argument)
    if words is None:
        raise UsageError(
            f"{text!r} is not one plain command, so it would never match",
            "write one program and its arguments, without operators, variables and assignments: shell(git status:*)",
        )
    if _STARRED.fullmatch(words[-1].raw):
        plain = " ".join(word.raw for word in words).removesuffix("*").rstrip()
        raise UsageError(f"{text!r} ends in a `*` of the shell", f"did you mean 'shell({plain}:*)'?")
    if prefix and runs_others(words):
        hint = "give the exact command, without `:*`"
        raise UsageError(f"{text!r} would allow any command, since {words[0].text} runs what follows", hint)
    return Pattern(text, SHELL, argument, words, prefix)


def _check_glob(text: str, argument: str) -> None:
    if argument.startswith(("!", "/", "~")) or ".." in argument.split("/"):
        raise UsageError(f"{text!r} does not name files below the working folder", "write a glob such as src/**")
    if too_many_alternatives(argument):
        raise UsageError(f"{text!r} has braces with too many alternatives", "write several patterns")


def _allows_path(pattern: Pattern, request: Request) -> bool:
    """Files outside never, and files that steer the tools only by a pattern that names the part by which they do."""
    if request.outside:
        return False
    parts = steering_parts(request.argument, request.steering)
    if pattern.argument is None:
        return not parts
    named = steering_parts(pattern.argument, request.steering) if parts else NONE
    return matches(pattern.argument, request.argument) and parts <= named


def same_tool(granted: str, wanted: str) -> bool:
    """Who may write whole files may edit them; who may use a server may use its tools."""
    return granted == wanted or (granted == WRITE_FILE and wanted == EDIT_FILE) or _is_of_server(granted, wanted)


def _is_of_server(server: str, tool: str) -> bool:
    """Whether the one names an MCP server, `mcp__github`, and the other a tool of it, `mcp__github__search`."""
    return (
        server.startswith(_MCP)
        and "__" not in server.removeprefix(_MCP)
        and tool.startswith(f"{server}__")
        and server != _MCP
    )


def _without_star(text: str) -> str:
    """`mcp__github__*` is the same as `mcp__github`."""
    return text.removesuffix(_ALL_TOOLS) if text.startswith(_MCP) else text


def _begins(words: tuple[Word, ...], wanted: tuple[Word, ...]) -> bool:
    return all(word.same(other) for word, other in zip(words, wanted, strict=False))
