"""What happens in a conversation, as sentences that stand by themselves: no sign and no colour carries a meaning."""

from __future__ import annotations

from xcsh.agent.events import FileChanged, RequestResent, RulesAttached, RulesTriggered, ToolCalled, ToolReturned
from xcsh.model.diagnostic import Diagnostic
from xcsh.session.events import (
    CommandSaid,
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    DiagnosticsFound,
    Notice,
    QueueChanged,
    SessionEvent,
    SessionNotSaved,
    SteeringDelivered,
    TurnAborted,
    TurnFailed,
    TurnStarted,
)
from xcsh.session.store.marks import without_tokens
from xcsh.surfaces.layout import plural, visible

_LONGEST = 200


def sentence(event: SessionEvent) -> str:  # noqa: C901, PLR0911, PLR0912 - a table of what is said
    """What an event comes to, of one line or several; empty where nothing is said of it. Nothing drives a terminal."""
    match event:
        case TurnStarted(text=text, typed=typed) if text != typed:
            return f"This is sent: {shown(without_tokens(text))}"
        case SteeringDelivered(text=text):
            return f"The model is told: {shown(without_tokens(text))}"
        case RulesTriggered():
            return _triggered(event)
        case RulesAttached(rules=rules, file=file, held_back=held_back):
            waits = " The change waits until the model has read it." if held_back else ""
            what = "rule" if len(rules) == 1 else "rules"
            return f"The model is given the {what} {_list(rules)} for the file {shown(file)}.{waits}"
        case RequestResent():
            return f"{shown(event.reason).rstrip('.')}. It is tried again in {plural(round(event.delay), 'second')}."
        case ToolCalled():
            return f"The model uses {shown(event.line)}."
        case ToolReturned(name=name, content=content, failed=True):
            return f"{shown(name)} failed: {shown(content)}"
        case FileChanged(path=path, added=added, removed=removed):
            lines = (
                f": {plural(added, 'line')} added, {removed:,} removed"
                if added is not None and removed is not None
                else ""
            )
            return f"The file {shown(path)} is changed{lines}. To take back: /undo"
        case QueueChanged(steering=steering, follow_ups=follow_ups) if steering or follow_ups:
            return f"{plural(len(steering) + len(follow_ups), 'message')} waiting to be sent. To take back: /queue"
        case TurnFailed(message=message, hint=hint):
            return f"There is no answer: {shown(message)}" + (f"\nWhat to do: {shown(hint)}" if hint else "")
        case TurnAborted():
            return "The turn was interrupted."
        case CommandSaid(text=text) | Notice(text=text):
            return lines_shown(text)
        case CompactionStarted(tokens=tokens):
            return f"The history is being made shorter; it has about {plural(tokens, 'token')}."
        case CompactionCompleted(tokens_before=before, tokens_after=after):
            return f"The history is shorter: about {before:,} tokens before, {after:,} now."
        case CompactionFailed(message=message):
            return f"The history stays as it is: {shown(message)}"
        case DiagnosticsFound(diagnostics=diagnostics):
            return "\n".join(map(_finding, diagnostics))
        case SessionNotSaved(message=message, hint=hint):
            return f"The session is not saved at the moment: {shown(message)}\nWhat to do: {shown(hint)}"
        case _:
            return ""


def _finding(item: Diagnostic) -> str:
    text = f"{item.severity}: {shown(item.message)} ({shown(item.path)})"
    return f"{text}\nWhat to do: {shown(item.hint)}" if item.severity == "error" and item.hint else text


def shown(text: str) -> str:
    """A text of somebody else on one line of a bearable length."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def lines_shown(text: str) -> str:
    """A text of several lines, without what would drive a terminal."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


def _triggered(event: RulesTriggered) -> str:
    named = _list([f"{name} ({path})" for name, path in zip(event.rules, event.paths, strict=True)])
    at = f" at: {shown(event.texts[0])}" if event.texts else ""
    what = "what it has written so far stays" if event.kept else "what it has written so far is taken back"
    return f"The answer was stopped by the rule {named}{at}. The model begins again with the rule; {what}."


def _list(texts: list[str] | tuple[str, ...]) -> str:
    return ", ".join(shown(text) for text in texts)
