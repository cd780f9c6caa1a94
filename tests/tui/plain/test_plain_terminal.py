"""The conversation by lines on a terminal: keys, the line editor, and what a simple terminal is spared."""

from __future__ import annotations

import io
import json
import os
import signal
import sys

import pytest
from tests.support import Project
from tests.tui.on_a_terminal import on_a_terminal

import xcsh.session.creating
import xcsh.tui.plain.running  # noqa: F401 - the process that is forked need not load it
from xcsh.tui.plain.front import PlainFront

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


def test_an_answer_that_was_typed_before_the_question_is_none(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-26, SEC-03
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(
        PlainFront, "reading_seconds", 3_600.0
    )  # until the test says that it is over, however slow the machine is
    project.write({"~/.claude/commands/ship.md": "Built: !`touch built; echo well`"})
    recording = project.root.parent / "recording.jsonl"
    exchange = {"expect": {"user": "Built: well"}, "reply": [{"text": "shipped"}]}
    recording.write_text("".join(json.dumps(line) + "\n" for line in ({"recording": 1}, exchange)))

    def when_it_is_over() -> None:
        def end(*_: object) -> None:
            PlainFront.reading_seconds = 0.0
            os.write(1, b"the pause is over")

        signal.signal(signal.SIGUSR1, end)

    arguments = ("--model", f"replay:{recording}")
    surroundings = {"TERM": "dumb"}
    with on_a_terminal(
        *arguments, home=os.fspath(project.home), environment=surroundings, before=when_it_is_over
    ) as terminal:
        terminal.wait_for("Ready. Type a message")
        terminal.type("/ship\n1\n")  # the yes is there before anybody could have read what is asked
        terminal.wait_for("touch built")
        terminal.wait_for("'1' was typed before the question. Type a number now.")
        assert not project.path("built").exists()
        terminal.signal(signal.SIGUSR1)
        terminal.wait_for("the pause is over")
        terminal.type("1\n")
        terminal.wait_for("Model: shipped")
        assert project.path("built").exists()
        terminal.type("/exit\n")
        assert terminal.end() == 0
