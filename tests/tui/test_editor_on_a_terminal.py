"""The user's editor has the terminal for itself, and the application has it again afterwards."""

from __future__ import annotations

import io
import os
import sys
import termios

import pytest
from tests.support import Project
from tests.tui.on_a_terminal import LEFT, on_a_terminal

import xcsh.session.creating
import xcsh.tui.app
import xcsh.tui.dashboard.screen  # noqa: F401 - as above

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")

EDITOR = """#!/bin/sh
trap '' INT
for f in "$@"; do :; done
echo "IN THE EDITOR $1 $f"
read line
echo "$line" >> "$f"
"""


def test_the_editor_has_the_terminal_and_the_dashboard_comes_back(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-23
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    project.write({".xcsh/rules/house.md": '---\ncondition: "(any"\n---\nUse tabs.\n', "bin/vim": EDITOR})
    project.path("bin/vim").chmod(0o755)
    recording = project.root.parent / "recording.jsonl"
    recording.write_text('{"recording": 1}\n{"reply": [{"text": "It is one."}]}\n', "utf-8")
    environment = {
        "VISUAL": os.fspath(project.path("bin/vim")),
        "COLUMNS": "100",  # a worker of the suite has given its standard output away, by which the size is found
        "LINES": "40",
    }
    arguments = ("-C", os.fspath(project.root), "--model", f"replay:{recording}")
    with on_a_terminal(*arguments, home=os.fspath(project.home), environment=environment) as terminal:
        terminal.wait_for("Enter send")
        terminal.type("first\r")
        terminal.wait_for("It is one.")
        terminal.type("\x1bOQ")  # F2
        terminal.wait_for("house.md:2")
        terminal.type("e")
        path = os.fspath(project.path(".xcsh/rules/house.md"))
        terminal.wait_for(f"IN THE EDITOR +2 {path}")
        assert LEFT in terminal.seen
        assert terminal.modes_now[3] & termios.ICANON
        since = len(terminal.seen)
        terminal.type("\x03")
        terminal.type("Never spaces.\r")
        terminal.wait_for("Never spaces.", since=since)
        terminal.wait_for("\x1b[?1049h", since=since)
        assert b"house" not in terminal.seen[since : terminal.seen.index(b"\x1b[?1049h", since)]
        terminal.wait_for("INACTIVE", since=terminal.seen.index(b"\x1b[?1049h", since))
        terminal.type("\x04")  # no Esc before it: both at once would be another key
        assert terminal.end() == 0
        assert terminal.modes_now == terminal.modes
    assert project.path(".xcsh/rules/house.md").read_text("utf-8").endswith("Use tabs.\nNever spaces.\n")
