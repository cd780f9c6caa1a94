"""What the frontmatter of a command does to the turn that it starts (C-41): tools that need no asking, and a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from pydantic_ai.models import Model

from xcsh.agent.permissions import EDIT_FILE, SHELL, WRITE_FILE, Pattern, Permissions, parse_pattern
from xcsh.errors import UsageError
from xcsh.guard.tools import canonical
from xcsh.model.command import SlashCommand
from xcsh.model.source import Environment, Level
from xcsh.sources.trust import is_trusted

_NAMES = {"bash": SHELL, "edit": EDIT_FILE, "write": WRITE_FILE}
_FREE = frozenset({"read", "grep", "glob", "task", "todowrite", "todoread", "notebookread"})
"""Tools that need no consent, or that this agent does not have."""

_INHERIT = frozenset({"", "inherit", "default"})


class Grants(NamedTuple):
    """`patterns` need no asking in the turn; `ignored` says what of `allowed-tools` grants nothing, and why."""

    patterns: tuple[Pattern, ...] = ()
    ignored: tuple[str, ...] = ()


def grants_of(command: SlashCommand, environment: Environment) -> Grants:
    """What `allowed-tools` of a command grants. A project that is not trusted grants nothing: it is asked about.

    The spelling is Claude Code's: `Bash(git add:*)`, `Edit`, `Write(docs/**)`, `mcp__server__tool`.
    """
    if not command.allowed_tools:
        return Grants()
    if command.origin.level == Level.PROJECT and not is_trusted(environment):
        return Grants((), (f"allowed-tools of /{command.name} count in a trusted folder only: xcsh trust",))
    patterns: list[Pattern] = []
    ignored: list[str] = []
    for token in command.allowed_tools:
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


def model_of(command: SlashCommand | None) -> str | None:
    """The model that a command wants for its turn; None where it leaves that open."""
    wanted = (command.model or "").strip() if command is not None else ""
    return None if wanted.lower() in _INHERIT else wanted


OpenModel = Callable[[str], AbstractAsyncContextManager[Model]]
"""Opens a model by its name; raises UsageError for one that cannot be used."""

_OWNERS = (("claude-", "anthropic:"), ("gpt-", "openai:"), ("gemini-", "google:"))


class CommandTurns:
    """Applies a command's frontmatter to its turn. `tell` says to the user what of it does not count."""

    def __init__(
        self,
        permissions: Permissions,
        environment: Environment,
        open_model: OpenModel | None,
        tell: Callable[[str], None],
    ) -> None:
        self._permissions = permissions
        self._environment = environment
        self._open_model = open_model
        self._tell = tell

    @asynccontextmanager
    async def around(self, command: SlashCommand | None) -> AsyncGenerator[Model | None]:
        """For as long as the turn lasts: its tools are granted, and its model is open; None for the session's own."""
        if command is None:
            yield None
            return
        grants = grants_of(command, self._environment)
        for line in grants.ignored:
            self._tell(line)
        async with AsyncExitStack() as stack:
            stack.enter_context(self._permissions.lend(grants.patterns, f"/{command.name}"))
            yield await self._model(command, stack)

    async def _model(self, command: SlashCommand, stack: AsyncExitStack) -> Model | None:
        wanted = model_of(command)
        if wanted is None:
            return None
        if self._open_model is None:
            self._tell(f"/{command.name} wants the model {wanted!r}, and the turn takes the session's")
            return None
        try:
            return await stack.enter_async_context(self._open_model(_qualified(wanted)))
        except UsageError as error:
            self._tell(f"/{command.name} wants the model {wanted!r}, and the turn takes the session's: {error}")
            return None


def _qualified(name: str) -> str:
    """Tools of one provider leave it out of the names of its models."""
    if ":" in name:
        return name
    return next((owner + name for prefix, owner in _OWNERS if name.startswith(prefix)), name)
