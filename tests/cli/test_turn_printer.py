"""How a turn is shown on a terminal and in a pipe."""

from __future__ import annotations

import io
from typing import Any

from xcsh.agent.events import MessageCompleted, MessageRetracted, TextDelta, ToolCalled, ToolReturned
from xcsh.cli.verbs.print_turn import TurnPrinter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*events: Any, out: io.StringIO, notes: io.StringIO | None = None) -> str:
    printer = TurnPrinter(out, notes or io.StringIO())
    for event in events:
        printer(event)
    printer.close()
    return out.getvalue()


ATTEMPTS = (
    TextDelta("const a: any"),
    MessageRetracted(),
    TextDelta("const a: "),
    TextDelta("A"),
    MessageCompleted("const a: A"),
)


def test_on_a_terminal_text_streams_and_a_discarded_attempt_is_taken_back_visibly() -> None:
    # S-15
    assert printed(*ATTEMPTS, out=Terminal()) == (
        "const a: any\n(taken back: the answer above was discarded, another attempt follows)\n\nconst a: A\n"
    )


def test_off_a_terminal_nothing_of_a_discarded_attempt_appears() -> None:
    # S-15
    assert printed(*ATTEMPTS, out=io.StringIO()) == "const a: A\n"


def test_on_a_terminal_a_delta_is_shown_before_the_message_is_complete() -> None:
    # S-15
    out = Terminal()
    TurnPrinter(out, io.StringIO())(TextDelta("so far"))
    assert out.getvalue() == "so far"


def test_characters_that_drive_a_terminal_are_left_out_of_it_and_kept_in_a_pipe() -> None:
    # U-2
    evil = (TextDelta("a\x1b[2Jb\x9bc\r\n\td"), MessageCompleted("a\x1b[2Jb"))
    assert printed(*evil, out=Terminal()) == "a[2Jbc\n\td\n"
    assert printed(*evil, out=io.StringIO()) == "a\x1b[2Jb\n"


def test_calls_of_tools_are_noted_on_a_terminal_only() -> None:
    # U-2
    events = (
        ToolCalled("read_file", {"path": "rule://api-errors"}, "c1"),
        ToolReturned("read_file", "no rule\nnamed so", "c1", failed=True),
    )
    notes, pipe = Terminal(), io.StringIO()
    assert printed(*events, out=io.StringIO(), notes=notes) == ""
    assert notes.getvalue() == "▸ read_file rule://api-errors\n  read_file failed: no rule named so\n"
    printed(*events, out=io.StringIO(), notes=pipe)
    assert pipe.getvalue() == ""
