"""Any course of a session, any damage to its file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, TextPart, UserPromptPart
from tests.session.store.conversations import WHEN, as_json, asked, codes_of, said

from xcsh.session.store import SessionFile, SessionFormatError, StoredSession, list_sessions, read_session


@contextmanager
def new_session() -> Iterator[SessionFile]:
    with tempfile.TemporaryDirectory() as folder, SessionFile.create(folder, cwd="/work") as file:
        yield file


texts = st.text(max_size=12)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(texts, min_size=1, max_size=3)),
        st.tuples(st.just("rewind"), st.integers(0, 12)),
        st.tuples(st.just("replace"), st.integers(0, 12)),
        st.tuples(st.just("stamp"), st.integers(1, 4)),
        st.tuples(st.just("copy"), st.none()),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=12,
)


@given(steps)
@settings(max_examples=60)
def test_any_sequence_of_histories_is_read_back_as_it_was(course: list[tuple[str, Any]]) -> None:
    # "any sequence of histories (append, rewind, replace) written and read back is equal"
    history: list[ModelMessage] = []
    with new_session() as file:
        for kind, value in course:
            if kind == "append":
                history += [asked(text) if at % 2 else said(text) for at, text in enumerate(value)]
            elif kind == "rewind":
                history = history[:value]
            elif kind == "replace" and value < len(history):
                history[value] = said(f"instead of {value}")
            elif kind == "stamp" and value <= len(history):
                history[-value].metadata = {"stamp": value}
            elif kind == "copy":
                history = [*read_session(file.path).messages]
            elif kind == "reopen":
                file.close()
                file, stored = SessionFile.resume(file.path)  # noqa: PLW2901 - the same session
                history = stored.messages
            file.messages(history)
            assert as_json(read_session(file.path).messages) == as_json(history)
        file.close()


def _course(file: SessionFile) -> Iterator[None]:
    """A short session, one record after the other; the first has been written already."""
    first, second = [asked("prompt 1"), said("a")], [asked("b")]
    yield
    file.prompt("prompt 1")
    yield
    file.messages(first[:1])
    yield
    file.messages(first)
    yield
    file.turn("completed", {"input_tokens": 7})
    yield
    file.prompt("steer", kind="steer")
    yield
    file.queue(["steer"], [])
    yield
    file.state(model="other", cwd="/elsewhere")
    yield
    file.messages([*first[:1], *second])
    yield
    file.note("file", {"path": "a"})
    yield
    file.messages([*first[:1], *second, asked("steer")])
    yield
    file.queue([], [])
    yield


def _facts(stored: StoredSession) -> dict[str, Any]:
    fields = stored._replace(messages=[], problems=(), updated="", path="")._asdict()
    return {**fields, "messages": as_json(stored.messages)}


def test_any_truncation_reads_to_a_state_that_was_true_at_some_point() -> None:
    # S-13, "any truncation of the file at any byte reads to a state that was true at some earlier point"
    with new_session() as file:
        each = [_facts(read_session(file.path)) for _ in _course(file)]
        true = [facts for at, facts in enumerate(each) if facts not in each[:at]]
        data = Path(file.path).read_bytes()
        header = data.index(b"\n")
        cut = Path(file.path).with_name("cut.jsonl")
        cut.write_bytes(data)
        at = len(true) - 1
        for size in range(len(data), -1, -1):
            os.truncate(cut, size)
            try:
                facts = _facts(read_session(str(cut)))
            except SessionFormatError:
                assert size < header
                continue
            while facts != true[at]:
                at -= 1  # never back: fewer bytes are never more of the session
                assert at >= 0
        assert at == 0


def test_a_session_that_was_cut_anywhere_goes_on() -> None:
    # S-13
    with new_session() as file:
        for _ in _course(file):
            pass
        data = Path(file.path).read_bytes()
        cut = Path(file.path).with_name("cut.jsonl")
        for size in range(data.index(b"\n"), len(data) + 1, 41):
            cut.write_bytes(data[:size])
            before = read_session(str(cut))
            resumed, _ = SessionFile.resume(str(cut))
            history = [*before.messages, asked("more")]
            resumed.prompt("something else")
            resumed.messages(history)
            resumed.close()
            after = read_session(str(cut))
            assert as_json(after.messages) == as_json(history)
            assert after.unanswered == (*before.unanswered, "something else")
            assert cut.read_bytes().startswith(data[:size])


damage = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"\0" * 600, b"\n", b"{}\n", b'{"t":1}\n', b'{"t":"new","x":1}\n', b"[" * 3000, b'{"t":"messages"}\n']),
)  # fmt: skip


@given(damage, st.floats(0, 1), st.integers(0, 30))
@settings(max_examples=60)
def test_damage_costs_no_more_than_the_lines_that_it_touches(junk: bytes, place: float, length: int) -> None:
    # "tolerates … a torn or garbage line in the middle (reported, skipped only as far as needed)"
    with new_session() as file:
        for number in range(6):
            file.prompt(f"prompt {number}")
        file.close()
        path = Path(file.path)
        data = path.read_bytes()
        at = int(place * len(data))
        path.write_bytes(data[:at] + junk + data[at + length :])
        touched = data[:at].count(b"\n"), data[: at + length].count(b"\n")
        numbers = range(-2, 6)  # a header and the note of its process come first
        kept = [number for line, number in enumerate(numbers) if number >= 0 and not touched[0] <= line <= touched[1]]
        with suppress(SessionFormatError):  # its version may be damaged
            stored = read_session(str(path))
            assert {f"prompt {number}" for number in kept} <= set(stored.unanswered)
            assert set(codes_of(stored)) <= {"session-line", "session-record", "session-message"}
        assert len(list_sessions(str(path.parent))) == 1


spoken = st.lists(texts.filter(str.strip), max_size=6)


@given(prompts=spoken, later=spoken, queued=st.booleans())
@settings(max_examples=40)
def test_each_input_is_answered_waits_or_is_owed(prompts: list[str], later: list[str], *, queued: bool) -> None:
    # "prompts acknowledged that no later messages record contains"
    with new_session() as file:
        for text in prompts:
            file.prompt(text)
        history: list[ModelMessage] = [asked(text) for text in prompts]
        file.messages(history)
        assert read_session(file.path).unanswered == ()
        for text in later:
            file.prompt(text, kind="steer")
        file.queue(later if queued else [], [])
        stored = read_session(file.path)
        assert (stored.steering, stored.unanswered) == ((tuple(later), ()) if queued else ((), tuple(later)))
        for at, text in enumerate(later, 1):
            history.append(asked(f"{text}\n\n<system-reminder reason=x>y</system-reminder>"))
            file.messages(history)
            stored = read_session(file.path)
            left = stored.steering if queued else stored.unanswered
            assert len(left) == len(later) - at


def test_parts_that_were_replaced_in_place_count_in_any_of_the_last_messages() -> None:
    history: list[ModelMessage] = [asked("a"), said("b")]
    with new_session() as file:
        file.messages(history)
        history[0].parts = [UserPromptPart("c", timestamp=WHEN)]
        history[1].parts = [TextPart("d")]
        file.messages(history)
        assert read_session(file.path).messages == history
