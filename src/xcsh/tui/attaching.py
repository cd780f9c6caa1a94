"""Attaches the images that a typed text stands for, so that it can be sent with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from xcsh.session.images.reading import ImageError
from xcsh.tui.input.images import Inserted, exchange, places_of, read_mentioned

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


async def attach_images(
    session: AgentSession, text: str, inserted: Sequence[Inserted], say: Callable[[str], Awaitable[None]]
) -> str:
    """The text with the session's marks of its images. What cannot be sent is said, and stays as it was typed."""
    places = places_of(session)
    marks: dict[str, str] = {}
    for each in inserted:
        if each.image is None and not each.path:
            await say(f"{each.text} stands for no image here any more; only these words are sent. Paste it again.")
            continue
        try:
            image = each.image or await asyncio.to_thread(read_mentioned, each.path, places)
        except ImageError as error:
            await say(f"{error}; the text is sent without it. To send it: {error.hint}")
        else:
            marks[each.text] = await session.images.attach(image)
    return exchange(text, marks)
