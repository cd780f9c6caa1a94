"""What is remembered of a session that was left, for the one that follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

    from xcsh.agent.consent.permissions import Permissions
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.agent_session import AgentSession
    from xcsh.session.keeping import Kept


class Before(NamedTuple):
    """A session that was left, as it was. `kept`: its file is there, else all that there is of it is this."""

    id: str
    cwd: str
    kept: bool
    choice: ModelChoice
    thinking: str
    permissions: Permissions
    messages: list[ModelMessage]
    steering: list[str]
    follow_ups: list[str]


def left(session: AgentSession, cwd: str, choice: ModelChoice, permissions: Permissions, kept: Kept | None) -> Before:
    """What is remembered of a session that was closed. One in which nothing was said leaves no file behind."""
    from xcsh.cli.kept_session import discard

    waiting = session.waiting
    said = bool(session.messages or waiting)
    if not said:
        discard(kept)
    texts = {kind: [entry.text for entry in waiting if entry.kind == kind] for kind in ("steer", "follow_up")}
    if session.model.chosen is not None and session.model_name != choice.name:
        choice = choice._replace(name=session.model_name, decided_by="/model", detected=False, base_url="")
    return Before(
        session.id, cwd, kept is not None and (said or kept.stored is not None), choice, session.thinking, permissions,
        session.messages, texts["steer"], texts["follow_up"],
    )  # fmt: skip
