"""Plays a recorded conversation: each request must be the one that was recorded, or it fails and says why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xcsh.llm.recording import Expectation, RecordedExchange, Recording
from xcsh.llm.reply import Failure, Reply, WireRequest
from xcsh.surfaces.layout import plural

DIVERGED = "replay_diverged"
_SHOWN = 100
_ALLOWING = {"write_file": "write", "edit_file": "edit", "shell": "shell"}
"""What `--allow` calls the tools that are not offered without it."""


class ReplayedConversation:
    """Answers the requests of one client of the OpenAI chat wire in the order of the recording.

    The first request that is not as expected is answered with an HTTP 400 that says which exchange it was, what was
    expected and what came; so is every one after it. `divergence` holds that sentence.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._at = 0
        self._hint = ""
        self.divergence: str | None = None

    @property
    def finished(self) -> bool:
        """Whether every exchange was played."""
        return self._at == len(self._recording.exchanges)

    @property
    def rest(self) -> str:
        """A sentence on the exchanges that nothing was asked for; empty where all were played, or one did not fit."""
        left = self._recording.exchanges[self._at :]
        if not left or self.divergence is not None:
            return ""
        what = "exchange was" if len(left) == 1 else "exchanges were"
        return f"the recording {self._recording.path}:{left[0].line}: the last {len(left):,} {what} not asked for"

    def respond(self, request: WireRequest) -> Reply | Failure:
        """The recorded answer to the next request."""
        if self.divergence is None:
            self.divergence = self._difference(request)
            self._hint = self._advice(request)
        if self.divergence is not None:
            return Failure(400, self.divergence, DIVERGED, self._hint)
        exchange = self._recording.exchanges[self._at]
        self._at += 1
        return exchange.answer

    def _difference(self, request: WireRequest) -> str | None:
        exchanges = self._recording.exchanges
        if self.finished:
            came = f"it ends after {plural(len(exchanges), 'exchange')}, and another request came"
            return f"the recording {self._recording.path} does not fit: {came}"
        exchange = exchanges[self._at]
        for problem in _problems(exchange.expect, request.body):
            return f"{self._place(exchange)}, does not fit: {problem}"
        return None

    def _place(self, exchange: RecordedExchange) -> str:
        number = f"exchange {self._at + 1} of {len(self._recording.exchanges)}"
        return f"the recording {self._recording.path}:{exchange.line}, {number}"

    def _advice(self, request: WireRequest) -> str:
        """What to do about a request that does not fit."""
        missing = [] if self.finished else _not_offered(self._recording.exchanges[self._at].expect, request.body)
        if words := [_ALLOWING[name] for name in missing if name in _ALLOWING]:
            return f"it was recorded with: --allow {','.join(words)}"
        prompt = self._recording.prompt
        users = [_text(message) for message in _objects(request.body.get("messages")) if message.get("role") == "user"]
        if prompt and prompt not in users:
            return f'it was recorded for: xcsh -p "{prompt}"'
        return "change the recording, or what is asked"


def _problems(expect: Expectation, body: dict[str, object]) -> Iterator[str]:
    """One sentence for each way in which a request is not as expected, the first to blame first."""
    messages = _objects(body.get("messages"))
    if expect.messages is not None and len(messages) != expect.messages:
        yield f"expected {expect.messages} messages, got {len(messages)}"
    users = [_text(message) for message in messages if message.get("role") == "user"]
    yield from _missing("the last user message", expect.user, users[-1] if users else "")
    system = "\n\n".join(_text(message) for message in messages if message.get("role") in ("system", "developer"))
    yield from _missing("the system prompt", expect.system, system)
    results: list[str] = []
    for message in messages:
        if message.get("role") == "assistant":
            results.clear()
        elif message.get("role") == "tool":
            results.append(_text(message))
    yield from _missing("the tool result", expect.tool_result, "\n".join(results))
    for name in _not_offered(expect, body):
        offered = ", ".join(map(_name, _objects(body.get("tools"))))
        yield f"expected the tool {name} to be offered, got {offered or 'none'}"


def _not_offered(expect: Expectation, body: dict[str, object]) -> list[str]:
    offered = {_name(tool) for tool in _objects(body.get("tools"))}
    return [name for name in expect.tools if name not in offered]


def _missing(where: str, texts: tuple[str, ...], given: str) -> Iterator[str]:
    for text in texts:
        if text not in given:
            came = " ".join(given.split())
            came = f'"{came[:_SHOWN]}…"' if len(came) > _SHOWN else f'"{came}"' if came else "nothing"
            yield f'expected "{text}" in {where}, got {came}'


def _objects(value: object) -> list[dict[str, object]]:
    values = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", item) for item in values if isinstance(item, dict)]


def _text(message: dict[str, object]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in _objects(content))


def _name(tool: dict[str, object]) -> str:
    function = tool.get("function")
    return str(cast("dict[str, object]", function).get("name", "")) if isinstance(function, dict) else ""
