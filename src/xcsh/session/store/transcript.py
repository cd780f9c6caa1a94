"""A conversation as people read it: turns of what was asked, thought, called and answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from xcsh.session.store.marks import without_tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart

USER, ANSWER, THINKING, CALL, RESULT, OTHER = "user", "answer", "thinking", "call", "result", "other"


class Entry(NamedTuple):
    """A piece of a conversation. For a call, `text` is its arguments and `result` what came back, None if nothing did.

    For a result without its call, `name` is the tool's; for something else, its kind.
    """

    kind: str
    text: str
    name: str = ""
    result: str | None = None


def turns_of(messages: Sequence[ModelMessage]) -> list[list[Entry]]:
    """The entries by turn. A turn begins with an input that no call or answer is waiting for.

    Instructions and system prompts are left out: they are not of the conversation.
    """
    from pydantic_ai.messages import ModelRequest, UserPromptPart  # noqa: PLC0415 - listing sessions needs none of it

    turns: list[list[Entry]] = []
    open_calls: dict[str, list[tuple[list[Entry], int]]] = {}
    answered = True
    for message in messages:
        if isinstance(message, ModelRequest):
            asks = any(isinstance(part, UserPromptPart) for part in message.parts)
            if not turns or (asks and answered):
                turns.append([])
            for part in message.parts:
                _add_request_part(turns[-1], part, open_calls)
            answered = False
        else:
            if not turns:
                turns.append([])
            for part in message.parts:
                _add_response_part(turns[-1], part, open_calls)
            answered = not message.tool_calls
    return [turn for turn in turns if turn]


def _add_request_part(
    turn: list[Entry], part: ModelRequestPart, open_calls: dict[str, list[tuple[list[Entry], int]]]
) -> None:
    from pydantic_ai.messages import (  # noqa: PLC0415 - as above
        InstructionBaselinePart,
        SystemPromptPart,
        ToolReturnPart,
        UserPromptPart,
    )

    call: object = getattr(part, "tool_call_id", None)  # a retry has one where it answers a call
    if isinstance(part, UserPromptPart):
        turn.append(Entry(USER, without_tokens(_content(part.content))))
    elif isinstance(call, str):
        text = part.model_response_str() if isinstance(part, ToolReturnPart) else _plain(part)
        if waiting := open_calls.get(call):
            where, at = waiting.pop(0)
            where[at] = where[at]._replace(result=text)
        else:
            turn.append(Entry(RESULT, text, str(getattr(part, "tool_name", ""))))
    elif not isinstance(part, SystemPromptPart | InstructionBaselinePart):
        turn.append(Entry(OTHER, _plain(part), part.part_kind))


def _add_response_part(turn: list[Entry], part: object, open_calls: dict[str, list[tuple[list[Entry], int]]]) -> None:
    from pydantic_ai.messages import BaseToolCallPart, TextPart, ThinkingPart  # noqa: PLC0415 - as above

    if isinstance(part, TextPart | ThinkingPart):
        kind = ANSWER if isinstance(part, TextPart) else THINKING
        if part.content.strip():
            turn.append(Entry(kind, part.content))
    elif isinstance(part, BaseToolCallPart):
        open_calls.setdefault(part.tool_call_id, []).append((turn, len(turn)))
        turn.append(Entry(CALL, _arguments(part.args), part.tool_name))
    else:
        turn.append(Entry(OTHER, _plain(part), str(getattr(part, "part_kind", type(part).__name__))))


def _arguments(args: object) -> str:
    """The arguments as indented JSON; those that were cut off as they are."""
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError:
            return str(args)
    return json.dumps(args or {}, indent=2, ensure_ascii=False, default=repr)


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    items = cast("Sequence[object]", content) if isinstance(content, Sequence) else [content]
    return "\n".join(_item(item) for item in items)


def _item(item: object) -> str:
    text: object = item if isinstance(item, str) else getattr(item, "content", None)
    if isinstance(text, str):
        return text
    what = getattr(item, "url", None) or getattr(item, "media_type", None) or type(item).__name__
    return f"[{what}]"


def _plain(part: object) -> str:
    content: object = getattr(part, "content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=repr)
