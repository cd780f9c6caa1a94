"""Stream rules under DBOS, in processes of their own: it starts threads, and one of them has to die."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.warm import WarmPrograms

pytest.importorskip("dbos")

Run = Callable[..., dict[str, Any]]
IMPORTS = ("dbos", "pydantic_ai.durable_exec.dbos", "tests.agent.stream_rules.guarded")


@pytest.fixture
def run_program(warm: WarmPrograms, tmp_path: Path) -> Run:
    """Runs `durable_program.py` in a process of its own on the database of the test's folder; gives what it says."""

    def run(mode: str, how: str, *, ends_with: int = 0) -> dict[str, Any]:
        program = ("-m", "tests.agent.durable_program", tmp_path / "db.sqlite", tmp_path, mode, how)
        done = warm.start(*program, env=os.environ, imports=IMPORTS).ended(120)
        assert done.returncode == ends_with, done.stderr
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return said

    return run


def test_under_durable_execution_the_request_ends_at_the_match(run_program: Run) -> None:
    # T-18: the model made 6 of its 200 pieces, and the engine, which repeats steps that fail, saw no failure
    said = run_program("discard", "retries")
    assert said["produced"] == 6
    assert said["calls"] == 2
    assert said["injections"] == 1
    assert said["output"] == "good"
    assert said["requests"] == 2
    assert said["tokens"] > 5  # an estimate of what the first attempt wrote
    assert said["shape"] == ["request user-prompt", "request user-prompt", "response text"]


def test_a_workflow_that_died_in_the_retry_does_not_repeat_the_aborted_request(run_program: Run) -> None:
    # T-14, T-18: the interrupt is read from the record, and what was kept and what fired with it
    died = run_program("keep", "crash", ends_with=3)
    assert died["produced"] == 6
    said = run_program("keep", "recover")
    assert said["produced"] == 0
    assert said["calls"] == 1
    assert said["injections"] == 1
    assert said["output"] == "good"
    assert said["requests"] == 2
    assert said["shape"] == ["request user-prompt", "response text", "request user-prompt", "response text"]
    assert said["runs"] == 1
    again = run_program("keep", "recover")
    assert again["calls"] == 0
    assert again["output"] == "good"
    assert again["shape"] == said["shape"]
