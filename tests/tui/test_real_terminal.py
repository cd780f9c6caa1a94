"""The program in a pseudo-terminal, from its start to /exit, against a recorded conversation."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pexpect
from tests.support import Project

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "Add a total() helper to src/cart.ts; how should errors leave the API?"


def test_a_turn_with_a_stream_rule_in_a_real_terminal_and_the_session_is_kept(project: Project) -> None:
    # S-20, S-24, S-13
    shutil.copytree(EXAMPLES / "shop", project.root, dirs_exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(project.home),
        "TERM": "xterm-256color",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OLLAMA_HOST": "127.0.0.1:9",
    }
    recording = EXAMPLES / "recordings" / "shop.jsonl"
    arguments = ["-m", "xcsh", "-C", os.fspath(project.root), "--allow", "edit", "--model", f"replay:{recording}"]
    terminal = pexpect.spawn(
        sys.executable, arguments, env=environment, dimensions=(30, 100), encoding="utf-8", timeout=60
    )
    try:
        terminal.expect("Enter send")
        terminal.send(QUESTION)
        terminal.send("\r")
        terminal.expect("stopped by")
        terminal.expect("mixed_currencies")
        terminal.send("/exit")
        terminal.send("\r")
        terminal.expect(pexpect.EOF)
    finally:
        terminal.close(force=True)
    assert terminal.exitstatus == 0
    assert "readonly LineItem[]): Money" in (project.root / "src" / "cart.ts").read_text("utf-8")
    sessions = project.home / ".local" / "state" / "xcsh" / "sessions"
    assert len([path for path in sessions.iterdir() if path.suffix == ".jsonl"]) == 1
