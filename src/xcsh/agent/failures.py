"""Says why a turn failed in one line, and what to do in another."""

from __future__ import annotations

from typing import cast

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelTimeoutError,
    ModelUnavailableError,
    UsageLimitExceeded,
)

from xcsh.errors import FailedTurnError

_AGAIN = "try again, or another model: --model PROVIDER:NAME"
_HINTS: tuple[tuple[type[AgentRunError], str], ...] = (
    (ModelAuthenticationError, "check the provider's key, and that it may use this model"),
    (ModelNotFoundError, "check the name that --model, XCSH_MODEL or the setting `model` gives"),
    (ModelQuotaExceededError, "top up the provider's account, or take another model: --model PROVIDER:NAME"),
    (ModelRateLimitError, "wait a moment and try again"),
    (ModelContextWindowExceededError, "ask for less at once, or take a model with a larger context"),
    (ModelTimeoutError, _AGAIN),
    (ModelUnavailableError, _AGAIN),
    (ModelConnectionError, "check that the provider can be reached from here, and try again"),
    (UsageLimitExceeded, "ask for a smaller step"),
)


def failed_turn(error: AgentRunError) -> FailedTurnError:
    """The failure that a user reads, for one that the framework raised."""
    hint = _said(error, "hint") or next((text for kind, text in _HINTS if isinstance(error, kind)), _AGAIN)
    notes: list[str] = getattr(error, "__notes__", [])
    return FailedTurnError("; ".join([_what(error), *map(_one_line, notes)]), hint)


def _what(error: AgentRunError) -> str:
    message = _said(error, "message") or _one_line(error.message)
    if isinstance(error, ModelHTTPError):
        if _said(error, "type") == "replay_diverged":
            return message
        return f"the provider answered HTTP {error.status_code} for {error.model_name}: {message}"
    if isinstance(error, ModelConnectionError):
        return f"no answer from {error.model_name}: {message}"
    if isinstance(error, ModelAPIError):
        return f"the request to {error.model_name} failed: {message}"
    return f"the turn ended without an answer: {message}"


def _said(error: AgentRunError, key: str) -> str:
    """What the provider's own error says under a key, on one line."""
    body: object = error.body if isinstance(error, ModelAPIError) else None
    if isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        inner = fields.get("error")
        fields = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
        value = fields.get(key)
        return _one_line(value) if isinstance(value, str) else ""
    return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
