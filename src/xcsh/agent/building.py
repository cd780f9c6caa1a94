"""Builds the coding agent with a project's rules, and runs one turn of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, PrepareTools
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.usage import RunUsage
from pydantic_ai_harness.coder import Coder
from pydantic_ai_harness.filesystem import FileSystem

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.patterns import WRITE_FILE
from xcsh.agent.consent.settings import CHANGING_TOOLS, READ_TOOLS, permissions_of, told_to_the_model
from xcsh.agent.events import Sink
from xcsh.agent.failures import failed_turn
from xcsh.agent.project_rules import ProjectRules
from xcsh.agent.reading import StreamReader
from xcsh.agent.workspace import workspace_for
from xcsh.api import Registry
from xcsh.errors import FailedTurnError

_MAKE_FOLDER = "create_directory"
"""A tool that consent decides on as on writing a file."""

_CORRECTIONS = 5
"""How often in a row the model may get a call of a tool wrong, or call one that is not offered."""


class TurnResult(NamedTuple):
    """The answer, every message of the conversation so far, and what it used."""

    text: str
    messages: list[ModelMessage]
    usage: RunUsage


def build_agent(
    registry: Registry,
    model: Model,
    cwd: str,
    *,
    allow: frozenset[str] = frozenset(),
    consent: Consent | None = None,
    rules: ProjectRules | None = None,
    capabilities: Sequence[AbstractCapability[Any]] = (),
) -> Agent[object, str]:
    """A coding agent for the folder `cwd` that has the registry's rules: in its prompt, with files, and watched for.

    `rules`: the registry's, where the caller wants to reload them, or to ask what is wrong with them.

    `allow`: patterns of what needs no consent (`xcsh.agent.consent.permissions`), beside those of the
    settings; everything else that needs it is refused. `consent`: takes the place of both, and may ask.

    It can read files. Tools that could do nothing without consent are not offered; where none is left that changes
    anything, its workspace is read-only as well. Raises UsageError where local workspaces do not exist (Windows), where
    the sandbox of the settings is missing, and for a setting `consent.deny` that cannot be read.
    """
    asking = consent or Consent(permissions_of(registry, allow))

    def offer(ctx: RunContext[object], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        del ctx
        return [
            tool
            for tool in tools
            if tool.name in READ_TOOLS or asking.offers(WRITE_FILE if tool.name == _MAKE_FOLDER else tool.name)
        ]

    workspace = workspace_for(cwd, registry.settings, read_only=not any(map(asking.offers, CHANGING_TOOLS)))
    coder = Coder[object](
        repo_context=False,  # would read AGENTS.md and CLAUDE.md again, outside the rules' precedence
        sub_agents=False,
        instructions=told_to_the_model(asking.permissions) or None,
    )
    in_force = rules or ProjectRules(registry)
    return Agent(
        model,
        name="xcsh",
        deps_type=object,
        retries={"tools": _CORRECTIONS},
        capabilities=[
            workspace,
            PrepareTools[object](offer),
            coder,
            # write_file makes no folder, and the coder leaves that to the shell, which may not be allowed
            FileSystem[object](id=_MAKE_FOLDER, tools=[_MAKE_FOLDER]),
            *in_force.capabilities,
            asking,
            *capabilities,
        ],
    )


async def run_turn(
    agent: Agent[object, str], prompt: str, sink: Sink, *, history: Sequence[ModelMessage] = ()
) -> TurnResult:
    """Sends `prompt` and tells `sink` what happens until the agent has answered.

    Raises FailedTurnError where there is no answer. Cancelling the task closes the connection to the model.
    """
    reader = StreamReader(sink)
    try:
        async with agent.run_stream_events(prompt, message_history=list(history) or None) as events:
            async for event in events:
                reader.read(event)
                if isinstance(event, AgentRunResultEvent):
                    result = event.result
                    return TurnResult(result.output, result.all_messages(), result.usage)
    except AgentRunError as error:
        raise failed_turn(error) from error
    raise FailedTurnError("the turn ended without an answer", "try again")
