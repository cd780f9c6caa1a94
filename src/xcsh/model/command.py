"""Slash commands, prompt templates and skills: the one shape that every tool's are brought into."""

from typing import NamedTuple

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.document import BlockState
from xcsh.model.source import Level, Origin


class Kind:
    """What an item is, as settings and `explain` name it."""

    RULE = "rule"
    COMMAND = "command"
    PROMPT = "prompt"
    SKILL = "skill"


class SlashCommand(NamedTuple):
    """One normalised command (C-10). `template` is the body, `line` the 1-based line of the file on which it starts,
    `block` how the frontmatter came out (a BlockState).

    `model_invocable` and `user_invocable` say who may call it. `arguments` are names for the tool's own argument
    syntax, `syntax` is that (C-28), and `own_syntax` says that it counts whatever the settings say. `text` is
    the whole text of the file. `grants`: the tool lets `allowed_tools` run unasked (C-41).
    """

    kind: str
    name: str
    template: str
    origin: Origin
    description: str
    argument_hint: str | None = None
    allowed_tools: tuple[str, ...] = ()
    model: str | None = None
    model_invocable: bool = True
    user_invocable: bool = True
    aliases: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    syntax: ArgumentSyntax | None = None
    own_syntax: bool = False
    text: str = ""
    grants: bool = True
    line: int = 1
    block: str = BlockState.ABSENT
    rank: tuple[int, int, str] = (0, 0, "")

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self.origin.path

    @property
    def source(self) -> str:
        """C-12: `via Claude Code Project`; what the program brings itself is `bundled`."""
        if self.origin.level == Level.NATIVE:
            return self.origin.title
        return f"via {self.origin.title} {self.origin.level.capitalize()}"


class CommandEntry(NamedTuple):
    """A command's standing in a registry; a shadowed one names its winner."""

    command: SlashCommand
    reason: str
    shadowed_by: SlashCommand | None = None
