"""The last lines of the screen: what is being done, what waits, and which keys count."""

from __future__ import annotations

import pytest

from xcsh.agent.events import RequestResent, TextDelta, ThinkingDelta, ToolCalled, ToolReturned, UsageReported
from xcsh.session.events import CompactionFailed, CompactionStarted, SessionEvent, TurnAborted, TurnStarted, Usage
from xcsh.tui.activity import Activity
from xcsh.tui.status_line import Shown, status_text
from xcsh.tui.waiting import waiting_lines

STARTED, ABORTED = TurnStarted(1, "go", "go"), TurnAborted(1, Usage())
CALLS = [ToolCalled(name, {}, name) for name in ("shell", "gr\x1bep")]


@pytest.mark.parametrize(
    ("events", "doing"),
    [
        ([], ""),
        ([STARTED], "waiting for the model"),
        ([STARTED, ThinkingDelta("a")], "thinking"),
        ([STARTED, ThinkingDelta("a"), TextDelta("b")], "writing"),
        ([STARTED, TextDelta("b"), UsageReported(1, 1, 1, None, 1, None)], "waiting for the model"),
        ([STARTED, RequestResent(1, 2.0, "busy")], "trying again"),
        ([STARTED, *CALLS], "running gr\\x1bep"),
        ([STARTED, *CALLS, ToolReturned("grep", "", "gr\x1bep", failed=False)], "running shell"),
        ([STARTED, *CALLS, ABORTED], ""),
        ([CompactionStarted(9)], "making the history shorter"),
        ([CompactionStarted(9), CompactionFailed("no")], ""),
        ([CompactionStarted(9), STARTED], "waiting for the model"),
    ],
)
def test_what_is_being_done_is_said_in_words(events: list[SessionEvent], doing: str) -> None:
    # S-20
    activity = Activity()
    for event in events:
        activity.add(event)
    assert activity.doing == doing


@pytest.mark.parametrize(
    ("shown", "width", "line"),
    [
        (Shown(), 78, "Enter send · Ctrl+J new line · F2 rules · Shift+Tab transcript · /help"),
        (Shown(), 30, "Enter send · Ctrl+J new line"),
        (Shown("writing", 2), 78, "● writing · Esc interrupt · Enter steer · Alt+Enter queue"),
        (Shown("running shell", 75, 2), 60, "● running shell 1 min 15 s · 2 waiting: F3 · Esc interrupt"),
        (Shown(waiting=1, below=True), 40, "1 waiting: F3 · ↓ more: PgDn"),
        (Shown("running shell", 75, 1, asks=True), 78, "● waiting for your answer · 1 waiting: F3"),
        (Shown(opening=True, waiting=2), 40, "opening … 2 to be sent · Enter send"),
    ],
)
def test_the_last_line_says_what_matters_most_first_and_cuts_nothing_in_two(
    shown: Shown, width: int, line: str
) -> None:
    # S-20, S-25
    assert status_text(shown, width) == line


def test_what_waits_is_a_line_each_and_of_many_texts_how_many_more() -> None:
    # S-25
    texts = [("first\nof [red]two\x1b", "after the turn"), ("x" * 90, "after the turn"), ("third", "later"), ("4", "5")]
    first, second, rest = waiting_lines(texts, 40)
    assert first == "⧗ first of [red]two\\x1b  after the turn"
    assert second == f"⧗ {'x' * 21}…  after the turn"
    assert rest == "  … 2 more: F3"
    assert len(waiting_lines(texts[:3], 40)) == 3
