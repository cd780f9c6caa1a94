"""The JSON shapes of sessions (U-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xcsh.session.store.listing import SessionSummary
from xcsh.surfaces.shapes import Shape, diagnostic_shape

if TYPE_CHECKING:
    from xcsh.session.store.reading import StoredSession


def summary_shape(summary: SessionSummary) -> Shape:
    """A session of a list; what is not known is null."""
    return {
        "id": summary.id,
        "path": summary.path,
        "cwd": summary.cwd or None,
        "model": summary.model or None,
        "title": summary.title or None,
        "prompt": summary.prompt or None,
        "created": summary.created or None,
        "updated": summary.updated or None,
        "turns": summary.turns,
        "tokens": summary.tokens,
        "size": summary.size,
        "problem": summary.problem or None,
    }


def session_shape(session: StoredSession) -> Shape:
    """A whole session. `messages` are those of pydantic-ai."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter  # noqa: PLC0415 - listing sessions needs none of it

    messages = cast("list[Any]", ModelMessagesTypeAdapter.dump_python(session.messages, mode="json", fallback=repr))
    return {
        "id": session.id,
        "path": session.path,
        "cwd": session.cwd or None,
        "model": session.model or None,
        "title": session.title or None,
        "created": session.created or None,
        "updated": session.updated or None,
        "turns": session.turns,
        "usage": session.usage,
        "state": session.state,
        "messages": messages,
        "steering": list(session.steering),
        "followUps": list(session.follow_ups),
        "unanswered": list(session.unanswered),
        "notes": [{"kind": kind, "data": data} for kind, data in session.notes],
        "diagnostics": [diagnostic_shape(problem) for problem in session.problems],
    }
