"""The agents that call hooks, as tables: what they call their events, where their fields are, what they take back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Event:
    """What an agent tells a hook of."""

    BEFORE_TOOL = "before-tool"
    AFTER_TOOL = "after-tool"
    PROMPT = "prompt"
    START = "start"
    COMPACTION = "compaction"


class Verdict(NamedTuple):
    """What is to be answered: why a call must not run, and what the model is told beside; empty for nothing."""

    denial: str = ""
    context: str = ""


Render = Callable[[str, Verdict], Mapping[str, object]]
"""Takes the event's own name and a verdict that is not empty; returns the JSON that the agent takes back."""


class Host(NamedTuple):
    """An agent. `events`: its names of events. `context_at`: the kinds of events whose answer can tell the model more.

    `session` and `folder` are the keys of the payload that name the conversation and its working folder, the first
    that is there; `project`: the environment variable that names the project. `tool` and `input` name the call's.
    `reads`: the providers whose rules the agent gives to its model by itself. `silence`: what it wants to read where
    there is nothing to say.
    """

    id: str
    title: str
    events: Mapping[str, str]
    context_at: frozenset[str]
    render: Render
    session: tuple[str, ...] = ("session_id",)
    folder: tuple[str, ...] = ("cwd",)
    project: str = ""
    tool: tuple[str, ...] = ("tool_name",)
    input: tuple[str, ...] = ("tool_input",)
    reads: frozenset[str] = frozenset()
    silence: str = ""


def _claude(event: str, verdict: Verdict) -> Mapping[str, object]:
    said: dict[str, object] = {"hookEventName": event}
    if verdict.denial:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": verdict.denial}
    if verdict.context:
        said["additionalContext"] = verdict.context
    return {"hookSpecificOutput": said}


def _gemini(event: str, verdict: Verdict) -> Mapping[str, object]:
    if verdict.denial:
        return {"decision": "deny", "reason": verdict.denial}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": verdict.context}}


def _cursor(_: str, verdict: Verdict) -> Mapping[str, object]:
    if verdict.denial:
        return {"permission": "deny", "user_message": "a rule of the project", "agent_message": verdict.denial}
    return {"additional_context": verdict.context}


def _copilot(_: str, verdict: Verdict) -> Mapping[str, object]:
    if verdict.denial:
        return {"permissionDecision": "deny", "permissionDecisionReason": verdict.denial}
    return {"additionalContext": verdict.context}


_CLAUDE_EVENTS = {
    "PreToolUse": Event.BEFORE_TOOL,
    "UserPromptSubmit": Event.PROMPT,
    "SessionStart": Event.START,
    "PreCompact": Event.COMPACTION,
}
CLAUDE = Host(
    id="claude",
    title="Claude Code",
    events=_CLAUDE_EVENTS,
    context_at=frozenset({Event.BEFORE_TOOL, Event.PROMPT, Event.START}),
    render=_claude,
    project="CLAUDE_PROJECT_DIR",
    reads=frozenset({"claude", "claude-rules", "claude-md"}),
)
CODEX = CLAUDE._replace(
    id="codex", title="Codex", project="", reads=frozenset({"codex", "agents-md"}),
    context_at=frozenset({Event.PROMPT, Event.START, Event.AFTER_TOOL}),
    events={**_CLAUDE_EVENTS, "PostToolUse": Event.AFTER_TOOL},
)  # fmt: skip
GEMINI = Host(
    id="gemini",
    title="Gemini CLI",
    events={
        "BeforeTool": Event.BEFORE_TOOL,
        "AfterTool": Event.AFTER_TOOL,
        "BeforeAgent": Event.PROMPT,
        "SessionStart": Event.START,
        "PreCompress": Event.COMPACTION,
    },
    context_at=frozenset({Event.AFTER_TOOL, Event.PROMPT, Event.START}),
    render=_gemini,
    project="GEMINI_PROJECT_DIR",
    reads=frozenset({"gemini"}),
    silence="{}",
)
CURSOR = Host(
    id="cursor",
    title="Cursor",
    events={
        "preToolUse": Event.BEFORE_TOOL,
        "postToolUse": Event.AFTER_TOOL,
        "beforeSubmitPrompt": Event.PROMPT,
        "sessionStart": Event.START,
        "preCompact": Event.COMPACTION,
    },
    context_at=frozenset({Event.AFTER_TOOL, Event.START}),
    render=_cursor,
    session=("conversation_id", "session_id"),
    folder=("cwd", "workspace_roots"),
    project="CURSOR_PROJECT_DIR",
    reads=frozenset({"cursor", "cursor-legacy", "agents-md"}),
    silence="{}",
)
COPILOT = Host(
    id="copilot",
    title="GitHub Copilot",
    events={
        "preToolUse": Event.BEFORE_TOOL,
        "userPromptSubmitted": Event.PROMPT,
        "sessionStart": Event.START,
    },
    context_at=frozenset(),
    render=_copilot,
    session=("sessionId", "session_id"),
    tool=("toolName", "tool_name"),
    input=("toolArgs", "tool_input"),
    reads=frozenset({"copilot", "agents-md"}),
)
HOSTS: tuple[Host, ...] = (CLAUDE, CODEX, GEMINI, CURSOR, COPILOT)
"""Claude Code first: who says nothing of itself and names its events like it is taken for it."""
