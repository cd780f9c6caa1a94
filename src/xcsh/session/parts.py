"""What a session is put together from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pydantic_ai.messages import ModelMessage

from xcsh.agent.consent.permissions import Permissions
from xcsh.agent.project_rules import ProjectRules
from xcsh.session.command_turn import CommandTurns
from xcsh.session.compacting import Compactor
from xcsh.session.events import Sink
from xcsh.session.images.attached import AttachedImages
from xcsh.session.measuring import Used
from xcsh.session.recording import Recorder, Recording
from xcsh.session.run_link import RunLink
from xcsh.session.session_model import SessionModel
from xcsh.session.turn_runner import TurnRunner
from xcsh.session.undo.session_changes import SessionChanges


class Before(NamedTuple):
    """What a session goes on from: its history, how many turns there have been, and what they used.

    Where that is not known (`used` is None), it is what the responses of the history say.
    """

    history: Sequence[ModelMessage] = ()
    turns: int = 0
    used: Used | None = None


class SessionParts(NamedTuple):
    """`runner` runs turns, `commands` applies a command to its turn; both are made with the sink of the events.
    `recorder` is where the session is written down. `rules` are those in force.
    """

    id: str
    before: Before
    runner: Callable[[Sink, Recording, Callable[[str], None]], TurnRunner]
    recorder: Recorder | None
    link: RunLink
    compactor: Compactor
    commands: Callable[[Sink], CommandTurns]
    changes: SessionChanges | None
    rules: ProjectRules
    model: SessionModel
    images: AttachedImages
    permissions: Permissions
