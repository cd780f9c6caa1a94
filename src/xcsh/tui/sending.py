"""Sends a text that was typed to the session, with its images, after asking about what may be a slip."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from xcsh.errors import UsageError, XcshError
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.input.images import Inserted

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


class Sending:
    """`again` gets a text that was corrected, as if it had been typed."""

    def __init__(self, front: FrontEnd, again: Callable[[str, bool, Sequence[Inserted]], Awaitable[None]]) -> None:
        self._front = front
        self._again = again
        self._attaching = asyncio.Lock()
        self.was_told = False
        """Whether the user has just read at length why there is no model."""

    async def send(self, session: AgentSession, text: str, *, later: bool, images: Sequence[Inserted]) -> None:
        """Sends a text. One that begins like a command that there is not is asked about first: it may be misspelt.

        What is not sent stands where the user types again. UsageError: there is no model.
        """
        from xcsh.session.unknown_commands import unknown_command  # noqa: PLC0415 - late
        from xcsh.tui.unknown_commands import SEND, choices_for, corrected, question_about  # noqa: PLC0415 - the same

        name = unknown_command(text, session.context)
        if name is not None:
            choices = choices_for(name, session.context)
            chosen = await self._front.choose(question_about(name, session.context), choices)
            if (other := corrected(text, chosen or "")) is not None:
                await self._again(other, later, images)
                return
            if chosen != SEND:
                self._front.put(text)
                return
        typed = text
        async with self._attaching:  # so that no text comes before one that waits for its images
            if images:
                from xcsh.tui.attaching import attach_images  # noqa: PLC0415 - late

                text = await attach_images(session, text, images, self._front.say)
        try:
            await session.prompt(text, streaming_behavior="follow_up" if later else "steer")
        except XcshError as error:
            if (problem := session.model.problem) is not None:
                self._front.put(typed)
                if self.was_told and str(error) == str(problem):
                    raise UsageError("no model answers: /model NAME") from None
                self.was_told = True
            raise
