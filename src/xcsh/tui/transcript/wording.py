"""What a transcript says of an event, in plain words: a table from events to notices and to the lines of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from xcsh.agent.events import RequestResent, RulesAttached, RulesTriggered, ToolCalled
from xcsh.model.diagnostic import Diagnostic
from xcsh.session.events import (
    CommandSaid,
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    DiagnosticsFound,
    Notice,
    SessionEvent,
    SessionNotSaved,
    TurnAborted,
    TurnFailed,
)
from xcsh.surfaces.layout import plural
from xcsh.tui.transcript.entries import Note, RuleAt, one_line

_FILE_TOOLS = {"read_file": "read", "write_file": "write", "edit_file": "edit"}
_SEVERITIES = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}
"""Each with the word for one of them."""

_MOST_FINDINGS = 5


def call_line(name: str, arguments: Mapping[str, object]) -> str:
    """A call of a tool in words, on one line."""
    path = arguments.get("path")
    if name in _FILE_TOOLS and isinstance(path, str):
        return one_line(f"{_FILE_TOOLS[name]} {path}")
    return one_line(ToolCalled(name, dict(arguments), "").line)


def note_of(event: SessionEvent) -> Note | None:  # noqa: C901, PLR0911 - a table of what is said
    """The notice of an event; None for one that is no notice."""
    match event:
        case RulesTriggered(rules=rules, paths=paths, texts=texts):
            named = ", ".join(f"{name} ({path})" for name, path in zip(rules, paths, strict=True))
            at = f" at `{texts[0]}`" if texts else ""
            text = f"stopped by {named}{at}; retrying with the rule"
            return Note(text, "rule", sign="⚡", rules=_rules(rules, paths))
        case RulesAttached(rules=rules, paths=paths, file=file, held_back=held_back):
            text = f"{', '.join(rules)} attached ({file})"
            if held_back:
                text += "; the change waits until the model has read it"
            return Note(text, "rule", sign="📎", rules=_rules(rules, paths))
        case RequestResent(reason=reason, delay=delay):
            return Note(f"{reason}; trying again in {delay:.0f} s", "failed", sign="↻")
        case TurnFailed(message=message, hint=hint) | SessionNotSaved(message=message, hint=hint):
            return Note(f"{message}\n{hint}" if hint else message, "failed", sign="✗")
        case TurnAborted():
            return Note("interrupted; what waits is kept", "failed", sign="■")
        case CommandSaid(text=text) | Notice(text=text):
            return Note(text)
        case CompactionStarted(tokens=tokens):
            return Note(f"making the history shorter (~{plural(tokens, 'token')}) …")
        case CompactionCompleted(tokens_before=before, tokens_after=after):
            return Note(f"the history is shorter: ~{before:,} → ~{plural(after, 'token')}")
        case CompactionFailed(message=message):
            return Note(f"the history stays as it is: {message}", "failed", sign="✗")
        case DiagnosticsFound(diagnostics=diagnostics):
            text = "\n".join(findings(diagnostics))
            return Note(text, "failed", sign="✗") if _is_wrong(diagnostics) else Note(text)
        case _:
            return None


def findings(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Some findings, each with its place, errors with what to do; of many the first, and how many more there are."""
    lines = [f"{item.severity}: {item.message} ({_place(item)}){_advice(item)}" for item in diagnostics]
    left = len(lines) - _MOST_FINDINGS
    return [*lines[:_MOST_FINDINGS], *([f"{plural(left, 'more finding')}: /doctor"] if left > 0 else [])]


def counted(diagnostics: Sequence[Diagnostic]) -> Note | None:
    """How many findings of each severity there are, and where they are listed; None without any (R-33).

    It stands out where there are errors or warnings.
    """
    counts = Counter(str(item.severity) for item in diagnostics)
    parts = [plural(counts[severity], word) for severity, word in _SEVERITIES.items() if counts[severity]]
    if not parts:
        return None
    return Note(f"{', '.join(parts)} in rule files: /doctor", "rule" if _is_wrong(diagnostics) else "muted")


def _advice(item: Diagnostic) -> str:
    return f"\n  {item.hint}" if item.severity == "error" and item.hint else ""


def _is_wrong(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(item.severity in ("error", "warning") for item in diagnostics)


def _rules(names: tuple[str, ...], paths: tuple[str, ...]) -> list[RuleAt]:
    return [RuleAt(*pair) for pair in zip(names, paths, strict=True)]


def _place(item: Diagnostic) -> str:
    return f"{item.path}:{item.position.line}" if item.position is not None else item.path
