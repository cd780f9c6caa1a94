"""Attached rules under DBOS, in processes of their own: it starts threads, and one of them has to die."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.warm import WarmPrograms

pytest.importorskip("dbos")

IMPORTS = ("dbos", "pydantic_ai.durable_exec.dbos", "pydantic_ai_harness.coder", "tests.agent.attachments.attaching")


def run_program(warm: WarmPrograms, folder: Path, how: str, *, ends_with: int = 0) -> dict[str, Any]:
    """What `durable_attachments.py` says, in a process of its own on the database of `folder`."""
    program = ("-m", "tests.agent.attachments.durable_attachments", folder / "db.sqlite", folder / "tree", how)
    done = warm.start(*program, env=os.environ, imports=IMPORTS).ended(120)
    assert done.returncode == ends_with, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_a_workflow_that_died_while_a_change_was_held_back_goes_on_with_its_repeat(
    warm: WarmPrograms, tmp_path: Path
) -> None:
    # what was delivered is read from the messages, so that a workflow that is run again agrees with itself
    died = run_program(warm, tmp_path, "crash", ends_with=3)
    assert died["blocks"] == 1
    assert (tmp_path / "tree/project/src/Cart.tsx").read_text() == "cart\n"
    said = run_program(warm, tmp_path, "recover")
    assert said == {"output": "done", "calls": 2, "blocks": 1, "held": 1, "file": "new\n"}
