"""What may run without asking: the decision by the patterns that a user gave. Pure."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

from xcsh.agent.consent.patterns import (
    COMMAND,
    FILE_TOOLS,
    INCLUDE,
    OWN_TOOLS,
    SHELL,
    Pattern,
    Request,
    allows,
    denies,
    same_tool,
)
from xcsh.agent.consent.steering_files import NONE, described, steering_names, steering_parts

ALLOW, ASK, REFUSE = "allow", "ask", "refuse"
SETTINGS, SESSION = "your settings", "this session"


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

    def ask_about_edits(self, *, ask: bool) -> None:
        """From now on files inside the working folder are changed without asking, or not."""
        self.policy = self.policy._replace(edits=not ask)

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
        return any(same_tool(pattern.tool, tool) for pattern, _ in self._grants)

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


def why_asked(request: Request) -> str:
    """Why a request needs consent."""
    if request.tool == COMMAND:
        return "a command of this project lets tools run without asking while its turn lasts"
    if request.tool == INCLUDE:
        return "the text of this command runs commands before it is sent"
    if request.foreign or request.tool not in OWN_TOOLS:
        return "it is no tool of xcsh itself"
    if request.tool == SHELL:
        return "it runs a command, which may do anything that you may do"
    if request.outside:
        return "it changes a file outside the working folder"
    names = steering_names(request.argument, request.steering)
    return f"it changes what steers the tools: {described(names)}" if names else "it changes a file"


def _is_ordinary_change(request: Request) -> bool:
    own = request.tool in FILE_TOOLS and not request.foreign
    return own and not request.outside and not steering_parts(request.argument, request.steering)
