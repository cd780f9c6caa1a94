"""Hooks of one session side by side, and hooks that are ended: nothing is lost, denied twice or left locked."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.support import Project
from tests.warm import WarmProcess, WarmPrograms

from xcsh.hooks import memory as memories
from xcsh.hooks.memory import hooks_folder, prune, remembered

IMPORTS = ("xcsh.cli.main", "xcsh.cli.verbs.hook", "xcsh.hooks.answering", "xcsh.guard.stream_guard")
SIDE_BY_SIDE = 20
RULES = {".xcsh/rules/no-any.md": '---\ncondition: ": any\\\\b"\n---\nNever use any.\n'} | {
    f".windsurf/rules/r{number}.md": f"---\ntrigger: glob\nglobs: src/{number}.ts\n---\nRule {number}.\n"
    for number in range(SIDE_BY_SIDE)
}


def started(warm: WarmPrograms, project: Project, file: str, content: str) -> WarmProcess:
    event = {
        "session_id": "s", "cwd": os.fspath(project.root), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": os.fspath(project.root / file), "content": content},
    }  # fmt: skip
    env = {"PATH": os.environ["PATH"], "HOME": os.fspath(project.home), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = warm.start(
        "-m", "xcsh", "hook", "--for", "claude", env=env, cwd=project.root, imports=IMPORTS, stdin=subprocess.PIPE
    )
    assert process.stdin
    process.stdin.write(json.dumps(event).encode())
    process.stdin.flush()
    return process


def wait_until_read(process: WarmProcess) -> None:
    """Until it waits for the end of its input: then it is the program, no longer the process that was forked for it."""
    assert process.stdin
    for _ in range(12_000):
        if not any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):
            return
        Event().wait(0.005)
    pytest.fail("it reads nothing")


def answer_of(process: WarmProcess) -> dict[str, Any]:
    ended = process.ended()
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)["hookSpecificOutput"] if ended.stdout else {}


def test_of_twenty_calls_at_once_one_is_denied_and_the_others_are_given_every_rule_once(
    project: Project, warm: WarmPrograms
) -> None:
    # T-11, R-54
    project.write(RULES)
    calls = [started(warm, project, f"src/{number}.ts", "let a: any") for number in range(SIDE_BY_SIDE)]
    for process in calls:
        assert process.stdin
        process.stdin.close()  # only now does it answer
    answers = [answer_of(process) for process in calls]
    (denied,) = [number for number, answer in enumerate(answers) if answer.get("permissionDecision") == "deny"]
    given = [answer.get("additionalContext", "") for answer in answers]
    assert [number for number, text in enumerate(given) if f"Rule {number}." not in text] == [denied]
    for number in (denied, (denied + 1) % SIDE_BY_SIDE):
        later = answer_of(started(warm, project, f"src/{number}.ts", "let a: any"))
        assert (f"Rule {number}." in str(later)) is (number == denied)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_hook_that_is_ended_never_ends_with_a_denial_and_leaves_nothing_locked(
    number: signal.Signals, project: Project, warm: WarmPrograms
) -> None:
    project.write(RULES)
    process = started(warm, project, "README.md", "let a: any")
    wait_until_read(process)
    process.send_signal(number)
    code = process.wait()
    assert code not in (0, 2)
    ended = process.ended()
    assert "deny" not in ended.stdout
    assert answer_of(started(warm, project, "README.md", "let a: any"))["permissionDecision"] == "deny"


def test_a_call_that_holds_the_memory_for_too_long_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "_PATIENCE", 0.05)
    told: list[OSError] = []
    folder = os.fspath(tmp_path)
    with remembered(folder, "s", pytest.fail) as memory:
        memory.give(["x"])
    with (tmp_path / "s.json.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with remembered(folder, "s", told.append) as memory:
            assert not memory.has("x")
            assert not memory.lasts
    assert isinstance(told[0], BlockingIOError)
    with remembered(folder, "s", pytest.fail) as memory:
        assert memory.has("x")


def test_a_full_disk_leaves_the_memory_as_it_was_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.fspath(tmp_path / "hooks")
    with remembered(folder, "s", pytest.fail) as memory:
        memory.give(["x"])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    told: list[OSError] = []
    monkeypatch.setattr(os, "replace", full)
    with remembered(folder, "s", told.append) as memory:
        memory.give(["y"])
    monkeypatch.undo()
    assert told[0].errno == 28
    with remembered(folder, "s", pytest.fail) as memory:
        assert (memory.has("x"), memory.has("y")) == (True, False)
    assert sorted(path.name for path in (tmp_path / "hooks").iterdir()) == ["s.json", "s.json.lock"]


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"given": 7, "guard": []}', b'{"guard": {"fired": 7}}', b"\xff",
                                  b'{"guard": {"fired": {"a": "x"}, "turn": "y", "interrupts": null}}', b"[" * 90_000])  # fmt: skip
def test_a_memory_of_any_other_form_counts_as_none(kept: bytes, project: Project, warm: WarmPrograms) -> None:
    project.write(RULES)
    folder = Path(hooks_folder({}, os.fspath(project.home)))
    folder.mkdir(parents=True)
    (folder / "claude-s.json").write_bytes(kept)
    assert answer_of(started(warm, project, "README.md", "let a: any"))["permissionDecision"] == "deny"


@pytest.mark.parametrize("years", [-50, 50])
def test_a_clock_that_jumps_takes_no_more_than_memories(years: int, tmp_path: Path) -> None:
    folder = os.fspath(tmp_path)
    with remembered(folder, "s", pytest.fail) as memory:
        memory.give(["x"])
    prune(folder, now=time.time() + years * 365 * 86_400)
    with remembered(folder, "s", pytest.fail) as memory:
        assert memory.has("x") is (years < 0)
