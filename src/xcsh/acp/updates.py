"""What a session tells, in the updates of the protocol."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from acp import (
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.schema import Cost, ToolCallLocation, ToolKind, UsageUpdate

from xcsh.agent.events import (
    FileChanged,
    RequestResent,
    RulesAttached,
    RulesTriggered,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from xcsh.guard.tools import canonical, names_a_path
from xcsh.session.events import (
    CommandSaid,
    CompactionCompleted,
    CompactionFailed,
    DiagnosticsFound,
    Notice,
    SessionEvent,
    SessionNotSaved,
)
from xcsh.surfaces.layout import plural

_KINDS: dict[str, ToolKind] = {
    "read": "read", "edit": "edit", "write": "edit", "bash": "execute", "grep": "search", "glob": "search",
}  # fmt: skip
_TITLE = 200


class Updates:
    """Makes the updates of one session. Paths are absolute in the protocol; `cwd` is what relative ones are below."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._notices = 0

    def of(self, event: SessionEvent) -> list[Any]:  # noqa: C901, PLR0911, PLR0912 - a table of events
        """The updates for an event, in order; none for what a client does not show."""
        match event:
            case TextDelta(text=text):
                return [update_agent_message_text(text)] if text else []
            case ThinkingDelta(text=text):
                return [update_agent_thought_text(text)] if text else []
            case ToolCalled():
                return [self._called(event)]
            case FileChanged():
                return self._changed(event)
            case ToolReturned(content=content, call_id=call, failed=failed):
                status = "failed" if failed else "completed"
                return [update_tool_call(call, status=status, raw_output={"content": content}, content=_said(content))]
            case RulesTriggered(rules=rules, paths=paths, kept=kept):
                written = "What it had written stays." if kept else "What it had written does not count."
                return [self._notice(f"Stopped by {_named(rules)}. {written} It tries again with the rule.", paths)]
            case RulesAttached(rules=rules, paths=paths, file=file):
                return [self._notice(f"Rules for {file}: {_named(rules)}", paths)]
            case RequestResent(reason=reason, delay=delay):
                return [self._notice(f"{reason}; trying again in {delay:.0f} s", ())]
            case CompactionCompleted(tokens_before=before, tokens_after=after):
                return [self._notice(f"The history is shorter: ~{before:,} to ~{plural(after, 'token')}", ())]
            case CompactionFailed(message=message) | SessionNotSaved(message=message):
                return [self._notice(message, ())]
            case CommandSaid(text=text) | Notice(text=text):
                return [update_agent_message_text(f"{text}\n\n")]
            case DiagnosticsFound(diagnostics=diagnostics):
                lines = [f"{item.severity}: {item.message} ({item.path})" for item in diagnostics]
                paths = tuple(dict.fromkeys(item.path for item in diagnostics if item.path))
                return [self._notice(f"{plural(len(lines), 'finding')} in rule files", paths, "\n".join(lines))]
            case UsageReported(context_tokens=used, context_window=int(size), cost=cost):
                price = Cost(amount=cost, currency="USD") if cost is not None else None
                return [UsageUpdate(session_update="usage_update", used=used, size=size, cost=price)]
            case _:
                return []

    def _called(self, event: ToolCalled) -> Any:
        paths = [
            value for key, value in event.arguments.items() if names_a_path(key) and isinstance(value, str) and value
        ]
        return start_tool_call(
            event.call_id,
            _one_line(event.line),
            kind=_KINDS.get(canonical(event.name), "other"),
            status="in_progress",
            locations=self._locations(paths),
            raw_input=event.arguments,
        )

    def _changed(self, event: FileChanged) -> list[Any]:
        """The change as it is known: the lines of its hunks, without what was left out."""
        before, after = sides(event.diff)
        if event.left != 0 and not (before or after):
            return []
        diff = tool_diff_content(path=self._absolute(event.path), old_text=before or None, new_text=after)
        return [update_tool_call(event.call_id, content=[diff], locations=self._locations([event.path]))]

    def _notice(self, title: str, paths: Sequence[str], text: str = "") -> Any:
        """Something that happened beside the answer, with the files that it is about."""
        self._notices += 1
        return start_tool_call(
            f"notice-{self._notices}",
            _one_line(title),
            kind="think",
            status="completed",
            locations=self._locations(paths),
            content=_said(text) if text else None,
        )

    def _locations(self, paths: Sequence[str]) -> list[ToolCallLocation]:
        return [ToolCallLocation(path=self._absolute(path)) for path in paths if "://" not in path]

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, path))


def sides(diff: str) -> tuple[str, str]:
    """The text before and after the change of a diff's hunks."""
    before: list[str] = []
    after: list[str] = []
    for line in diff.split("\n"):
        if line.startswith(("@@", "\\")):
            continue
        mark, text = line[:1], line[1:]
        if mark in (" ", "-"):
            before.append(text)
        if mark in (" ", "+"):
            after.append(text)
    return "\n".join(before), "\n".join(after)


def _said(text: str) -> list[Any]:
    return [tool_content(text_block(text))]


def _named(rules: Sequence[str]) -> str:
    return ", ".join(rules)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
