"""A session's one writer: what stands on the disk after each call, and who may write."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel, model_serializer
from pydantic_ai.messages import BinaryImage, ModelMessage, ModelRequest, UserPromptPart
from tests.session.store.conversations import (
    WHEN,
    as_json,
    asked,
    called,
    codes_of,
    kinds_of,
    lines_of,
    returned,
    said,
    turn,
)

from xcsh.errors import XcshError
from xcsh.session.store import (
    SessionBusyError,
    SessionFile,
    SessionFormatError,
    SessionWriteError,
    UnknownSessionError,
    list_sessions,
    read_session,
    sessions_folder,
)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "sessions")


@pytest.fixture
def file(folder: str) -> Iterator[SessionFile]:
    with SessionFile.create(folder, cwd="/work", model="m", title="t") as session:
        yield session


# S-13
def test_everything_that_was_written_is_read_back(file: SessionFile) -> None:
    history = [asked("hello", metadata={"rule": "no-any"}), said("hi", provider_details={"a": [1, None]})]
    file.prompt("hello")
    file.messages(history)
    file.state(cwd="/elsewhere", thinking="high", title="T")
    file.note("compaction", {"before": 10})
    file.note("file", {"path": "a"})
    file.note("compaction", {"before": 20})
    file.turn("completed", {"input_tokens": 3, "output_tokens": 4, "details": {"cached": 1}})
    file.turn("failed", {"input_tokens": 1, "output_tokens": 0, "model": "m"})
    file.queue(["steer"], ["later"])
    stored = read_session(file.path)
    assert stored.messages == history
    assert (stored.id, stored.path) == (file.id, file.path)
    assert (stored.cwd, stored.model, stored.title) == ("/elsewhere", "m", "T")
    assert stored.state == {"cwd": "/elsewhere", "model": "m", "title": "T", "thinking": "high"}
    assert stored.notes == (("compaction", {"before": 10}), ("file", {"path": "a"}), ("compaction", {"before": 20}))
    assert (stored.turns, stored.usage) == (2, {"input_tokens": 4, "output_tokens": 4, "details.cached": 1})
    assert (stored.steering, stored.follow_ups, stored.unanswered) == (("steer",), ("later",), ())
    assert stored.created < stored.updated
    assert stored.problems == ()


def test_a_line_is_one_object_in_ascii_with_its_type_first_and_its_time_second(file: SessionFile) -> None:
    file.prompt("größer \u2028 \x1b[2J \udc80")
    file.messages([asked("größer\n\x85")])
    data = Path(file.path).read_bytes()
    assert data.isascii()
    assert data.endswith(b"\n")
    assert [list(line)[:2] for line in lines_of(file.path)] == [["t", "time"]] * 4
    assert kinds_of(file.path) == ["session", "open", "prompt", "messages"]
    assert read_session(file.path).unanswered == ("größer \u2028 \x1b[2J \udc80",)


def test_binary_content_and_results_that_json_cannot_say_survive_as_far_as_they_can(file: SessionFile) -> None:
    picture = BinaryImage(data=b"\xff\x00\xfe", media_type="image/png")
    history = [ModelRequest(parts=[UserPromptPart(["look", picture], timestamp=WHEN)]), called("a"),
               returned("a", content={1, 2}), called("b"), returned("b", content=object())]  # fmt: skip
    file.messages(history)
    stored = read_session(file.path)
    assert stored.messages[0] == history[0]
    assert "object object at" in str(as_json(stored.messages)[4])
    assert stored.problems == ()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_sessions_are_for_their_owner_alone(file: SessionFile, folder: str) -> None:
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600


def test_the_folder_is_that_of_the_state_and_a_relative_one_counts_as_none() -> None:
    assert sessions_folder({"XDG_STATE_HOME": "/s"}, "/h") == "/s/xcsh/sessions"
    assert sessions_folder({}, "/h") == "/h/.local/state/xcsh/sessions"
    assert sessions_folder({"XDG_STATE_HOME": "s"}, "/h") == "/h/.local/state/xcsh/sessions"


def test_only_what_differs_is_written(file: SessionFile) -> None:
    first = turn(1)
    file.messages(first[:1])
    file.messages(first[:1])
    file.messages(first)
    file.messages(first[:2])
    file.messages([*first[:2], returned("call-1", content="other")])
    records = [line for line in lines_of(file.path) if line["t"] == "messages"]
    assert [(line["at"], len(line["messages"])) for line in records] == [(0, 1), (1, 3), (2, 0), (2, 1)]


def test_equal_messages_in_other_objects_are_not_written_again(file: SessionFile) -> None:
    file.messages(turn(1))
    file.messages(turn(1))
    assert kinds_of(file.path).count("messages") == 1


def test_what_the_framework_changes_in_place_is_noticed(file: SessionFile) -> None:
    history: list[ModelMessage] = [message for number in range(5) for message in turn(number)]
    file.messages(history)
    last = history[-1]
    assert not isinstance(last, ModelRequest)
    last.metadata = {"stamped": "late"}
    file.messages(history)
    history[0].parts = [UserPromptPart("another prompt", timestamp=WHEN)]
    file.messages(history)
    file.turn("completed", {})
    records = [line["at"] for line in lines_of(file.path) if line["t"] == "messages"]
    assert records == [0, 19, 0]
    assert read_session(file.path).messages == history


class Counted(BaseModel):
    """A tool's result that says how often it is serialised."""

    counts: dict[str, int]

    @model_serializer
    def dump(self) -> str:
        self.counts["dumps"] = self.counts.get("dumps", 0) + 1
        return "result"


def test_a_long_session_serialises_each_message_a_few_times_and_writes_it_once(file: SessionFile) -> None:
    # S-13: the cost of a turn does not grow with the session
    turns, counts = 250, dict[str, int]()
    history: list[ModelMessage] = []
    for number in range(turns):
        call = f"c{number}"
        for message in (asked("p"), called(call), returned(call, content=Counted.model_construct(counts=counts)),
                        said("a")):  # fmt: skip
            history.append(message)
            file.messages(history)
    assert counts["dumps"] <= 6 * turns
    records = [line for line in lines_of(file.path) if line["t"] == "messages"]
    assert sum(len(line["messages"]) for line in records) == len(history)
    assert len(read_session(file.path).messages) == len(history)


# S-13
def test_two_writers_never_have_one_session(file: SessionFile) -> None:
    file.prompt("x")
    with pytest.raises(SessionBusyError, match=f"in use by process {os.getpid()}") as caught:
        SessionFile.resume(file.path)
    assert isinstance(caught.value, XcshError)
    assert isinstance(caught.value, BlockingIOError)
    assert caught.value.pid == os.getpid()
    code = "import sys; from xcsh.session.store import *\ntry: SessionFile.resume(sys.argv[1])\nexcept SessionBusyError as e: print(e.pid)"
    done = subprocess.run([sys.executable, "-c", code, file.path], capture_output=True, text=True, check=True)
    assert done.stdout == f"{os.getpid()}\n"
    assert read_session(file.path).unanswered == ("x",)  # reading asks for no lock
    file.close()
    SessionFile.resume(file.path)[0].close()


def test_a_session_that_is_deleted_or_none_cannot_be_resumed(folder: str, tmp_path: Path) -> None:
    os.makedirs(folder)
    (tmp_path / "empty.jsonl").touch()
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(UnknownSessionError, match="no session file"):
        SessionFile.resume(os.path.join(folder, "x.jsonl"))
    for name in ("empty.jsonl", "pipe.jsonl", "."):
        with pytest.raises(SessionFormatError, match=r"session|regular"):
            SessionFile.resume(str(tmp_path / name))


def test_threads_write_whole_lines(file: SessionFile) -> None:
    def write(name: int) -> None:
        for number in range(50):
            file.note("thread", {"name": name, "number": number, "x": "y" * 5000})
            if number % 10 == 0:
                file.prompt(f"{name} {number}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    stored = read_session(file.path)
    assert stored.problems == ()
    assert len(stored.unanswered) == 20
    for name in range(4):
        assert [data["number"] for _, data in stored.notes if data["name"] == name] == list(range(50))


def test_a_closed_session_takes_nothing(file: SessionFile) -> None:
    file.close()
    file.close()
    for write in (lambda: file.prompt("x"), lambda: file.queue(["x"], []), file.sync):
        with pytest.raises(ValueError, match="is closed"):
            write()


def test_a_prompt_of_no_known_kind_is_refused(file: SessionFile) -> None:
    with pytest.raises(ValueError, match="there are: prompt, steer, follow_up"):
        file.prompt("x", kind="shout")
    assert kinds_of(file.path) == ["session", "open"]


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


# S-13: nothing is acknowledged by half
def test_a_full_disk_is_said_at_the_next_acknowledged_write_and_nothing_is_lost(file: SessionFile) -> None:
    file.prompt("before")
    size = os.path.getsize(file.path)
    with disk_of(size + 150):
        file.messages([asked("before"), said("x" * 1000)])
        assert os.path.getsize(file.path) == size, "half a line is taken back"
        with pytest.raises(SessionWriteError, match="too large") as caught:
            file.prompt("during")
        assert caught.value.hint.startswith("make room")
        assert isinstance(caught.value, OSError)
        with pytest.raises(SessionWriteError):
            file.turn("completed", {"input_tokens": 1})
        with pytest.raises(SessionWriteError):
            file.sync()
    stored = read_session(file.path)
    assert (stored.unanswered, stored.problems) == (("before",), ())
    file.prompt("after")
    stored = read_session(file.path)
    assert stored.unanswered == ("after",)
    assert len(stored.messages) == 2
    assert stored.turns == 1, "what was no input waits for room"
    assert stored.problems == ()


def test_closing_says_what_could_not_be_written(file: SessionFile) -> None:
    with disk_of(os.path.getsize(file.path) + 10):
        file.note("x", {"y": "z" * 100})
        with pytest.raises(SessionWriteError):
            file.close()
    SessionFile.resume(file.path)[0].close()


def test_a_session_that_begins_on_a_full_disk_says_so_at_its_first_prompt(folder: str) -> None:
    with disk_of(20):
        session = SessionFile.create(folder, cwd="/work")
        with pytest.raises(SessionWriteError):
            session.prompt("x")
    session.prompt("y")
    session.close()
    assert read_session(session.path).unanswered == ("y",)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SessionWriteError, match="permission denied"):
        SessionFile.create(str(tmp_path / "sessions"), cwd="/work")
    tmp_path.chmod(0o700)


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("")
    with pytest.raises(SessionWriteError, match="file exists") as caught:
        SessionFile.create(str(tmp_path / "sessions"), cwd="/work")
    assert caught.value.errno in (None, errno.EEXIST)


# S-13
def test_resuming_ends_a_torn_line_and_changes_no_byte_that_stands_there(file: SessionFile) -> None:
    file.prompt("kept")
    file.messages(turn(1))
    file.close()
    before = Path(file.path).read_bytes()[:-100]
    Path(file.path).write_bytes(before)
    again, stored = SessionFile.resume(file.path)
    assert (stored.messages, stored.unanswered, codes_of(stored)) == ([], ("kept",), ["session-line"])
    again.prompt("more")
    again.messages(turn(1))
    again.close()
    data = Path(file.path).read_bytes()
    assert data.startswith(before + b"\n")
    after = read_session(file.path)
    assert (after.messages, after.unanswered) == (turn(1), ("kept", "more"))
    assert [(problem.code, problem.position) for problem in after.problems] == [("session-line", (4, 1))]


def test_a_resumed_session_goes_on_where_it_was(file: SessionFile) -> None:
    file.messages(turn(1))
    file.turn("completed", {"input_tokens": 5, "output_tokens": 6})
    file.close()
    again, stored = SessionFile.resume(file.path)
    history = [*stored.messages, *turn(2)]
    again.messages(history)
    again.turn("completed", {"input_tokens": 5, "output_tokens": 6})
    again.close()
    records = [line for line in lines_of(file.path) if line["t"] == "messages"]
    assert [line["at"] for line in records] == [0, 4]
    after = read_session(file.path)
    assert (after.messages, after.turns, after.usage) == (history, 2, {"input_tokens": 10, "output_tokens": 12})
    (summary,) = list_sessions(os.path.dirname(file.path))
    assert (summary.turns, summary.tokens) == (2, 22)
