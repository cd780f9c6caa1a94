"""A conversation as people read it: turns of what was asked, thought, called and answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcsh.session.said import Told, said_in
from xcsh.session.store.marks import without_tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, UserPromptPart

USER, ANSWER, THINKING, CALL, RESULT, OTHER = "user", "answer", "thinking", "call", "result", "other"
TOLD = "told"
"""What xcsh told the model in the user's place."""


class Entry(NamedTuple):
    """A piece of a conversation. For a call, `text` is its arguments and `result` what came back, None if nothing did.

    For a result without its call, `name` is the tool's; for something else, its kind. `call`: the id of a call.
    `failed`: the tool did not do what was asked. `told`: what xcsh told; `text` is its line.
    """

    kind: str
    text: str
    name: str = ""
    result: str | None = None
    call: str = ""
    failed: bool = False
    told: Told | None = None


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
            prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
            asks = any(not isinstance(item, Told) for part in prompts for item in said_in(part))
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
        _add_said(turn, part)
    elif isinstance(call, str):
        text = part.model_response_str() if isinstance(part, ToolReturnPart) else _plain(part)
        failed = not isinstance(part, ToolReturnPart) or part.outcome != "success"
        if waiting := open_calls.get(call):
            where, at = waiting.pop(0)
            where[at] = where[at]._replace(result=text, failed=failed)
        else:
            turn.append(Entry(RESULT, text, str(getattr(part, "tool_name", "")), failed=failed))
    elif not isinstance(part, SystemPromptPart | InstructionBaselinePart):
        turn.append(Entry(OTHER, _plain(part), part.part_kind))


def _add_said(turn: list[Entry], part: UserPromptPart) -> None:
    """What the user said and what xcsh told, each in its place."""
    said: list[object] = []
    for item in (*said_in(part), None):
        if item is not None and not isinstance(item, Told):
            said.append(item)
            continue
        if said:
            turn.append(Entry(USER, without_tokens("\n".join(map(_item, said)))))
            said = []
        if item is not None:
            turn.append(Entry(TOLD, item.line, told=item))


def _add_response_part(turn: list[Entry], part: object, open_calls: dict[str, list[tuple[list[Entry], int]]]) -> None:
    from pydantic_ai.messages import BaseToolCallPart, TextPart, ThinkingPart  # noqa: PLC0415 - as above

    if isinstance(part, TextPart | ThinkingPart):
        kind = ANSWER if isinstance(part, TextPart) else THINKING
        if part.content.strip():
            turn.append(Entry(kind, part.content))
    elif isinstance(part, BaseToolCallPart):
        open_calls.setdefault(part.tool_call_id, []).append((turn, len(turn)))
        turn.append(Entry(CALL, _arguments(part.args), part.tool_name, call=part.tool_call_id))
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


def _item(item: object) -> str:
    text: object = item if isinstance(item, str) else getattr(item, "content", None)
    if isinstance(text, str):
        return text
    what = getattr(item, "url", None) or getattr(item, "media_type", None) or type(item).__name__
    return f"[{what}]"


def _plain(part: object) -> str:
    content: object = getattr(part, "content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=repr)
