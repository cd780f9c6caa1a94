"""A history as the updates that it once was: texts of both sides, images, the calls of tools, and notices."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from acp import image_block, update_user_message, update_user_message_text
from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from xcsh.acp.updates import Updates
from xcsh.agent.events import (
    FileChanged,
    RulesAttached,
    RulesTriggered,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
)
from xcsh.session.images.attached import AttachedImages
from xcsh.session.said import Told, said_in
from xcsh.session.store.marks import without_tokens


async def sent_again(
    messages: Sequence[ModelMessage], updates: Updates, images: AttachedImages, changes: Iterable[FileChanged] = ()
) -> list[Any]:
    """The updates, in order, made by the `updates` of the session as they were when it was live.

    Behind a text of the user come the images that go with it, as far as they can still be read. `changes`: what calls
    did to files, oldest first.
    """
    by_call: dict[str, list[FileChanged]] = {}
    for change in changes:
        by_call.setdefault(change.call_id, []).append(change)
    sent: list[Any] = []
    kept = False
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                sent += [update async for update in _prompted(part, updates, images, kept=kept)]
            elif isinstance(part, CompactionPart):
                sent.append(updates.notice("The history is shorter: this stands for what was before", (), _text(part)))
            else:
                sent += [update for event in _events(part, by_call) for update in updates.of(event)]
        kept = isinstance(message, ModelResponse) and message.state == "interrupted"
    return sent


async def _prompted(
    part: UserPromptPart, updates: Updates, images: AttachedImages, *, kept: bool
) -> AsyncIterator[Any]:
    """What the user said, and as notices what xcsh told the model in the user's place."""
    for item in said_in(part):
        if isinstance(item, Told):
            for update in _told(item, updates, kept=kept):
                yield update
        elif (text := _text(item)).strip():
            yield update_user_message_text(without_tokens(text))
            for attached in dict.fromkeys(images.in_text(text)):
                content = await images.content(attached)
                if content is not None:
                    data = base64.b64encode(content.data).decode()
                    yield update_user_message(image_block(data, content.media_type))


def _told(told: Told, updates: Updates, *, kept: bool) -> list[Any]:
    match told.what:
        case "interrupt":
            return updates.of(RulesTriggered(told.rules, told.paths, kept, 0))
        case "attached":
            return updates.of(RulesAttached(told.rules, told.paths, told.file, held_back=False))
        case "undo":
            return [updates.notice("Changes of files were taken back, or made again", (), told.text)]
        case "command":
            return [updates.notice("You ran a command", (), told.text)]
        case _:  # nothing was seen of it
            return []


def _events(part: object, by_call: dict[str, list[FileChanged]]) -> Iterator[Any]:
    match part:
        case TextPart(content=text):
            yield TextDelta(text)
        case ThinkingPart(content=text):
            yield ThinkingDelta(text)
        case ToolCallPart():
            yield ToolCalled(part.tool_name, part.args_as_dict(), part.tool_call_id)
        case ToolReturnPart():
            failed = part.outcome != "success"
            if not failed:
                yield from _changes_of(by_call.get(part.tool_call_id, []))
            yield ToolReturned(part.tool_name, part.model_response_str(), part.tool_call_id, failed)
        case _:
            return


def _changes_of(waiting: list[FileChanged]) -> Iterator[FileChanged]:
    """What a call did to files: up to a file that comes a second time, since models may use an id again."""
    taken: set[str] = set()
    while waiting and waiting[0].path not in taken:
        taken.add(waiting[0].path)
        yield waiting.pop(0)


def _text(item: object) -> str:
    """The text of an item of a message; empty for what is none."""
    text: object = item if isinstance(item, str) else getattr(item, "content", None)
    return text if isinstance(text, str) else ""
