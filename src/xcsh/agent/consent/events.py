"""The events of consent in the stream of an agent's events; plain values, for front ends and logs."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_ai import CapabilityEvent

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Session


@dataclass(kw_only=True)
class ConsentAskedEvent(CapabilityEvent, namespace="xcsh", name="consent_asked"):
    """Somebody is asked: the fields of `ConsentRequest`. Of a file it may reach the stream only with the answer."""

    tool: str = ""
    command: str = ""
    path: str = ""
    diff: str = ""
    arguments: str = ""
    why: str = ""
    origin: str = ""
    notes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    once: bool = False


@dataclass(kw_only=True)
class ConsentGivenEvent(CapabilityEvent, namespace="xcsh", name="consent_given"):
    """The answer: `once`, `session`, `always` or `no`, with the pattern or the reason that was given.

    `problem`: why an answer could not be taken as it was given, for example since the settings cannot be written.
    """

    tool: str = ""
    answer: str = ""
    pattern: str = ""
    reason: str = ""
    problem: str = ""


def asked_event(shown: ConsentRequest) -> ConsentAskedEvent:
    """The event of a question."""
    return ConsentAskedEvent(
        tool=shown.tool, command=shown.command, path=shown.path, diff=shown.diff, arguments=shown.arguments,
        why=shown.why, origin=shown.origin, notes=shown.notes, patterns=shown.patterns,
        once=shown.once,
    )  # fmt: skip


def given_event(tool: str, answer: Answer, problem: str) -> ConsentGivenEvent:
    """The event of an answer."""
    pattern = answer.pattern if isinstance(answer, Session | Always) else ""
    reason = answer.reason if isinstance(answer, No) else ""
    return ConsentGivenEvent(
        tool=tool, answer=type(answer).__name__.lower(), pattern=pattern, reason=reason, problem=problem
    )
