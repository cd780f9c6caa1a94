"""Makes of a history that ended anywhere one that can be sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


def valid_history(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The history with every call answered once, so that it can go on with a new prompt.

    The framework's own `repair_messages` closes the calls; the marker `state="interrupted"` would do so only for the
    last response, and only in a run with a new prompt. What it leaves is a last response that cannot be sent: one
    without content, which goes, and one that a provider suspended, which counts as interrupted. Messages that are in
    order are the very same objects. A history that ends with a prompt still does: run it without a new one.
    """
    from dataclasses import replace  # noqa: PLC0415 - a light verb imports this package

    from pydantic_ai.messages import ModelResponse, repair_messages  # noqa: PLC0415 - as above

    history = list(messages)
    while history and isinstance(last := history[-1], ModelResponse) and not _says_something(last):
        history.pop()
    if history and isinstance(last := history[-1], ModelResponse) and last.state == "suspended":
        history[-1] = replace(last, state="interrupted")
    return repair_messages(history)


def _says_something(response: object) -> bool:
    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart  # noqa: PLC0415 - as above

    if not isinstance(response, ModelResponse):
        return False
    return any(
        part.content.strip() if isinstance(part, TextPart) else not isinstance(part, ThinkingPart)
        for part in response.parts
    )
