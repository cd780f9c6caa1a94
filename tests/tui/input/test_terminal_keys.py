"""Keys as terminals send them, on a pseudo-terminal."""

from __future__ import annotations

import json
import os
import time

from tests.support import Project
from tests.tui.on_a_terminal import on_a_terminal
from textual import constants
from textual._xterm_parser import XTermParser
from textual.events import Key

from xcsh.tui.input.terminal_keys import know_alt_enter

SLOW = [{"recording": 1}, {"reply": [{"text": "begun "}, {"delay": 600}, {"text": "never"}]}]


def test_alt_enter_queues(project: Project) -> None:
    # S-20, S-24: as most terminals send it, ESC and CR in one piece
    recording = project.root.parent / "recording.jsonl"
    recording.write_text("\n".join(map(json.dumps, SLOW)), "utf-8")
    where = ("-C", os.fspath(project.root), "--model", f"replay:{recording}")
    with on_a_terminal(*where, home=os.fspath(project.home)) as terminal:
        terminal.wait_for("Enter send")
        terminal.type("go\r")
        terminal.wait_for("begun")
        terminal.type("lastly\x1b\r")
        terminal.wait_for("after the turn")
        terminal.type("soon\r")
        terminal.wait_for("before the next request")
        terminal.type("/exit\r")
        assert terminal.end() == 0


def test_escape_and_enter_one_after_the_other_stay_two_keys() -> None:
    # S-20: a pause between them is all that a terminal shows of it
    know_alt_enter()
    parser = XTermParser()

    def keys(*data: str) -> list[str]:
        return [event.key for each in data for event in parser.feed(each) if isinstance(event, Key)]

    assert keys("a\x1b\rb") == ["a", "ctrl+t", "b"]
    assert keys("\x1b") == []
    time.sleep(2 * constants.ESCAPE_DELAY)
    assert [event.key for event in parser.tick() if isinstance(event, Key)] == ["escape"]
    assert keys("\r", "\x1b[A") == ["enter", "up"]
