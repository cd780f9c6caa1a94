"""The rules as a pydantic-ai capability: their part of the prompt, and rule:// URLs that the model can read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext, Tool, ToolFailed
from pydantic_ai.capabilities import WrapToolExecuteHandler
from pydantic_ai.messages import InstructionPart, ToolCallPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

from xcsh.agent.capability import EventlessCapability
from xcsh.api import Registry, discover, read_rule, render_prompt
from xcsh.errors import RuleNotFoundError, RuleUrlError

READ_FILE = "read_file"
READ_RULE = "read_rule"
SCHEME = "rule://"
_READ_RULE_SAYS = "Read a rule by its rule:// URL, as the system prompt lists them."
_READ_FILE_SAYS = "Also reads a rule: give its rule:// URL as the path."


class Rulebook(EventlessCapability):
    """Gives the rules of a registry to any agent: `Agent(…, capabilities=[Rulebook(registry)])`.

    - Contributes `render_prompt(registry)` as instructions whose bytes stay for the whole conversation; `reload`
      appends what changed (R-56). Where the setting `prompt.stable` is off they are edited in place.
    - Serves `rule://NAME` through the agent's `read_file` tool, from the registry and never from the file system.
      An agent without one gets the tool `read_rule(url)` instead. An unknown name is a failed tool result that lists
      the names; the run goes on.

    One instance may serve many runs at once; `reload` reaches all of them with their next model request.
    """

    id: str | None = "rules"
    """A default of the class: the framework then lets a second rulebook stand in for the first."""

    def __init__(self, registry: Registry, *, id: str = "rules") -> None:  # noqa: A002 - the framework's own name
        self.id = id
        self._registry = registry
        self._text = render_prompt(registry).text
        self._toolset = FunctionToolset[Any](
            [Tool(self._read, name=READ_RULE, description=_READ_RULE_SAYS, takes_ctx=False)], id=f"{id}-reading"
        )

    @classmethod
    def discover(cls, cwd: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None) -> Rulebook:
        """The rulebook of everything that is found around a folder. Reads files: not for an event loop."""
        return cls(discover(cwd, home=home))

    @property
    def registry(self) -> Registry:
        """The registry in force."""
        return self._registry

    def reload(self, registry: Registry) -> None:
        """Puts another registry in force, from the next model request on."""
        self._text = render_prompt(registry).text
        self._registry = registry

    def get_instructions(self) -> Callable[[RunContext[Any]], InstructionPart]:
        return self._instructions

    def _instructions(self, ctx: RunContext[Any]) -> InstructionPart:
        del ctx
        stable = self._registry.settings.get("prompt.stable") is True
        return InstructionPart(self._text, name="rules", on_change="append" if stable else "rewrite")

    def get_toolset(self) -> FunctionToolset[Any]:
        return self._toolset

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Offers `read_rule` only to an agent that cannot read rules as files."""
        del ctx
        if not any(_reads_files(tool) for tool in tool_defs):
            return tool_defs
        kept = (tool for tool in tool_defs if tool.name != READ_RULE)
        return [_saying_so(tool) if _reads_files(tool) else tool for tool in kept]

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Answers `read_file` of a rule:// URL; every other call goes on."""
        del ctx, call
        path = args.get("path")
        if not _reads_files(tool_def) or not isinstance(path, str) or not path.strip().startswith(SCHEME):
            return await handler(args)
        return _window(self._read(path.strip()), args.get("offset"), args.get("limit"))

    def _read(self, url: str) -> str:
        try:
            return read_rule(self._registry, url.strip()).content
        except (RuleNotFoundError, RuleUrlError) as problem:
            raise ToolFailed(str(problem)) from None


def _reads_files(tool: ToolDefinition) -> bool:
    """Whether it is the harness's `read_file`, or another tool of that name and with a `path`."""
    properties: object = tool.parameters_json_schema.get("properties")
    return tool.name == READ_FILE and isinstance(properties, dict) and "path" in properties


def _saying_so(tool: ToolDefinition) -> ToolDefinition:
    return replace(tool, description=f"{tool.description or ''}\n\n{_READ_FILE_SAYS}".strip())


def _window(content: str, offset: object, limit: object) -> str:
    """The lines that the model asked for, as `read_file` counts them; all of them where it did not."""
    first = offset if isinstance(offset, int) and offset > 0 else 0
    if not first and not isinstance(limit, int):
        return content
    lines = content.splitlines(keepends=True)
    return "".join(lines[first : first + limit if isinstance(limit, int) else None])
