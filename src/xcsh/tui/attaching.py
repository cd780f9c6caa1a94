"""Attaches the images that a typed text stands for, so that it can be sent with them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from xcsh.session.images.reading import ImageError
from xcsh.tui.input.images import Inserted, Places, exchange, read_mentioned

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


def places_of(session: AgentSession | None) -> Places:
    """Where paths of a session's user are looked for; before it is open, where the program was begun."""
    if session is None:
        return Places(os.getcwd(), os.path.expanduser("~"))
    environment = session.context.registry.environment
    return Places(environment.cwd, environment.home, environment.repo_root or environment.cwd)


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
