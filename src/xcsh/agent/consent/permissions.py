"""What may run without asking: patterns that a user gave, and the decision by them. Pure."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

from xcsh.agent.consent.shell_command import Word, may_run, runs_others, simple_command
from xcsh.agent.consent.steering_files import NONE, described, steering_names, steering_parts
from xcsh.errors import UsageError
from xcsh.parsing.globs import matches, too_many_alternatives

SHELL, WRITE_FILE, EDIT_FILE = "shell", "write_file", "edit_file"
FILE_TOOLS = (WRITE_FILE, EDIT_FILE)
_OWN = (*FILE_TOOLS, SHELL)
COMMAND = "command"
"""Of a request: what a command of the project grants to its turn. The argument is its name and a hash of its text."""

INCLUDE = "include"
"""Of a request: that a command runs what its text includes. The argument is as for COMMAND."""

ALLOW, ASK, REFUSE = "allow", "ask", "refuse"
SETTINGS, SESSION = "your settings", "this session"

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


class Decision(NamedTuple):
    """`verdict` is ALLOW, ASK or REFUSE; `reason` says why in words: which pattern, from where. `denied`: by one."""

    verdict: str
    reason: str
    denied: bool = False


class Policy(NamedTuple):
    """What holds where no pattern says anything.

    `asks`: whether anybody can be asked; without, what needs consent is refused. `edits`: files inside the working
    folder may be changed without asking, but for those that steer the tools.
    """

    asks: bool = False
    edits: bool = False


class Permissions:
    """Decides by patterns: `deny` first, then those of the settings, then those of the session, then the policy.

    `given_by` says in reasons where the patterns that the session starts with are from. `steering` are names of files
    that steer the tools beside those that xcsh knows.
    """

    def __init__(
        self,
        always: Iterable[Pattern] = (),
        session: Iterable[Pattern] = (),
        policy: Policy = Policy(),  # noqa: B008 - immutable
        *,
        deny: Iterable[Pattern] = (),
        given_by: str = SESSION,
        steering: frozenset[str] = NONE,
    ) -> None:
        self.policy = policy
        self.steering = steering
        self._deny = tuple(deny)
        self._grants = [(pattern, SETTINGS) for pattern in always] + [(pattern, given_by) for pattern in session]
        self._requests: set[Request] = set()

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns that allow something."""
        return tuple(pattern for pattern, _ in self._grants)

    def grant(self, pattern: Pattern, *, always: bool = False) -> None:
        """Adds a pattern from now on. `always` only changes the reason; writing it down is the caller's."""
        self._grants.append((pattern, SETTINGS if always else SESSION))

    @contextmanager
    def lend(self, patterns: Iterable[Pattern], given_by: str) -> Generator[None]:
        """Allows what the patterns match for as long as the context lasts."""
        lent = [(pattern, given_by) for pattern in patterns]
        self._grants += lent
        try:
            yield
        finally:
            for grant in lent:
                self._grants.remove(grant)

    def grant_request(self, request: Request) -> None:
        """Allows just this request for as long as the session lasts: a command as it stands, a path."""
        self._requests.add(request)

    def go_on_from(self, earlier: Permissions) -> None:
        """Takes over what was allowed for as long as the session lasts, which goes on with these."""
        self._grants += [grant for grant in earlier._grants if grant[1] == SESSION]
        self._requests |= earlier._requests

    def names(self, tool: str) -> bool:
        """Whether any pattern may allow something of a tool."""
        return any(_same_tool(pattern.tool, tool) for pattern, _ in self._grants)

    def decide(self, request: Request) -> Decision:
        """Whether it may go ahead, has to be asked about, or is refused."""
        for pattern in self._deny:
            if denies(pattern, request):
                return Decision(REFUSE, f"`{pattern.text}` is among consent.deny of {SETTINGS}", denied=True)
        for pattern, origin in self._grants:
            if allows(pattern, request):
                return Decision(ALLOW, f"`{pattern.text}` of {origin}")
        if request in self._requests:
            return Decision(ALLOW, "the same was allowed for this session")
        why = why_asked(request)
        if self.policy.edits and _is_ordinary_change(request):
            return Decision(ALLOW, "it changes a file inside the working folder")
        return Decision(ASK if self.policy.asks else REFUSE, why)


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
    if not _same_tool(pattern.tool, request.tool) or (request.foreign and request.tool in _OWN):
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


def why_asked(request: Request) -> str:
    """Why a request needs consent."""
    if request.tool == COMMAND:
        return "a command of this project lets tools run without asking while its turn lasts"
    if request.tool == INCLUDE:
        return "the text of this command runs commands before it is sent"
    if request.foreign or request.tool not in _OWN:
        return "it is no tool of xcsh itself"
    if request.tool == SHELL:
        return "it runs a command, which may do anything that you may do"
    if request.outside:
        return "it changes a file outside the working folder"
    names = steering_names(request.argument, request.steering)
    return f"it changes what steers the tools: {described(names)}" if names else "it changes a file"


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


def _is_ordinary_change(request: Request) -> bool:
    own = request.tool in FILE_TOOLS and not request.foreign
    return own and not request.outside and not steering_parts(request.argument, request.steering)


def _same_tool(granted: str, wanted: str) -> bool:
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
