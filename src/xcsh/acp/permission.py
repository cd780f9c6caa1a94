"""A question about consent as the protocol asks it, and what the answer comes to."""

from __future__ import annotations

from typing import Any

from acp import text_block, tool_content
from acp.schema import AllowedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session

_ONCE, _SESSION, _NO, _ALWAYS = "once", "session", "no", "always:"


def answers_to(request: ConsentRequest) -> list[PermissionOption]:
    """The answers: this time, for the session, for good by each pattern, or no; the first and the last where no more is
    to be had.
    """
    once = PermissionOption(option_id=_ONCE, name="Allow once", kind="allow_once")
    no = PermissionOption(option_id=_NO, name="No", kind="reject_once")
    if request.once:
        return [once, no]
    always = [
        PermissionOption(option_id=f"{_ALWAYS}{pattern}", name=f"Always allow {pattern}", kind="allow_always")
        for pattern in request.patterns
    ]
    return [
        once,
        PermissionOption(option_id=_SESSION, name="Allow for this session", kind="allow_always"),
        *always,
        no,
    ]


def question(request: ConsentRequest) -> ToolCallUpdate:
    """Exactly what would happen, whose wish it is, and why it needs consent."""
    about = request.path or request.tool
    title = f"{request.command or about}"
    lines = [f"{request.origin} wants to use {request.tool}: {request.why}", *request.notes]
    if request.command:
        lines.append(f"```\n{request.command}\n```")
    if request.diff:
        lines.append(f"```diff\n{request.diff}\n```")
    elif request.arguments:
        lines.append(f"```json\n{request.arguments}\n```")
    content: list[Any] = [tool_content(text_block("\n\n".join(lines)))]
    kind = "execute" if request.command else "edit" if request.diff else "other"
    return ToolCallUpdate(
        tool_call_id=request.call_id or "consent", title=title[:200], kind=kind, status="pending", content=content
    )


def answer_of(response: RequestPermissionResponse, request: ConsentRequest) -> Answer:
    """What the user chose. A question that was taken back, or an option that was none of ours, is a no."""
    outcome = response.outcome
    chosen = outcome.option_id if isinstance(outcome, AllowedOutcome) else ""
    if chosen == _ONCE:
        return Once()
    if chosen == _SESSION:
        return Session(request.patterns[0] if request.patterns else "")
    pattern = chosen.removeprefix(_ALWAYS)
    return Always(pattern) if chosen.startswith(_ALWAYS) and pattern in request.patterns else No()
