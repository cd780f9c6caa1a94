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
    """What is to be answered: why a call must not run, and what the model is told beside; empty for nothing.

    `unseen` says to the user what of the call was not looked at.
    """

    denial: str = ""
    context: str = ""
    unseen: str = ""


Render = Callable[[str, Verdict], Mapping[str, object]]
"""Takes the event's own name and a verdict that is not empty; returns the JSON that the agent takes back."""


class Host(NamedTuple):
    """An agent. `events`: its names of events. `context_at`: the kinds of events whose answer can tell the model more.

    `session` and `folder` are the keys of the payload that name the conversation and its working folder, the first
    that is there; `project`: the environment variable that names the project. `tool` and `input` name the call's.
    `tools`: what tools of its own count as, beyond the usual names. `reads`: the providers whose rules the agent gives
    to its model by itself. `silence`: what it wants to read where there is nothing to say. `also`: the names of events
    with which it calls the hooks that were written for another agent.
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
    tools: Mapping[str, str] = {}
    reads: frozenset[str] = frozenset()
    silence: str = ""
    also: Mapping[str, str] = {}

    def kind(self, event: str) -> str | None:
        """What an event of that name is; None for one that is of no interest."""
        return self.events.get(event) or self.also.get(event)


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


def _cursor(event: str, verdict: Verdict) -> Mapping[str, object]:
    if event[:1].isupper():  # of the hooks of Claude Code, which it calls too
        return _claude(event, verdict)
    if verdict.denial:
        return {"permission": "deny", "user_message": "a rule of the project", "agent_message": verdict.denial}
    return {"additional_context": verdict.context}


def _copilot(event: str, verdict: Verdict) -> Mapping[str, object]:
    """For Copilot CLI, and beside it in the form of VS Code, which calls the hooks of the same files."""
    said: dict[str, object] = {}
    if verdict.denial:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": verdict.denial}
    if verdict.context:
        said["additionalContext"] = verdict.context
    return {**said, **_claude(event[:1].upper() + event[1:], verdict)}


_CLAUDE_EVENTS = {
    "PreToolUse": Event.BEFORE_TOOL,
    "UserPromptSubmit": Event.PROMPT,
    "SessionStart": Event.START,
    "PreCompact": Event.COMPACTION,
}
_WITH_AFTER = {**_CLAUDE_EVENTS, "PostToolUse": Event.AFTER_TOOL}
_LOWER_EVENTS = {
    "preToolUse": Event.BEFORE_TOOL,
    "postToolUse": Event.AFTER_TOOL,
    "sessionStart": Event.START,
    "preCompact": Event.COMPACTION,
}
CLAUDE = Host(
    id="claude",
    title="Claude Code",
    events=_CLAUDE_EVENTS,
    context_at=frozenset({Event.BEFORE_TOOL, Event.PROMPT, Event.START}),
    render=_claude,
    project="CLAUDE_PROJECT_DIR",
    reads=frozenset({"claude-rules", "claude-md"}),
)
CODEX = CLAUDE._replace(
    id="codex", title="Codex", project="", reads=frozenset({"agents-md"}),
    context_at=frozenset({Event.PROMPT, Event.START, Event.AFTER_TOOL}),
    events=_WITH_AFTER,
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
    reads=frozenset({"gemini-md"}),
    silence="{}",
)
CURSOR = Host(
    id="cursor",
    title="Cursor",
    events={**_LOWER_EVENTS, "beforeSubmitPrompt": Event.PROMPT},
    context_at=frozenset({Event.AFTER_TOOL, Event.START}),
    render=_cursor,
    session=("conversation_id", "session_id"),
    folder=("cwd", "workspace_roots"),
    project="CURSOR_PROJECT_DIR",
    reads=frozenset({"cursor", "cursor-nested", "cursor-legacy", "agents-md"}),
    silence="{}",
    also=_WITH_AFTER,
)
COPILOT = Host(
    id="copilot",
    title="GitHub Copilot",
    events={**_LOWER_EVENTS, "userPromptSubmitted": Event.PROMPT},
    context_at=frozenset({Event.AFTER_TOOL, Event.START}),
    render=_copilot,
    session=("sessionId", "session_id"),
    tool=("toolName", "tool_name"),
    input=("toolArgs", "tool_input"),
    tools={"powershell": "bash", "run_in_terminal": "bash", "multi_replace_string_in_file": "edit"},
    reads=frozenset({"copilot", "agents-md", "claude-md", "gemini-md"}),
    also=_WITH_AFTER,
)
HOSTS: tuple[Host, ...] = (CLAUDE, CODEX, GEMINI, CURSOR, COPILOT)
"""Claude Code first: who says nothing of itself and names its events like it is taken for it."""


def host_of(given: Host | None, fields: Mapping[str, object], event: str) -> Host:
    """Whose event it is: of `given`, whose hook was called, but where the event shows that it is another's.

    Cursor, Copilot and VS Code call the hooks of Claude Code's settings too.
    """
    if "cursor_version" in fields:
        return CURSOR
    if given in (None, CLAUDE) and event in _WITH_AFTER and "timestamp" in fields:
        return COPILOT
    if given is not None and given.kind(event) is not None:
        return given
    knowing = [host for host in HOSTS if event in host.events]
    marked = [host for host in knowing if host.session[0] in fields]
    return (marked or knowing or [given or CLAUDE])[0]
