"""Which attached rules the model still sees, read from the messages of the conversation (R-54).

The messages are all that there is: whoever keeps them, also as JSON, keeps this; what a compaction drops is forgotten
with it; and an engine of durable execution that runs a workflow again comes to the same state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, TextContent, ToolReturnPart, UserPromptPart
from pydantic_ai_harness.compaction import is_pinned, pin

from xcsh.surfaces.attached_rules import Given, given_in, opened


def delivered(messages: Iterable[ModelMessage]) -> set[Given]:
    """The rules whose blocks stand in the history, whole."""
    return {rule for text in _texts(messages) for rule in given_in(text)}


def on_its_way(ctx: RunContext[Any]) -> set[Given]:
    """The rules that the next request brings."""
    return delivered(message for pending in ctx.pending_messages or () for message in pending.messages)


def attach(ctx: RunContext[Any], text: str) -> None:
    """Adds blocks to the next request, after the results of its tools; those of one request are one message.

    They are pinned: a compaction of the harness that blanks or drops what is around them leaves them.
    """
    for message in (message for pending in ctx.pending_messages or () for message in pending.messages):
        for item in _attachments(message):
            item.content += f"\n{text}"
            return
    ctx.enqueue(ModelRequest([pin(opened(text))]))


def was_told(messages: Iterable[ModelMessage], result: str) -> bool:
    """Whether a result that the model still sees holds this text."""
    return any(
        isinstance(part, ToolReturnPart) and isinstance(part.content, str) and result in part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
    )


def _texts(messages: Iterable[ModelMessage]) -> Iterator[str]:
    """What stands in the user's place. An interface may have taken the mark of the pin off, or made one text of it."""
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, UserPromptPart):
                for item in [part.content] if isinstance(part.content, str) else part.content:
                    if isinstance(item, str | TextContent):
                        yield item if isinstance(item, str) else item.content


def _attachments(message: ModelMessage) -> Iterator[TextContent]:
    for part in message.parts if isinstance(message, ModelRequest) else ():
        if isinstance(part, UserPromptPart) and is_pinned(part):
            yield from (item for item in part.content if isinstance(item, TextContent) and given_in(item.content))
