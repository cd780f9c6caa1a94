"""How a turn is shown on a terminal and in a pipe."""

from __future__ import annotations

import io
from typing import Any

from xcsh.agent.events import (
    MessageCompleted,
    MessageRetracted,
    RulesAttached,
    RulesTriggered,
    TextDelta,
    ToolCalled,
    ToolReturned,
)
from xcsh.cli.turn_printer import TurnPrinter


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


def test_attached_rules_are_noted_on_a_terminal_only() -> None:
    # R-54, U-2
    attached = RulesAttached(("react", "money\x1b[2J"), ("a.md", "b.md"), "src/Cart.tsx", held_back=False)
    waiting = RulesAttached(("react",), ("a.md",), "src/Cart.tsx", held_back=True)
    notes, pipe = Terminal(), io.StringIO()
    assert printed(attached, waiting, out=io.StringIO(), notes=notes) == ""
    assert notes.getvalue() == (
        "📎 react, money[2J attached (src/Cart.tsx)\n"
        "📎 react attached (src/Cart.tsx); the change waits for the model to read it\n"
    )
    printed(attached, waiting, out=io.StringIO(), notes=pipe)
    assert pipe.getvalue() == ""


STOPPED = RulesTriggered(("no-any",), (".xcsh/rules/no-any.md",), kept=False, written_tokens=8, texts=(": any",))


def test_a_rule_that_stops_the_answer_is_named_under_the_text_that_it_takes_back() -> None:
    # S-15, T-8
    events = (TextDelta("const a: an"), MessageRetracted(), STOPPED, TextDelta("const a: A"))
    assert printed(*events, MessageCompleted("const a: A"), out=Terminal()) == (
        "const a: an\n⚡ stopped by no-any (.xcsh/rules/no-any.md) at `: any`; taken back, retrying\n\nconst a: A\n"
    )


def test_off_a_terminal_a_rule_that_stops_the_answer_is_named_on_standard_error() -> None:
    # S-15, T-8
    out, notes = io.StringIO(), io.StringIO()
    events = (TextDelta("const a: an"), MessageRetracted(), STOPPED, TextDelta("A"), MessageCompleted("A"))
    assert printed(*events, out=out, notes=notes) == "A\n"
    assert notes.getvalue().startswith("⚡ stopped by no-any (.xcsh/rules/no-any.md) at `: any`; taken back, ")


def test_text_that_stays_is_not_said_to_be_taken_back() -> None:
    # S-15, T-9
    notes = io.StringIO()
    events = (TextDelta("so far"), MessageCompleted("so far"), STOPPED._replace(kept=True), MessageCompleted("b"))
    assert printed(*events, out=io.StringIO(), notes=notes) == "so far\n\nb\n"
    assert "taken back" not in notes.getvalue()
