"""A conversation: what a person types becomes what the model is sent. Loaded where first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession
    from xcsh.session.creating import create_agent_session
    from xcsh.session.events import SessionEvent, event_json
    from xcsh.session.images.reading import Image, ImageError, image_of, read_image
    from xcsh.session.keeping import Kept, keep_session, resume_session
    from xcsh.session.results import ClosedSessionError, ExtensionCommandError, PromptResult, StreamingBehaviorError
    from xcsh.session.undo.report import UndoReport

__all__ = [
    "AgentSession",
    "ClosedSessionError",
    "ExtensionCommandError",
    "Image",
    "ImageError",
    "Kept",
    "PromptResult",
    "SessionEvent",
    "StreamingBehaviorError",
    "UndoReport",
    "create_agent_session",
    "event_json",
    "image_of",
    "keep_session",
    "read_image",
    "resume_session",
]

_HOMES = {
    "AgentSession": "agent_session",
    "ClosedSessionError": "results",
    "ExtensionCommandError": "results",
    "Image": "images.reading",
    "ImageError": "images.reading",
    "Kept": "keeping",
    "PromptResult": "results",
    "SessionEvent": "events",
    "StreamingBehaviorError": "results",
    "UndoReport": "undo.report",
    "create_agent_session": "creating",
    "event_json": "events",
    "image_of": "images.reading",
    "keep_session": "keeping",
    "read_image": "images.reading",
    "resume_session": "keeping",
}


def __getattr__(name: str) -> Any:
    """Loads a public name; MissingExtraError where xcsh[agent] is not installed."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from xcsh.agent.loading import load_public  # noqa: PLC0415 - light programs import this package too

    value = globals()[name] = load_public(f"{__name__}.{home}", name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
