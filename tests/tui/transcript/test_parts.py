"""The parts of a transcript that know no screen: heights, wording, diffs, earlier turns; the gauge and the branch."""

from __future__ import annotations

import random
from pathlib import Path

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from xcsh.agent.events import FileChanged, UsageReported
from xcsh.guard.injection import injection
from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.model.rule import Rule
from xcsh.model.source import Level, Origin
from xcsh.session.events import CompactionCompleted, SessionNotSaved, TurnCompleted, TurnStarted, Usage
from xcsh.session.store.transcript import turns_of
from xcsh.surfaces.attached_rules import blocks, opened
from xcsh.tui.gauge import Gauge
from xcsh.tui.status import branch_of, full_path, heading_line
from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.diff_lines import diff_lines
from xcsh.tui.transcript.entries import Called, Note, RuleAt
from xcsh.tui.transcript.history import MOST_TURNS, entries_of
from xcsh.tui.transcript.painter import Painter
from xcsh.tui.transcript.wording import call_line, counted, findings, note_of


def test_a_column_finds_the_entry_at_each_line_whatever_is_done_to_it() -> None:
    # S-14
    chance = random.Random(7)
    column = Column()
    for _ in range(400):
        what = chance.random()
        at = chance.randrange(len(column) + 1)
        if what < 0.6 or not len(column):
            notes = [Note(str(chance.random())) for _ in range(chance.randrange(3))]
            for note in notes:
                note.height = chance.randrange(4)
            column.insert(at, notes)
        elif what < 0.8:
            column.remove(at, at + 1)
        elif at < len(column):
            column.entries[at].height = chance.randrange(5)
            column.touch(at)
        lines = [(index, line) for index, entry in enumerate(column) for line in range(entry.height)]
        assert column.height == len(lines)
        some = range(0, len(lines), 7)
        assert [column.at(line) for line in some] == [lines[line] for line in some]
        assert column.at(len(lines)) == (len(column), 0)


def test_a_huge_diff_says_how_much_is_left_and_no_text_says_so() -> None:
    # S-14
    painter = Painter(60, {})
    change = FileChanged("src/a.ts", "edit", 900, 1, "@@ -1,2 +10,2 @@\n a\n-b\n+" + "c" * 80, 700, "c1")
    lines = [strip.text for strip in diff_lines(change, painter)]
    assert lines[:3] == ["  src/a.ts:10", "    a", "  − b"]
    assert lines[3].startswith("  + ccc")
    assert lines[4].startswith("    ccc")
    assert lines[-1] == "  … 700 more lines of this diff: src/a.ts"
    binary = FileChanged("a.png", "write", None, None, "", 0, "c1")
    assert [strip.text for strip in diff_lines(binary, painter)] == ["  a.png changed; there are no lines to show"]


def test_a_call_is_one_line_and_its_result_is_bounded() -> None:
    # S-14
    assert call_line("edit_file", {"path": "a.ts", "old_text": "x\n" * 99, "new_text": ""}) == "edit a.ts"
    assert call_line("shell", {"command": "git\nstatus"}) == "shell git status"
    assert len(call_line("shell", {"command": "x" * 999})) == 160
    call = Called("read a.ts", "read_file", "c1")
    call.result, call.unfolded = "\n".join(map(str, range(1_000))), True
    lines = [strip.text for strip in call.paint(Painter(60, {}))]
    assert len(lines) == 202
    assert lines[-1] == "  … 800 more lines; the model was given all of them"


def test_findings_are_counted_at_the_start_and_named_with_their_place_later() -> None:
    #
    found = [Diagnostic("c", severity, "It is wrong.", "/w/a.md", Position(3, 1)) for severity in ("warning",) * 3]
    found.append(Diagnostic("c", "error", "It is wrong.", "/w/a.md"))
    note = counted(found)
    assert note is not None
    assert note.text == "1 error, 3 warnings in rule files: /doctor"
    quiet = counted([found[0]._replace(severity="information")])
    assert quiet is not None
    assert quiet.text == "1 note in rule files: /doctor"
    assert counted([]) is None
    assert findings(found)[0] == "warning: It is wrong. (/w/a.md:3)"
    assert findings(found * 3)[-1] == "7 more findings: /doctor"


def test_an_error_is_shown_with_what_to_do() -> None:
    # U-5
    wrong = Diagnostic("c", "error", "It is wrong.", "/w/a.md", hint="mend it")
    assert findings([wrong, wrong._replace(severity="warning")]) == [
        "error: It is wrong. (/w/a.md)\n  mend it", "warning: It is wrong. (/w/a.md)"
    ]  # fmt: skip


def test_a_session_that_is_not_saved_says_so_with_what_to_do() -> None:
    # S-13
    note = note_of(SessionNotSaved("the disk is full", "free some space"))
    assert note is not None
    assert note.plain == "✗ the disk is full\nfree some space"


def test_earlier_turns_are_shown_and_those_before_them_are_counted() -> None:
    # S-13
    messages: list[ModelMessage] = []
    for at in range(MOST_TURNS + 5):
        call = ToolCallPart("read_file", {"path": "a.ts"}, tool_call_id=f"c{at}")
        messages += [
            ModelRequest([UserPromptPart(f"question {at}")]),
            ModelResponse([ThinkingPart("I think."), call]),
            ModelRequest([ToolReturnPart("read_file", "let a", tool_call_id=f"c{at}")]),
            ModelResponse([TextPart(f"answer {at}\n\nmore")]),
        ]
    shown = [entry.plain for entry in entries_of(messages)]
    assert shown[:6] == [
        "… 5 earlier turns: /export",
        "you  question 5",
        "▸ thought for ~2 tokens",
        "▸ read a.ts",
        "answer 5",
        "more",
    ]
    assert shown[-1] == "more"
    huge = [ModelRequest([UserPromptPart("x" * 300_000)]), ModelResponse([TextPart("y")])] * 3
    assert entries_of(huge)[0].plain == "… 2 earlier turns: /export"


def test_what_xcsh_told_is_shown_again_as_the_notice_that_it_was() -> None:
    # S-13, S-14: an interrupt, attached rules with the call that waited for them, and what the edit did
    origin = Origin("native", "xcsh", Level.PROJECT, "/w/.xcsh/rules/no-any.md")
    rule = Rule("no-any", "Never any.", origin)
    edit = {"path": "a.ts", "old_text": "a", "new_text": "b"}
    messages: list[ModelMessage] = [
        ModelRequest([UserPromptPart("go"), UserPromptPart(injection([rule], "/w"))]),
        ModelResponse([ToolCallPart("edit_file", edit, tool_call_id="c1")]),
        ModelRequest(
            [
                ToolReturnPart("edit_file", "Nothing was changed yet", tool_call_id="c1", outcome="failed"),
                UserPromptPart(opened(blocks([rule], "a.ts", "/w"))),
            ]
        ),
        ModelResponse([ToolCallPart("edit_file", edit, tool_call_id="c1")]),
        ModelRequest([ToolReturnPart("edit_file", "Done.", tool_call_id="c1")]),
        ModelResponse([TextPart("done")]),
        ModelRequest([UserPromptPart("thanks")]),
    ]
    change = FileChanged("a.ts", "edit", 11, 0, "@@ -1,1 +1,1 @@\n-a\n+b", 0, "c1")
    entries = entries_of(messages, [change])
    assert [entry.plain for entry in entries] == [
        "you  go",
        "⚡ stopped by no-any (.xcsh/rules/no-any.md); retrying with the rule",
        "▸ edit a.ts  held back",
        "📎 no-any attached (a.ts); the change waits until the model has read it",
        "▸ edit a.ts  +11 −0",
        "done",
        "you  thanks",
    ]
    assert entries[1].rules == [RuleAt("no-any", ".xcsh/rules/no-any.md")]
    assert len(turns_of(messages)) == 2


def used(tokens: int, cost: float | None, window: int | None = 1_000) -> UsageReported:
    return UsageReported(1, tokens - 10, 10, cost, tokens, window)


def test_the_gauge_adds_up_turns_and_never_says_a_price_that_it_does_not_know() -> None:
    # S-14
    gauge = Gauge()
    assert gauge.text == ""
    gauge.add(TurnStarted(1, "a", "a"))
    gauge.add(used(100, 0.002))
    assert gauge.text == "10 % context · 100 tokens · <$0.01"
    gauge.add(used(180, 0.05))
    gauge.add(TurnCompleted(1, "b", Usage(2, 170, 10)))
    gauge.add(TurnStarted(2, "a", "a"))
    gauge.add(used(20_000, 0.10))
    assert gauge.text == "100 % context · 20k tokens · $0.15"
    gauge.add(CompactionCompleted(20_000, 250))
    assert gauge.text.startswith("25 % context")
    gauge.add(TurnCompleted(2, "b", Usage()))
    gauge.add(used(1_000_000, None, None))
    assert gauge.text == "1.0M tokens"
    gauge.add(TurnCompleted(3, "b", Usage()))
    gauge.add(used(10, 1.0))
    assert "$" not in gauge.text
    assert "$" not in Gauge(UsageReported(3, 100, 10, None, 50, None)).text


def test_the_heading_holds_80_columns_and_its_gauge_is_at_the_end() -> None:
    # S-20
    assert heading_line("xcsh ─ ~/shop", "10 % context", 40) == "xcsh ─ ~/shop ───────────── 10 % context"
    long = heading_line("xcsh ─ " + "folder/" * 20, "10 % context · 100 tokens", 80)
    assert len(long) == 80
    assert long.endswith("… 10 % context · 100 tokens")
    assert heading_line("x\x1b[2J", "", 80) == "x\\x1b[2J"


def test_the_branch_is_read_from_files_alone(tmp_path: Path) -> None:
    # S-22
    assert branch_of(str(tmp_path)) == ""
    git = tmp_path / ".git"
    git.mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert branch_of(str(inner)) == ""
    (git / "HEAD").write_text("ref: refs/heads/feature/x\n", "utf-8")
    assert branch_of(str(inner)) == "feature/x"
    (git / "HEAD").write_text("0123456789abcdef\n", "utf-8")
    assert branch_of(str(inner)) == "0123456"
    linked = tmp_path / "tree"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: ../.git\n", "utf-8")
    assert branch_of(str(linked)) == "0123456"


def test_a_place_is_found_from_the_folder_of_the_session_or_of_the_user() -> None:
    # S-23
    assert full_path("src/a.ts", "/w", "/h") == "/w/src/a.ts"
    assert full_path("~/a.md", "/w", "/h") == "/h/a.md"
    assert full_path("/x/a.md", "/w", "/h") == "/x/a.md"
