"""Recorded conversations: the format, its faults, and playing them over real HTTP."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from tests.llm.wire_models import answering

from xcsh.errors import UsageError
from xcsh.llm.choose import ModelChoice
from xcsh.llm.opening import open_model
from xcsh.llm.recording import parse_recording, read_recording
from xcsh.llm.replay import ReplayedConversation
from xcsh.llm.reply import Delay, Failure, Reply, Text, Thinking, ToolCall

EXAMPLES = Path(__file__).parents[2] / "examples" / "recordings"
HEADING: dict[str, Any] = {"recording": 1, "prompt": "hi"}


def recorded(*lines: object) -> str:
    return "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def test_a_recording_says_what_is_expected_and_what_is_answered() -> None:
    # S-11
    heading = {**HEADING, "pace": 0.5, "chunk": 2}
    exchange = {
        "expect": {"system": ["a", "b"], "user": "c", "tool_result": "d", "tools": "e", "messages": 2},
        "reply": [
            {"thinking": "hmm"},
            {"text": ["x", "yz"]},
            {"delay": 1},
            {"tool": "t", "arguments": {"a": 1}, "id": "i"},
        ],
    }
    failure = {"fail": {"status": 429, "message": "slow down"}}
    recording = parse_recording(recorded(heading, "\n", exchange, failure))
    first, second = recording.exchanges
    assert recording.prompt == "hi"
    assert (first.line, second.line) == (3, 4)
    assert first.expect == (("a", "b"), ("c",), ("d",), ("e",), 2)
    pieces = (Thinking(("hm", "m")), Text(("x", "yz")), Delay(1.0), ToolCall("i", "t", ('{"', 'a"', ": ", "1}")))
    assert first.answer == Reply(pieces, 0.5)
    assert second.answer == Failure(429, "slow down")


def test_arguments_given_as_text_are_sent_as_they_stand() -> None:
    # S-11
    recording = parse_recording(recorded(HEADING, {"reply": [{"tool": "t", "arguments": '{"cut'}]}))
    answer = recording.exchanges[0].answer
    assert isinstance(answer, Reply)
    call = answer.pieces[0]
    assert isinstance(call, ToolCall)
    assert "".join(call.deltas) == '{"cut'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "r.jsonl:1: the recording is empty"),
        (recorded({"prompt": "x"}), 'r.jsonl:1: the first line must hold "recording": 1'),
        (recorded({"recording": 2}), 'r.jsonl:1: the first line must hold "recording": 1'),
        (recorded(HEADING), "r.jsonl:1: no exchange follows the heading"),
        (
            recorded({**HEADING, "speed": 2}),
            'r.jsonl:1: unknown field "speed"; known here: recording, prompt, pace, chunk',
        ),
        (recorded({**HEADING, "chunk": 0}), 'r.jsonl:1: "chunk" must be a whole number above 0, not 0'),
        (recorded({**HEADING, "pace": "fast"}), 'r.jsonl:1: "pace" must be a number of seconds, not "fast"'),
        (recorded(HEADING, "{oops\n"), "r.jsonl:2: no JSON, column 2: "),
        (recorded(HEADING, "[" * 100_000), "r.jsonl:2: no JSON: nested too deeply"),
        (recorded(HEADING, "\n", "[]\n"), "r.jsonl:3: a JSON object is needed, not []"),
        (recorded(HEADING, {}), 'r.jsonl:2: an exchange has either "reply" or "fail"'),
        (recorded(HEADING, {"reply": []}), 'r.jsonl:2: "reply" must be a list of objects with at least one'),
        (
            recorded(HEADING, {"reply": [{"say": "x"}]}),
            'r.jsonl:2: a piece holds one of "text", "thinking", "tool", "delay"',
        ),
        (
            recorded(HEADING, {"reply": [{"text": "x", "tool": "t"}]}),
            'r.jsonl:2: unknown field "tool"; known here: one of',
        ),
        (recorded(HEADING, {"reply": [{"text": 3}]}), 'r.jsonl:2: "text" must be a text or a list of texts, not [3]'),
        (recorded(HEADING, {"reply": [{"text": []}]}), 'r.jsonl:2: "text" holds no text'),
        (recorded(HEADING, {"expect": {"sytem": "x"}, "reply": [{"text": "x"}]}), 'r.jsonl:2: unknown field "sytem"'),
        (recorded(HEADING, {"expect": {"messages": "2"}, "reply": [{"text": "x"}]}), 'r.jsonl:2: "messages" must be'),
    ],
)
def test_a_fault_in_a_recording_is_named_by_path_and_line(text: str, fault: str) -> None:
    # U-5
    with pytest.raises(UsageError) as caught:
        parse_recording(text, "r.jsonl")
    assert str(caught.value).startswith(fault)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_recording_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    # U-5
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_recording(str(tmp_path / "none.jsonl"))
    with pytest.raises(UsageError, match="is a folder") as caught:
        read_recording(str(tmp_path))
    assert caught.value.hint == "name a file: --model replay:FILE"
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_recording(str(tmp_path / "latin.jsonl"))


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_what_never_ends_and_what_is_no_path_is_no_recording(tmp_path: Path) -> None:
    # U-5: an editor may choose it, and must not wait for ever
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        with pytest.raises(UsageError, match="not a regular file"):
            read_recording(path)
    for path in ("\0", "\ud800"):
        with pytest.raises(UsageError, match="cannot be read"):
            read_recording(path)


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("replay:", "'replay:' (--model) names no recording", "name a file: replay:FILE"),
        ("r.jsonl", "the model 'r.jsonl' (--model) is none that is known", "did you mean replay:r.jsonl?"),
    ],
)
async def test_a_recording_that_is_not_named_as_one_is_found(
    name: str, message: str, hint: str, tmp_path: Path
) -> None:
    # U-5
    (tmp_path / "r.jsonl").write_text(recorded(HEADING, {"reply": [{"text": "x"}]}))
    with pytest.raises(UsageError) as caught:
        async with open_model(ModelChoice(name, "--model"), str(tmp_path)):
            pass
    assert (str(caught.value), caught.value.hint) == (message, hint)


def test_every_example_can_be_read() -> None:
    files = list(EXAMPLES.glob("*.jsonl"))
    assert files
    for file in files:
        assert read_recording(str(file)).exchanges


def test_what_an_example_says_and_writes_fits_a_terminal() -> None:
    # U-2: lines are shown as they are, since a model's own line breaks are
    for file in EXAMPLES.glob("*.jsonl"):
        for exchange in read_recording(str(file)).exchanges:
            pieces = exchange.answer.pieces if isinstance(exchange.answer, Reply) else ()
            for piece in pieces:
                said = "".join(piece.deltas) if isinstance(piece, Text) else ""
                if isinstance(piece, ToolCall):
                    replacements = json.loads("".join(piece.deltas)).get("replacements", [])
                    said = "\n".join(each["new_text"] for each in replacements)
                assert max(map(len, said.split("\n"))) <= 78


async def test_a_conversation_is_played_through_a_real_server(tmp_path: Path) -> None:
    # S-11
    file = tmp_path / "r.jsonl"
    ask = {"expect": {"system": "Be kind", "user": "hi", "tools": "look"}, "reply": [{"tool": "look"}]}
    answer = {"expect": {"tool_result": "seen", "messages": 4}, "reply": [{"thinking": "hm"}, {"text": "Good day."}]}
    file.write_text(recorded(HEADING, ask, answer))
    async with open_model(ModelChoice(f"replay:{file.name}", "--model"), str(tmp_path)) as model:
        agent = Agent(model, instructions="Be kind.")
        agent.tool_plain(name="look")(lambda: "seen")
        streamed = [event async for event in _events(agent)]
        assert len(streamed) > 4
        assert streamed[-1].result.output == "Good day."


async def _events(agent: Agent[object, str]) -> Any:
    async with agent.run_stream_events("hi") as events:
        async for event in events:
            yield event


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"system": "# Rules"}, 'expected "# Rules" in the system prompt, got "Be kind."'),
        ({"user": "bye"}, 'expected "bye" in the last user message, got "hi there"'),
        ({"tool_result": "x"}, 'expected "x" in the tool result, got nothing'),
        ({"tools": "look"}, "expected the tool look to be offered, got none"),
        ({"messages": 9}, "expected 9 messages, got 2"),
    ],
)
async def test_a_request_that_is_not_the_recorded_one_fails_and_says_what_was_expected(
    expect: dict[str, Any], problem: str
) -> None:
    # S-15
    recording = parse_recording(recorded(HEADING, {"expect": expect, "reply": [{"text": "x"}]}), "r.jsonl")
    conversation = ReplayedConversation(recording)
    async with answering(conversation.respond) as (model, _):
        with pytest.raises(ModelHTTPError) as caught:
            await Agent(model, instructions="Be kind.").run("hi there")
    sentence = f"the recording r.jsonl:2, exchange 1 of 1, does not fit: {problem}"
    assert conversation.divergence == sentence
    assert caught.value.status_code == 400
    assert sentence in str(caught.value)
    assert not conversation.finished


async def test_a_request_after_the_end_of_the_recording_fails() -> None:
    # S-15
    conversation = ReplayedConversation(parse_recording(recorded(HEADING, {"reply": [{"text": "x"}]}), "r.jsonl"))
    async with answering(conversation.respond) as (model, _):
        await Agent(model).run("one")
        assert conversation.finished
        with pytest.raises(ModelHTTPError, match="it ends after 1 exchange, and another request came"):
            await Agent(model).run("two")


async def test_exchanges_that_are_left_over_are_told_with_the_line_of_the_first(tmp_path: Path) -> None:
    # S-15: nothing is dropped silently
    file = tmp_path / "r.jsonl"
    exchange = {"expect": {"user": "hi"}, "reply": [{"text": "x"}]}
    file.write_text(recorded(HEADING, exchange, "\n", exchange, exchange))
    choice = ModelChoice(f"replay:{file}", "--model")
    for prompts, told in (
        (1, [f"the recording {file}:4: the last 2 exchanges were not asked for"]),
        (2, [f"the recording {file}:5: the last 1 exchange was not asked for"]),
        (3, []),
    ):
        said: list[str] = []
        async with open_model(choice, ".", said.append) as model:
            for _ in range(prompts):
                await Agent(model).run("hi")
        assert said == told
    said = []
    async with open_model(choice, ".", said.append) as model:
        with pytest.raises(ModelHTTPError):
            await Agent(model).run("other")
    assert said == []


async def test_after_a_divergence_nothing_is_played_any_more() -> None:
    # S-15
    text = recorded(HEADING, {"expect": {"user": "hi"}, "reply": [{"text": "x"}]})
    conversation = ReplayedConversation(parse_recording(text, "r.jsonl"))
    async with answering(conversation.respond) as (model, _):
        for prompt in ("other", "hi"):
            with pytest.raises(ModelHTTPError, match="exchange 1 of 1"):
                await Agent(model).run(prompt)


async def test_only_the_results_since_the_last_answer_count_as_the_tool_result() -> None:
    # S-15
    lines = [
        {"reply": [{"tool": "look"}]},
        {"reply": [{"tool": "look"}]},
        {"expect": {"tool_result": "1"}, "reply": [{"text": "x"}]},
    ]
    results = iter(("1", "2"))
    conversation = ReplayedConversation(parse_recording(recorded(HEADING, *lines), "r.jsonl"))
    async with answering(conversation.respond) as (model, _):
        agent = Agent(model)
        agent.tool_plain(name="look")(lambda: next(results))
        with pytest.raises(ModelHTTPError, match='expected "1" in the tool result, got "2"'):
            await agent.run("hi")
