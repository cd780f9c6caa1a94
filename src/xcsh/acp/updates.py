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

from xcsh.acp.hunks import hunks
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
        self._changes: dict[str, list[FileChanged]] = {}

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
            case ToolReturned():
                return [self._returned(event)]
            case RulesTriggered(rules=rules, paths=paths, kept=kept):
                written = "What it had written stays." if kept else "What it had written does not count."
                return [self.notice(f"Stopped by {_named(rules)}. {written} It tries again with the rule.", paths)]
            case RulesAttached(rules=rules, paths=paths, file=file):
                return [self.notice(f"Rules for {file}: {_named(rules)}", paths)]
            case RequestResent(reason=reason, delay=delay):
                return [self.notice(f"{reason}; trying again in {delay:.0f} s", ())]
            case CompactionCompleted(tokens_before=before, tokens_after=after):
                return [self.notice(f"The history is shorter: ~{before:,} to ~{plural(after, 'token')}", ())]
            case CompactionFailed(message=message) | SessionNotSaved(message=message):
                return [self.notice(message, ())]
            case CommandSaid(text=text) | Notice(text=text):
                return [update_agent_message_text(f"{text}\n\n")]
            case DiagnosticsFound(diagnostics=diagnostics):
                lines = [f"{item.severity}: {item.message} ({item.path})" for item in diagnostics]
                paths = tuple(dict.fromkeys(item.path for item in diagnostics if item.path))
                return [self.notice(f"{plural(len(lines), 'finding')} in rule files", paths, "\n".join(lines))]
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

    def _returned(self, event: ToolReturned) -> Any:
        """What came back. The contents of a call are those that were sent last: changes of files stay what is seen."""
        changed = self._changes.pop(event.call_id, None) is not None
        return update_tool_call(
            event.call_id,
            status="failed" if event.failed else "completed",
            raw_output={"content": event.content},
            content=None if changed else _said(event.content),
        )

    def _changed(self, event: FileChanged) -> list[Any]:
        """All that the call has changed so far, a content a hunk."""
        if not event.diff:
            return []
        changes = self._changes.setdefault(event.call_id, [])
        changes.append(event)
        content: list[Any] = []
        places: list[ToolCallLocation] = []
        for change in changes:
            path = self._absolute(change.path)
            for hunk in hunks(change.diff):
                content.append(tool_diff_content(path=path, old_text=hunk.old, new_text=hunk.new))
                places.append(ToolCallLocation(path=path, line=hunk.line))
            if change.left != 0:
                left = "more lines" if change.left is None else plural(change.left, "more line")
                content += _said(f"{left} of the change of {change.path} are not shown")
        return [update_tool_call(event.call_id, content=content, locations=places)]

    def notice(self, title: str, paths: Sequence[str] = (), text: str = "") -> Any:
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


def _said(text: str) -> list[Any]:
    return [tool_content(text_block(text))]


def _named(rules: Sequence[str]) -> str:
    return ", ".join(rules)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
