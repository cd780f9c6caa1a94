"""Lists of sessions: what the first and last kilobytes of a file tell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.session.store.conversations import asked, codes_of, said, turn

from xcsh.errors import UsageError
from xcsh.session.store import (
    SessionFile,
    SessionFormatError,
    SessionSummary,
    UnknownSessionError,
    list_sessions,
    read_session,
    resolve_session,
)

USED = {"input_tokens": 10, "output_tokens": 1}


def summary_of(file: SessionFile) -> SessionSummary:
    (summary,) = list_sessions(os.path.dirname(file.path))
    return summary


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "sessions")


# S-13
def test_a_long_session_is_summed_up_without_being_read(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a", model="m") as file:
        file.prompt("the first words " * 10_000)
        for number in range(5):
            file.messages(turn(number, 100_000))
            file.turn("completed", USED)
        file.state(cwd="/b", title="T")
        file.note("big", {"x": "y" * 50_000})
        file.messages(turn(9, 100_000))
        summary, stored = summary_of(file), read_session(file.path)
    assert (summary.turns, summary.tokens, summary.cwd, summary.title, summary.model) == (5, 55, "/b", "T", "m")
    assert (summary.created, summary.updated) == (stored.created, stored.updated)
    assert summary.prompt.startswith("the first words the first words")
    assert len(summary.prompt) <= 200
    assert summary.size > 500_000


def test_only_the_ends_of_a_file_are_read(folder: str) -> None:
    # A hole of 64 GB in the middle: who read it would run out of memory.
    with SessionFile.create(folder, cwd="/a") as file:
        file.prompt("hello")
        size = os.path.getsize(file.path)
        os.truncate(file.path, 1 << 36)
        file.note("x", {})
        file.turn("completed", USED)
        summary = summary_of(file)
    assert (summary.prompt, summary.turns, summary.tokens) == ("hello", 1, 11)
    assert summary.size > size


def test_every_cut_of_a_long_first_prompt_gives_words(folder: str) -> None:
    for text in ("\u00e4" * 9000, "\U0001f600" * 9000, "\\" * 9000, '"\n' * 9000, "x" * 8000 + "y"):
        with SessionFile.create(folder, cwd="/a") as file:
            file.prompt(text)
            words = summary_of(file).prompt
            os.unlink(file.path)
        assert words
        assert " ".join(text.split()).startswith(words)
        words.encode()


def test_opening_a_session_is_no_use_of_it(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as older:
        older.prompt("x")
    with SessionFile.create(folder, cwd="/a") as newer:
        newer.prompt("y")
    SessionFile.resume(older.path)[0].close()
    assert [summary.id for summary in list_sessions(folder)] == [newer.id, older.id]
    again, _ = SessionFile.resume(older.path)
    again.prompt("z")
    again.close()
    assert [summary.id for summary in list_sessions(folder)] == [older.id, newer.id]


def test_what_is_no_session_is_listed_with_its_problem_or_not_at_all(folder: str) -> None:
    os.makedirs(os.path.join(folder, "folder.jsonl"))
    Path(folder, "notes.txt").write_text("x")
    os.mkfifo(os.path.join(folder, "pipe.jsonl"))
    Path(folder, "empty.jsonl").touch()
    Path(folder, "junk.jsonl").write_bytes(b"\xff\0" * 50_000)
    Path(folder, "other.jsonl").write_text('{"t":"session","v":"x","cwd":3}\n{"t":"turn","so_far":{"usage":[]}}\n')
    problems = {summary.id: summary.problem for summary in list_sessions(folder)}
    assert problems == {
        "empty": "it is empty", "junk": "its first line is damaged", "other": "it was written by a later xcsh",
    }  # fmt: skip
    assert list_sessions(os.path.join(folder, "none")) == []


def test_an_id_a_beginning_and_latest_lead_to_the_file(folder: str) -> None:
    made: list[SessionFile] = []
    for cwd in ("/a", "/b"):
        with SessionFile.create(folder, cwd=cwd) as file:
            made.append(file)
    first, second = made
    assert resolve_session(folder, first.id) == first.path
    assert resolve_session(folder, second.id[:-1]) == second.path or first.id[:-1] == second.id[:-1]
    assert resolve_session(folder, "latest") == second.path
    assert resolve_session(folder, "latest", cwd="/a") == first.path
    with pytest.raises(UsageError, match="there is no session of /c yet"):
        resolve_session(folder, "latest", cwd="/c")
    with pytest.raises(UnknownSessionError, match="2 sessions start with '2'"):
        resolve_session(folder, "2")
    with pytest.raises(UsageError, match="no session has the id") as caught:
        resolve_session(folder, first.id + "x")
    assert first.id in caught.value.hint


def test_an_id_that_is_the_beginning_of_another_means_itself(folder: str) -> None:
    os.makedirs(folder)
    for name in ("abc", "abcd"):
        Path(folder, f"{name}.jsonl").touch()
    assert resolve_session(folder, "abc") == os.path.join(folder, "abc.jsonl")


# S-13: a file of a later program
def test_records_and_fields_that_are_not_known_are_left_alone(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.messages([asked("x")])
        with open(file.path, "a", encoding="ascii") as other:
            other.write('{"t":"mood","x":1}\n{"t":"mood","x":2}\n{"t":"turn","outcome":"ok","usage":{},"new":[]}\n')
        file.messages([asked("x"), said("y")])
        data = Path(file.path).read_bytes()
    resumed, stored = SessionFile.resume(file.path)
    resumed.close()
    assert (stored.messages, stored.turns) == ([asked("x"), said("y")], 1)
    assert codes_of(stored) == ["session-record"]
    assert stored.problems[0].position == (4, 1)
    assert Path(file.path).read_bytes().startswith(data)


def test_a_session_of_a_later_format_is_not_touched(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.prompt("x")
    data = Path(file.path).read_bytes().replace(b'"v":1', b'"v":7')
    Path(file.path).write_bytes(data)
    with pytest.raises(SessionFormatError, match="format 7; this one reads 1"):
        SessionFile.resume(file.path)
    assert Path(file.path).read_bytes() == data


# S-13: only as far as needed
def test_messages_that_a_damaged_line_took_are_named_and_the_rest_stays(folder: str) -> None:
    history = [*turn(1), *turn(2)]
    with SessionFile.create(folder, cwd="/a") as file:
        for count in (2, 4, 8):
            file.messages(history[:count])
    lines = Path(file.path).read_bytes().split(b"\n")
    lines[3] = lines[3][:60]
    Path(file.path).write_bytes(b"\n".join(lines))
    stored = read_session(file.path)
    assert stored.messages == [*history[:2], *history[4:]]
    assert codes_of(stored) == ["session-line", "session-message"]
    assert stored.problems[1].message == "of 8 messages, these are lost or cannot be read: 3, 4"
    resumed, stored = SessionFile.resume(file.path)
    resumed.messages(stored.messages)
    resumed.close()
    after = read_session(file.path)
    assert (after.messages, codes_of(after)) == (stored.messages, ["session-line"])


def test_a_message_of_an_unknown_kind_costs_no_other(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.messages(turn(1))
    data = Path(file.path).read_bytes()
    Path(file.path).write_bytes(data.replace(b'"kind":"response"', b'"kind":"telepathy"', 1))
    stored = read_session(file.path)
    assert stored.messages == [turn(1)[0], *turn(1)[2:]]
    assert codes_of(stored) == ["session-message"]


@pytest.mark.parametrize("number", ["-1", "1e3", '"x"', "null", "99999999999"])
def test_an_index_that_is_none_costs_neither_memory_nor_the_session(folder: str, number: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.messages([asked("x")])
        with open(file.path, "a", encoding="ascii") as other:
            other.write(f'{{"t":"messages","at":{number},"messages":[]}}\n')
    stored = read_session(file.path)
    assert stored.messages == [asked("x")]
    assert len(stored.problems) == 1


# S-13: queues and inputs
def test_each_kind_of_input_is_owed_until_a_message_holds_it(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        for kind in ("prompt", "steer", "follow_up"):
            file.prompt(kind, kind=kind)
        file.queue(["steer"], ["follow_up"])
        stored = read_session(file.path)
        assert (stored.steering, stored.follow_ups, stored.unanswered) == (("steer",), ("follow_up",), ("prompt",))
        file.messages([asked("prompt"), said("a"), asked("steer")])
        stored = read_session(file.path)
        assert (stored.steering, stored.follow_ups, stored.unanswered) == ((), ("follow_up",), ())
        file.queue([], [])  # killed between taking it out and sending it
        stored = read_session(file.path)
        assert (stored.steering, stored.follow_ups, stored.unanswered) == ((), (), ("follow_up",))
        file.withdraw("follow_up")
        assert read_session(file.path).unanswered == ()


def test_a_follow_up_that_becomes_a_prompt_is_one_input(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        for _ in range(2):
            file.prompt("go on", kind="follow_up")
        file.queue([], ["go on", "go on"])
        file.queue([], ["go on"])
        file.prompt("go on")
        stored = read_session(file.path)
        assert (stored.follow_ups, stored.unanswered) == (("go on",), ("go on",))
        file.messages([asked("go on"), said("a")])
        stored = read_session(file.path)
        assert (stored.follow_ups, stored.unanswered) == (("go on",), ())
        file.prompt("go on")  # another one: the queue still holds its own
        stored = read_session(file.path)
        assert (stored.follow_ups, stored.unanswered) == (("go on",), ("go on",))


def test_an_old_message_of_the_same_text_answers_no_new_input(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.prompt("continue")
        file.messages([asked("continue"), said("a")])
        file.prompt("continue")
        file.messages([asked("continue"), said("another a")])
        file.messages([asked("continue\n\n<system-reminder>x</system-reminder>"), said("another a")])
        assert read_session(file.path).unanswered == ("continue",)
        file.messages([said("a summary")])
        assert read_session(file.path).unanswered == ("continue",)
        file.messages([said("a summary"), asked("continue")])
        assert read_session(file.path).unanswered == ()


def test_an_input_inside_another_ones_text_is_still_owed(folder: str) -> None:
    with SessionFile.create(folder, cwd="/a") as file:
        file.prompt("yes")
        file.prompt("no\nyes\nno")
        file.messages([asked("no\nyes\nno, yes")])
        assert read_session(file.path).unanswered == ("no\nyes\nno",)
        file.messages([asked("no\nyes\nno, yes"), asked("no\nyes\nno")])
        assert read_session(file.path).unanswered == ()
