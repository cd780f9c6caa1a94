"""The conversation by lines on a terminal: keys, the line editor, and what a simple terminal is spared."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
from tests.support import Project
from tests.tui.on_a_terminal import on_a_terminal

import xcsh.session.creating
import xcsh.tui.plain.running  # noqa: F401 - the process that is forked need not load it

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def test_a_conversation_by_lines_is_steered_interrupted_and_left(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-26, S-25
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    project.write({".xcsh/commands/review.md": "Review $1."})
    exchanges = [
        {"recording": 1},
        {"reply": [{"text": "the beginning\n"}, {"delay": 600}, {"text": "never"}]},
        {"expect": {"user": "Review a."}, "reply": [{"text": "reviewed"}]},
    ]
    recording = project.root.parent / "recording.jsonl"
    recording.write_text("".join(json.dumps(line) + "\n" for line in exchanges))
    arguments = ("--model", f"replay:{recording}")
    with on_a_terminal(*arguments, home=os.fspath(project.home), environment={"TERM": "dumb"}) as terminal:
        terminal.wait_for("so this is the plain mode.")
        terminal.wait_for("Ready. Type a message")
        terminal.type("first\n")
        terminal.wait_for("Model: the beginning")
        terminal.type("be brief\n/later and then\n")
        terminal.wait_for("2 messages wait")
        terminal.type("\x03")
        terminal.wait_for("The turn was interrupted.")
        terminal.wait_for("Ready.\r\n")
        terminal.type("/queue\n")
        terminal.wait_for("3. all of them, back into the prompt")
        seen = len(terminal.seen)
        terminal.type("3\n")
        terminal.wait_for("To be typed again, if it is wanted: be brief")
        terminal.wait_for("Ready.\r\n", since=seen)
        seen = len(terminal.seen)
        terminal.type("/rev\ta\n")
        terminal.wait_for("Model: reviewed")
        terminal.wait_for("Ready.\r\n", since=seen)
        terminal.type("\x03")
        assert terminal.end() == 0
        assert terminal.modes_now == terminal.modes
    assert b"\x1b" not in terminal.seen
