"""The earlier messages of a session as entries, made in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xcsh.agent.events import FileChanged
from xcsh.tui.transcript.entries import Entry

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


def earlier(messages: Sequence[ModelMessage], changes: Sequence[FileChanged] = ()) -> list[Entry]:
    """Their entries; `changes` are what calls did to files, as it was told.

    Loads everything that the first answer needs too, so that nothing waits for it then.
    """
    from xcsh.tui.transcript.history import entries_of  # noqa: PLC0415 - not before the first paint
    from xcsh.tui.transcript.markdown import warm_up  # noqa: PLC0415 - the same

    warm_up()
    return entries_of(messages, changes) if messages else []
