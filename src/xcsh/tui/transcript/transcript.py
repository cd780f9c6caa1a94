"""The conversation on the screen: what was said, what tools did, what rules stopped."""

from __future__ import annotations

from typing import Any

from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from xcsh.agent.events import (
    MessageCompleted,
    MessageRetracted,
    RequestResent,
    RulesAttached,
    RulesTriggered,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
)
from xcsh.session.events import (
    CommandSaid,
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    DiagnosticsFound,
    Notice,
    SessionEvent,
    SteeringDelivered,
    TurnAborted,
    TurnFailed,
    TurnStarted,
)
from xcsh.surfaces.layout import plural, visible

_SHOWN = 160


class Transcript(VerticalScroll):
    """Shows events in their order. What is retracted goes away; a notice stays in its place (S-24)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._answer: Markdown | None = None
        self._stream: MarkdownStream | None = None
        self._thinking: Static | None = None
        self._thought = ""
        self.last_answer = ""

    async def show(self, event: SessionEvent) -> None:
        """Puts an event on the screen."""
        match event:
            case TurnStarted(text=text, typed=typed):
                await self._say("you", typed if typed != text and typed.startswith("/") else text, "-user")
            case SteeringDelivered(text=text):
                await self._say("you", text, "-user")
            case TextDelta(text=text):
                await self._write(text)
            case ThinkingDelta(text=text):
                await self._think(text)
            case MessageCompleted(text=text):
                self.last_answer = text or self.last_answer
                await self._close()
            case MessageRetracted():
                await self._retract()
            case ToolCalled():
                await self._close()
                await self._note(f"▸ {_one_line(event.line)}", "-tool")
            case ToolReturned(name=name, content=content, failed=True):
                await self._note(f"  {name} failed: {_one_line(content)}", "-failed")
            case _:
                line = _line(event)
                if line:
                    await self._note(*line)

    async def say(self, text: str) -> None:
        """Shows a text of the application itself."""
        await self._note(text, "-note")

    async def _say(self, who: str, text: str, style: str) -> None:
        await self._close()
        await self.mount(Static(f"{who}  {visible_text(text)}", classes=f"message {style}", markup=False))
        self.scroll_end(animate=False)

    async def _write(self, text: str) -> None:
        if self._stream is None:
            self._thinking = None
            self._answer = Markdown("", classes="message -model")
            await self.mount(self._answer)
            self._stream = Markdown.get_stream(self._answer)
        await self._stream.write(text)
        self.scroll_end(animate=False)

    async def _think(self, text: str) -> None:
        if self._thinking is None:
            self._thought = ""
            self._thinking = Static("", classes="message -thinking", markup=False)
            await self.mount(self._thinking)
        self._thought += text
        self._thinking.update(visible_text(self._thought))
        self.scroll_end(animate=False)

    async def _close(self) -> None:
        stream, self._stream, self._answer, self._thinking = self._stream, None, None, None
        if stream is not None:
            await stream.stop()

    async def _retract(self) -> None:
        answer, thinking = self._answer, self._thinking
        await self._close()
        for widget in (answer, thinking):
            if widget is not None:
                await widget.remove()

    async def _note(self, text: str, style: str) -> None:
        await self.mount(Static(visible_text(text), classes=f"note {style}", markup=False))
        self.scroll_end(animate=False)


def visible_text(text: str) -> str:
    """A text of several lines, without what would drive the terminal."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


def _line(event: SessionEvent) -> tuple[str, str] | None:  # noqa: C901, PLR0911 - a table of what is said
    match event:
        case RulesTriggered(rules=rules, paths=paths, texts=texts):
            named = ", ".join(f"{name} ({path})" for name, path in zip(rules, paths, strict=True))
            at = f" at `{texts[0]}`" if texts else ""
            return f"⚡ stopped by {named}{at}; retrying with the rule", "-rule"
        case RulesAttached(rules=rules, file=file):
            return f"📎 {', '.join(rules)} attached ({file})", "-rule"
        case RequestResent():
            return f"{event.reason}; trying again in {event.delay:.0f} s", "-failed"
        case TurnFailed(message=message, hint=hint):
            return f"{message}\n{hint}", "-failed"
        case TurnAborted():
            return "interrupted", "-failed"
        case CommandSaid(text=text) | Notice(text=text):
            return text, "-note"
        case CompactionStarted(tokens=tokens):
            return f"making the history shorter (~{plural(tokens, 'token')}) …", "-note"
        case CompactionCompleted(tokens_before=before, tokens_after=after):
            return f"the history is shorter: ~{before:,} → ~{plural(after, 'token')}", "-note"
        case CompactionFailed(message=message):
            return f"the history stays as it is: {message}", "-failed"
        case DiagnosticsFound(diagnostics=diagnostics):
            return "\n".join(f"{item.severity}: {item.message} ({item.path})" for item in diagnostics), "-failed"
        case _:
            return None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
