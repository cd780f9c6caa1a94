"""What the frontmatter of a command does to the turn that it starts (C-41): tools that need no asking, and a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from hashlib import sha256
from typing import NamedTuple

from pydantic_ai.models import Model

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.patterns import COMMAND, EDIT_FILE, SHELL, WRITE_FILE, Pattern, Request, parse_pattern
from xcsh.agent.consent.permissions import ALLOW, Permissions, why_asked
from xcsh.agent.consent.request import ConsentRequest
from xcsh.errors import UsageError
from xcsh.guard.tools import canonical
from xcsh.model.command import SlashCommand
from xcsh.model.source import Level

_NAMES = {"bash": SHELL, "edit": EDIT_FILE, "write": WRITE_FILE}
_FREE = frozenset({"read", "grep", "glob", "task", "todowrite", "todoread", "notebookread"})
"""Tools that need no consent, or that this agent does not have."""

_DIGITS = 16
_INHERIT = frozenset({"", "inherit", "default"})


class Grants(NamedTuple):
    """`patterns` need no asking in the turn; `ignored` says what of `allowed-tools` grants nothing, and why."""

    patterns: tuple[Pattern, ...] = ()
    ignored: tuple[str, ...] = ()


def grants_of(command: SlashCommand) -> Grants:
    """What `allowed-tools` of a command asks for. Whether it gets that, `may_grant` decides.

    The spelling is Claude Code's: `Bash(git add:*)`, `Edit`, `Write(docs/**)`, `mcp__server__tool`.
    """
    patterns: list[Pattern] = []
    ignored: list[str] = []
    for token in command.allowed_tools if command.grants else ():
        name, _, rest = token.partition("(")
        tool = canonical(name.strip())
        if tool in _FREE:
            continue
        argument = rest.rstrip().removesuffix(")").strip()
        if argument.endswith(" *"):
            argument = argument[:-2] + ":*"
        own = _NAMES.get(tool, name.strip())
        whole = not argument or argument in ("*", ":*")
        try:
            patterns.append(parse_pattern(own if whole else f"{own}({argument})"))
        except UsageError as error:
            ignored.append(f"allowed-tools of /{command.name}: {error}")
    return Grants(tuple(patterns), tuple(ignored))


def consent_to(command: SlashCommand) -> Request:
    """What the user consents to who lets a project's command grant tools: this text of it, and these tools."""
    content = "\0".join([command.template, *command.allowed_tools])
    digest = sha256(content.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
    return Request(COMMAND, f"{command.name} {digest}")


def may_grant(command: SlashCommand, permissions: Permissions) -> bool:
    """Whether a command's grants count without asking: those of the user and of xcsh itself do."""
    return command.origin.level != Level.PROJECT or permissions.decide(consent_to(command)).verdict == ALLOW


def model_of(command: SlashCommand | None) -> str | None:
    """The model that a command wants for its turn, its provider in front where that is known; None for any."""
    wanted = (command.model or "").strip() if command is not None else ""
    return None if wanted.lower() in _INHERIT else _qualified(wanted)


OpenModel = Callable[[str], AbstractAsyncContextManager[Model]]
"""Opens a model by its name; raises UsageError for one that cannot be used."""

_OWNERS = (("claude-", "anthropic:"), ("gpt-", "openai:"), ("gemini-", "google:"))


class CommandTurns:
    """Applies a command's frontmatter to its turn. `tell` says to the user what of it does not count, and which model
    a command has chosen: it may cost money.
    """

    def __init__(
        self,
        consent: Consent,
        open_model: OpenModel | None,
        tell: Callable[[str], None],
    ) -> None:
        self._consent = consent
        self._open_model = open_model
        self._tell = tell

    @asynccontextmanager
    async def around(self, command: SlashCommand | None) -> AsyncGenerator[Model | None]:
        """For as long as the turn lasts: its tools are granted, and its model is open; None for the session's own."""
        if command is None:
            yield None
            return
        patterns = await self._granted(command)
        async with AsyncExitStack() as stack:
            stack.enter_context(self._consent.permissions.lend(patterns, f"/{command.name}"))
            yield await self._model(command, stack)

    async def _granted(self, command: SlashCommand) -> tuple[Pattern, ...]:
        grants = grants_of(command)
        for line in grants.ignored:
            self._tell(line)
        if not grants.patterns or may_grant(command, self._consent.permissions):
            return grants.patterns
        request = consent_to(command)
        shown = ConsentRequest(
            COMMAND,
            why_asked(request),
            arguments=", ".join(pattern.text for pattern in grants.patterns),
            origin=command.path,
            patterns=(f"{COMMAND}({request.argument})",),
        )
        refusal = await self._consent.settle(request, shown)
        if refusal:
            self._tell(f"allowed-tools of /{command.name} do not count in this turn")
        return () if refusal else grants.patterns

    async def _model(self, command: SlashCommand, stack: AsyncExitStack) -> Model | None:
        wanted = model_of(command)
        if wanted is None:
            return None
        if self._open_model is None:
            self._tell(f"/{command.name} wants the model {wanted!r}, and the turn takes the session's")
            return None
        try:
            model = await stack.enter_async_context(self._open_model(wanted))
        except UsageError as error:
            self._tell(f"/{command.name} wants the model {wanted!r}, and the turn takes the session's: {error}")
            return None
        self._tell(f"/{command.name} is answered by {wanted}")
        return model


def _qualified(name: str) -> str:
    """Tools of one provider leave it out of the names of its models."""
    if ":" in name:
        return name
    return next((owner + name for prefix, owner in _OWNERS if name.startswith(prefix)), name)
