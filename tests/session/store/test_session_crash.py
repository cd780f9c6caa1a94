"""A writer that is killed at any moment: whatever it had acknowledged is there."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from tests.session.store.conversations import as_json, turn

from xcsh.session.store import SessionFile, read_session, valid_history

_SIZE = 30_000
"""Characters of a tool's result, so that most of the time is spent writing."""


def _write_until_killed(folder: str, said: int) -> None:
    """Says a byte for each acknowledged prompt; ends by SIGKILL only."""
    file = SessionFile.create(folder, cwd="/work")
    history: list[ModelMessage] = []
    number = 0
    while True:
        file.prompt(f"prompt {number}", kind=("prompt", "steer")[number % 2])
        os.write(said, b"x")
        for message in turn(number, _SIZE):
            history.append(message)
            file.messages(history)
        file.turn("completed", {"input_tokens": 1})
        number += 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("seed", range(20))
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path, seed: int) -> None:
    # S-13
    as_json(turn(0))  # the schema is built before the fork, not after each
    listening, said = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _write_until_killed(str(tmp_path / "sessions"), said)
        finally:
            os._exit(1)
    os.close(said)
    os.read(listening, 1)
    time.sleep(random.Random(seed).uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    acknowledged = 1
    while more := os.read(listening, 65_536):
        acknowledged += len(more)
    os.close(listening)

    (path,) = (tmp_path / "sessions").iterdir()
    stored = read_session(str(path))
    written = acknowledged + 1  # the last may have been killed between the disk and the word
    expected = [message for number in range(written) for message in turn(number, _SIZE)]
    assert as_json(stored.messages) == as_json(expected)[: len(stored.messages)]
    answered = (len(stored.messages) + 3) // 4
    prompts = [f"prompt {number}" for number in range(answered)] + list(stored.unanswered)
    assert prompts in [[f"prompt {number}" for number in range(count)] for count in (acknowledged, written)]
    lines = path.read_bytes().split(b"\n")
    assert [problem.position for problem in stored.problems] in ([], [(len(lines), 1)])

    file, resumed = SessionFile.resume(str(path))  # the dead hold no lock
    history = valid_history(resumed.messages)
    file.messages(history)
    file.prompt("go on")
    file.close()
    after = read_session(str(path))
    assert as_json(after.messages) == as_json(history)
    assert after.unanswered == (*stored.unanswered, "go on")
