"""The guard over text, OpenAI chunks and Anthropic events: what is passed on, what is withheld, and what is closed."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter
from tests.guard.rules import guard, names, rule

from xcsh.guard.adapters.anthropic_messages import guard_anthropic
from xcsh.guard.adapters.openai_chat import guard_openai_chat
from xcsh.guard.adapters.text import guard_text
from xcsh.guard.adapters.watching import StreamInterrupted
from xcsh.guard.policy import Policy
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.llm.reply import Reply, Text, Thinking, ToolCall, cut, text
from xcsh.llm.wires import ANTHROPIC, OPENAI_CHAT, Wire

Adapter = Callable[..., Iterable[object]]
WIRES: dict[str, tuple[Adapter, Wire, type]] = {
    "openai": (guard_openai_chat, OPENAI_CHAT, ChatCompletionChunk),
    "anthropic": (guard_anthropic, ANTHROPIC, RawMessageStreamEvent),  # type: ignore[dict-item]
}
on_both_wires = pytest.mark.parametrize("wire", WIRES)
as_both_kinds = pytest.mark.parametrize("decoded", [True, False], ids=["dicts", "objects"])


def items_of(wire: str, *pieces: Text | Thinking | ToolCall, decoded: bool = True) -> list[object]:
    """A reply as it comes off a wire: decoded JSON, or objects of the provider's package."""
    _, encoding, kind = WIRES[wire]
    lines = b"".join(frame.data for frame in encoding.frames(Reply(pieces))).decode().splitlines()
    found: list[object] = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return found if decoded else [TypeAdapter(kind).validate_python(item) for item in found]


class Source:
    """An iterator, both ways, that knows how far it was read and whether it was closed."""

    def __init__(self, items: Iterable[object], *, fails: bool = False) -> None:
        self._items = iter(items)
        self._fails = fails
        self.closed = False

    def __iter__(self) -> Source:
        return self

    def __next__(self) -> object:
        return next(self._items)

    def close(self) -> None:
        self.closed = True
        if self._fails:
            raise OSError("gone")


class AsyncSource:
    """The same for `async for`."""

    def __init__(self, items: Iterable[object]) -> None:
        self._items = iter(items)
        self.closed = False

    def __aiter__(self) -> AsyncSource:
        return self

    async def __anext__(self) -> object:
        for item in self._items:
            return item
        raise StopAsyncIteration

    async def close(self) -> None:
        self.closed = True


Outcome = tuple[list[object], StreamInterrupted | None]


def read(items: Iterable[object]) -> Outcome:
    seen: list[object] = []
    try:
        for item in items:
            seen += [item]
    except StreamInterrupted as stop:
        return seen, stop
    return seen, None


async def read_async(items: AsyncIterable[object]) -> Outcome:
    seen: list[object] = []
    try:
        async for item in items:
            seen += [item]
    except StreamInterrupted as stop:
        return seen, stop
    return seen, None


def test_text_is_passed_on_until_a_match_is_complete() -> None:
    # T-17
    source = Source(["x: ", "an", "y;", "never"])
    seen, stop = read(guard_text(guard(rule("no-any", r": any\b")), source))
    assert seen == ["x: ", "an"]
    assert stop is not None
    assert names(stop.matches) == list(stop.names) == ["no-any"]
    assert stop.rules[0].content == "content"
    assert "no-any" in str(stop)
    assert source.closed
    assert next(source) == "never"


async def test_text_that_arrives_asynchronously_is_guarded_alike() -> None:
    # T-17
    source = AsyncSource(["x: ", "an", "y;", "never"])
    seen, stop = await read_async(guard_text(guard(rule("no-any", r": any\b")), source))
    assert seen == ["x: ", "an"]
    assert stop is not None
    assert source.closed


async def test_generators_are_closed_by_their_own_means() -> None:
    # T-17
    closed: list[str] = []

    def texts() -> Generator[str, None, None]:
        try:
            yield from ("fo", "o", "never")
        finally:
            closed.append("generator")

    async def texts_async() -> AsyncGenerator[str, None]:
        try:
            for item in ("fo", "o", "never"):
                yield item
        finally:
            closed.append("async generator")

    sync_source, async_source = texts(), texts_async()
    assert read(guard_text(guard(rule("r", "foo")), sync_source))[0] == ["fo"]
    assert (await read_async(guard_text(guard(rule("r", "foo")), async_source)))[0] == ["fo"]
    assert closed == ["generator", "async generator"]


async def test_a_held_match_is_decided_before_the_end_is_passed_on() -> None:
    # T-17, T-7a
    for items in (["x: any"], ["x", ": any"]):
        seen, stop = read(guard_text(guard(rule("r", r": any\b")), items))
        assert seen == items
        assert stop is not None
        assert (await read_async(guard_text(guard(rule("r", r": any\b")), AsyncSource(items))))[1] is not None


def test_a_stream_without_a_match_is_left_alone() -> None:
    # T-17
    source = Source(["a", "", "b"])
    assert read(guard_text(guard(rule("r", "foo")), source)) == (["a", "", "b"], None)
    assert not source.closed
    assert read(guard_text(guard(rule("r", "foo")), [])) == ([], None)


def test_a_source_that_fails_to_close_does_not_hide_the_interrupt() -> None:
    # T-17, T-8
    _, stop = read(guard_text(guard(rule("r", "foo")), Source(["foo"], fails=True)))
    assert stop is not None
    assert isinstance(stop.__cause__, OSError)


def test_an_iterator_that_fails_to_close_leaves_its_stream_closed_all_the_same() -> None:
    # T-17, T-8
    class Stream(Source):
        def __iter__(self) -> Source:
            return Source(["foo"], fails=True)

    stream = Stream([])
    _, stop = read(guard_text(guard(rule("r", "foo")), stream))
    assert stop is not None
    assert stream.closed


def test_a_match_that_must_not_interrupt_is_told_and_the_stream_goes_on() -> None:
    # T-17, T-12
    told: list[Match] = []
    watching = guard(rule("quiet", "foo", interrupt="never"), rule("loud", "bar"))
    seen, stop = read(guard_text(watching, ["foo", " and ", "bar"], on_match=told.append))
    assert (seen, names(told)) == (["foo", " and "], ["quiet"])
    assert stop is not None
    assert names(stop.matches) == ["loud"]


def test_the_request_ends_before_other_matches_of_the_same_item_are_told() -> None:
    # T-17, T-8
    source = Source(["foobar"])
    closed: list[bool] = []
    watching = guard(rule("quiet", "foo", interrupt="never"), rule("loud", "bar"))
    _, stop = read(guard_text(watching, source, on_match=lambda _: closed.append(source.closed)))
    assert stop is not None
    assert names(stop.matches) == ["loud"]
    assert closed == [True]


def test_each_stream_is_a_request_of_its_own() -> None:
    # T-17, T-6, T-15
    watching = guard(rule("r", "foo"), policy=Policy("after-gap", repeat_gap=0, max_interrupts=2))
    stops: list[bool] = []
    for _ in range(4):
        _, stop = read(guard_text(watching, ["fo", "o"]))
        stops.append(stop is not None)
        watching.acknowledge(stop.names if stop else (), interrupted=stop is not None)
    assert stops == [True, True, False, False]
    read(guard_text(watching, ["f"]))
    assert read(guard_text(guard(rule("r", "foo")), ["oo"]))[1] is None


def test_text_may_be_thinking() -> None:
    # T-17, T-3
    watching = guard(rule("r", "foo", scope=["thinking"]))
    assert read(guard_text(watching, ["foo"]))[1] is None
    assert read(guard_text(watching, ["foo"], source="thinking"))[1] is not None


@on_both_wires
@as_both_kinds
@pytest.mark.parametrize(
    ("scope", "source"),
    [("text", "text"), ("thinking", "thinking"), ("tool:edit(*.ts)", "tool"), ("tool:bash", "tool")],
)
def test_text_thinking_and_tool_calls_are_watched(wire: str, scope: str, source: str, *, decoded: bool) -> None:
    # T-17, T-3, T-5
    edit = json.dumps({"path": "a.ts", "new_text": "x: any;"})
    pieces = (
        Thinking(cut("y: any!")),
        text("z: any."),
        ToolCall("1", "bash", cut(json.dumps({"command": "echo x: any ."}))),
        ToolCall("2", "str_replace", cut(edit)),
    )
    items = items_of(wire, *pieces, decoded=decoded)
    adapter = WIRES[wire][0]

    def outcome(pattern: str, given: list[object]) -> Outcome:
        return read(adapter(guard(rule("r", pattern, scope=[scope])), given))

    seen, stop = outcome(r": any\W", items)
    assert stop is not None
    assert [match.source for match in stop.matches] == [source]
    assert seen == items[: len(seen)]
    assert outcome(r": any\W", seen) == (seen, None)
    assert outcome(r": any\W", items[: len(seen) + 1])[1] is not None
    assert outcome("nowhere", items) == (items, None)


@on_both_wires
async def test_both_ways_of_iterating_pass_on_the_same(wire: str) -> None:
    # T-17
    items = items_of(wire, text("a b c: any d"))
    adapter = WIRES[wire][0]
    seen, stop = read(adapter(guard(rule("r", r": any\b")), items))
    source = AsyncSource(items)
    again, stop_again = await read_async(adapter(guard(rule("r", r": any\b")), source))  # type: ignore[arg-type]
    assert stop is not None and stop_again is not None  # noqa: PT018
    assert (seen, stop.matches) == (again, stop_again.matches)
    assert source.closed


@on_both_wires
def test_what_says_that_the_text_is_complete_is_withheld_where_the_end_decides(wire: str) -> None:
    # T-17, T-7a
    items = items_of(wire, text("x: any"))
    seen, stop = read(WIRES[wire][0](guard(rule("r", r": any\b")), items))
    assert stop is not None
    assert not any("finish_reason': 'stop" in repr(item) or "message_stop" in repr(item) for item in seen)


@on_both_wires
def test_parallel_calls_of_a_tool_are_kept_apart(wire: str) -> None:
    # T-17, T-6
    halves = [ToolCall(str(at), "bash", (f'{{"command": "{half}', '"}')) for at, half in enumerate(("fo", "o"))]
    assert read(WIRES[wire][0](guard(rule("r", "foo")), items_of(wire, *halves)))[1] is None


def chunk(delta: dict[str, object], index: int = 0) -> dict[str, object]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": None}]}


def call(arguments: str, index: int | None = 0, **more: object) -> dict[str, object]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments, **name}, **more}]})


def test_choices_are_kept_apart() -> None:
    # T-17, T-6
    items = [chunk({"content": "fo"}), chunk({"content": "o"}, 1), chunk({"content": "x"}), chunk({"content": "o"}, 1)]
    assert read(guard_openai_chat(guard(rule("r", "foo")), items))[1] is None
    assert read(guard_openai_chat(guard(rule("r", "foo")), [*items[:1], chunk({"content": "o"})]))[1] is not None


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_has_two_names(field: str) -> None:
    # T-17
    watching = guard(rule("r", "foo", scope=["thinking"]))
    assert read(guard_openai_chat(watching, [chunk({field: "fo"}), chunk({field: "o"})]))[1] is not None


def test_reasoning_that_is_sent_under_both_names_is_read_once() -> None:
    # T-17
    watching = guard(rule("r", "aa", scope=["thinking"]))
    assert read(guard_openai_chat(watching, [chunk({"reasoning": "a", "reasoning_content": "a"})]))[1] is None


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    # T-17
    items = [call('{"command": "fo', id="1", name="bash"), call('{"path": "o"}', id="2", name="read")]
    assert read(guard_openai_chat(guard(rule("r", "foo")), items))[1] is None
    again = [call('{"command": "fo', id="1", name="bash"), call("o", id="1", name="bash"), call('"}', id="")]
    (match,) = read(guard_openai_chat(guard(rule("r", "foo")), again))[1].matches  # type: ignore[union-attr]
    assert match.tool == "bash"


def test_a_call_without_an_index_and_with_a_late_name_is_watched() -> None:
    # T-17
    items = [call("", None, id="1"), call("", None, name="bash"), call('{"command": "foo', None)]
    assert read(guard_openai_chat(guard(rule("r", "foo", scope=["tool:bash"])), items))[1] is not None


@pytest.mark.parametrize(
    "item", [None, "text", {}, {"choices": None}, {"choices": [None]}, {"choices": [{"delta": None}]},
             {"choices": [{"delta": {"content": [1], "tool_calls": [None, {"function": 1}]}, "index": "x"}]},
             {"type": "content_block_start"}, {"type": "content_block_delta", "delta": {"type": "text_delta"}},
             {"type": "content_block_delta", "index": 7, "delta": None}, {"type": "content_block_stop", "index": 9},
             {"type": "ping"}, {"type": "message_stop"}],
)  # fmt: skip
@on_both_wires
def test_what_is_of_another_shape_is_passed_on(wire: str, item: object) -> None:
    # T-17
    assert read(WIRES[wire][0](guard(rule("r", "foo")), [item])) == ([item], None)


def begin(block: dict[str, object], index: int = 0) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(text: str, index: int = 0) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}


def test_text_and_input_that_come_with_the_start_of_a_block_are_watched() -> None:
    # T-17
    for block in (
        {"type": "text", "text": "foo"},
        {"type": "tool_use", "id": "1", "name": "bash", "input": {"command": "foo"}},
        {"type": "server_tool_use", "id": "1", "name": "bash", "input": {"command": "foo"}},
    ):
        assert read(guard_anthropic(guard(rule("r", "foo")), [begin(block)]))[1] is not None


def test_the_text_of_all_blocks_is_one_stream() -> None:
    # T-17, T-6
    empty: dict[str, object] = {"type": "text", "text": ""}
    items = [begin(empty), delta("fo"), begin(empty, 1), delta("o", 1)]
    assert isinstance(read(guard_anthropic(guard(rule("r", "foo")), items))[1], StreamInterrupted)
    assert read(guard_anthropic(guard(rule("r", "foo")), [delta("fo"), delta("o")]))[1] is not None


def test_events_that_repeat_a_delta_are_not_read_twice() -> None:
    # T-17
    items = [begin({"type": "text", "text": ""}), delta("a"), {"type": "text", "text": "a", "snapshot": "a"}]
    assert read(guard_anthropic(guard(rule("r", "aa")), items)) == (items, None)


def test_a_guard_that_is_switched_off_passes_everything_on() -> None:
    # T-17, T-13
    assert read(guard_text(StreamGuard([rule("r", "foo")], enabled=False), ["foo"])) == (["foo"], None)
