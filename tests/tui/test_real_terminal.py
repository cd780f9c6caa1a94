"""The program in a pseudo-terminal, from its start to /exit, against a recorded conversation."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pexpect
from tests.support import Project

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "Add a total() helper to src/cart.ts; how should errors leave the API?"
AFTERWARDS = (
    {"reply": [{"tool": "shell", "arguments": {"command": "touch made"}}]},
    {"reply": [{"text": "It is made, and now "}, {"delay": 1.5}, {"tool": "read_file", "arguments": {"path": "made"}}]},
    {"expect": {"user": "be brief"}, "reply": [{"text": "Briefly: done_at_last."}]},
)
F2, ESCAPE, ENTER = "\x1bOQ", "\x1b", "\r"


def test_a_whole_conversation_in_a_real_terminal(project: Project) -> None:
    # S-12, S-13, S-20, S-23, S-24, S-25, C-30
    shutil.copytree(EXAMPLES / "shop", project.root, dirs_exist_ok=True)
    recorded = (EXAMPLES / "recordings" / "shop.jsonl").read_text("utf-8").splitlines()
    recorded[0] = json.dumps({**json.loads(recorded[0]), "pace": 0})
    recording = project.root.parent / "recording.jsonl"
    recording.write_text("\n".join([*recorded, *map(json.dumps, AFTERWARDS)]), "utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(project.home),
        "TERM": "xterm-256color",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OLLAMA_HOST": "127.0.0.1:9",
    }
    arguments = ["-m", "xcsh", "-C", os.fspath(project.root), "--allow", "edit", "--model", f"replay:{recording}"]
    terminal = pexpect.spawn(
        sys.executable, arguments, env=environment, dimensions=(30, 100), encoding="utf-8", timeout=20
    )
    try:
        terminal.expect("Enter send")
        terminal.send(QUESTION + ENTER)  # before the session is open
        terminal.expect("stopped by")
        terminal.expect("mixed_currencies")

        terminal.send(F2)
        terminal.expect("in the prompt")
        terminal.expect("house-style")
        terminal.send(ESCAPE)
        terminal.expect("Enter send")

        terminal.setwinsize(24, 80)
        terminal.expect("Enter send")
        terminal.send("/und")
        terminal.expect("take back the file changes")
        terminal.send("\x15")

        terminal.send("touch it" + ENTER)
        terminal.expect("touch made")
        terminal.expect("scroll")  # a key counts now
        terminal.send("y")
        terminal.expect("It is made")
        terminal.send("be brief" + ENTER)
        terminal.expect("done_at_last")
        terminal.send("/exit" + ENTER)
        terminal.expect(pexpect.EOF)
    finally:
        terminal.close(force=True)
    assert terminal.exitstatus == 0
    assert (project.root / "made").exists()
    assert "readonly LineItem[]): Money" in (project.root / "src" / "cart.ts").read_text("utf-8")
    sessions = project.home / ".local" / "state" / "xcsh" / "sessions"
    assert len([path for path in sessions.iterdir() if path.suffix == ".jsonl"]) == 1
