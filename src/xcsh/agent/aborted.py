"""What becomes of a response that was ended: in the history (T-9), and in the usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    BaseToolCallPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from xcsh.parsing.tokens import estimate_tokens


def take_interrupted(messages: list[ModelMessage]) -> ModelResponse | None:
    """Removes the response that the framework committed when it was interrupted, and returns it.

    None where it committed none, or an empty one: that one is not counted as a request, and what was written stands in
    the error. It does so under durable execution, where it sees no event of the response.
    """
    last = messages[-1] if messages else None
    if isinstance(last, ModelResponse) and last.state == "interrupted":
        messages.pop()
        return last if last.parts else None
    return None


def kept_of(response: ModelResponse) -> ModelResponse | None:
    """What can be sent again of it: text, and signed thinking before text; None where there is no text.

    A tool call that was cut off is no valid JSON, and every call wants a result; providers refuse unsigned thinking
    and a message that has nothing else.
    """
    parts = [
        part
        for part in response.parts
        if (isinstance(part, TextPart) and part.content.strip()) or (isinstance(part, ThinkingPart) and part.signature)
    ]
    while parts and not isinstance(parts[-1], TextPart):
        parts.pop()
    return replace(response, parts=parts, state="interrupted") if parts else None


def written_tokens(response: ModelResponse) -> int:
    """An estimate of how much a model wrote."""
    return sum(estimate_tokens(_written(part)) for part in response.parts)


def unreported_usage(response: ModelResponse, history: Sequence[ModelMessage]) -> RequestUsage:
    """An estimate of the tokens of an aborted request that its provider had not reported when it was ended.

    `history`: what was sent. Providers report the output with the last frame, many the input too.
    """
    reported = response.usage
    # A response that came to its own end before a match was decided has its final numbers.
    final = response.finish_reason is not None and reported.output_tokens > 0
    written = 0 if final else written_tokens(response)
    sent = 0 if reported.input_tokens else sum(estimate_tokens(text) for text in _sent(history))
    return RequestUsage(input_tokens=sent, output_tokens=max(0, written - reported.output_tokens))


def _written(part: object) -> str:
    if isinstance(part, BaseToolCallPart):
        return part.args if isinstance(part.args, str) else part.args_as_json_str() if part.args else ""
    return part.content if isinstance(part, TextPart | ThinkingPart) else ""


def _sent(history: Sequence[ModelMessage]) -> list[str]:
    texts: list[str] = []
    for message in history:
        if isinstance(message, ModelResponse):
            texts += [_written(part) for part in message.parts]
            continue
        texts += [_asked(part) for part in message.parts]
    instructions = [message.instructions for message in history if isinstance(message, ModelRequest)]
    return [*texts, *(text for text in instructions[-1:] if text)]


def _asked(part: object) -> str:
    content: object = getattr(part, "content", "")
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        return "".join(item for item in part.content if isinstance(item, str))
    return content if isinstance(content, str) else str(content)
