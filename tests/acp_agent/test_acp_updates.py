"""What a session tells of changes of files, as the protocol's diffs."""

from __future__ import annotations

from typing import Any

from xcsh.acp.updates import Updates
from xcsh.agent.changes.file_diff import file_diff
from xcsh.agent.events import FileChanged, ToolReturned


def changed(path: str, before: str, after: str) -> FileChanged:
    diff = file_diff(before.encode(), after.encode())
    return FileChanged(path, "edit", diff.added, diff.removed, diff.text, diff.left, "c1")


def last(updates: Updates, *events: FileChanged) -> Any:
    return [each for event in events for each in updates.of(event)][-1]


def test_each_hunk_stands_in_the_file_as_it_was_and_as_it_is() -> None:
    lines = [f"line {number}" for number in range(60)]
    before = "\n".join(lines)
    after = before.replace("line 10\n", "").replace("line 40\n", "forty\nmore\n")
    update = last(Updates("/p"), changed("a.txt", before, after))
    assert len(update.content) == 2
    for hunk, place in zip(update.content, update.locations, strict=True):
        assert hunk.old_text in before
        assert after.split("\n")[place.line - 1 :][: hunk.new_text.count("\n") + 1] == hunk.new_text.split("\n")


def test_a_file_that_is_new_has_no_text_from_before() -> None:
    update = last(Updates("/p"), changed("a.txt", "", "one\ntwo\n"))
    assert [(each.path, each.old_text, each.new_text) for each in update.content] == [("/p/a.txt", None, "one\ntwo")]


def test_a_call_that_changes_two_files_shows_both_and_goes_on_showing_them_when_it_returns() -> None:
    updates = Updates("/p")
    update = last(updates, changed("a.txt", "1\n", "2\n"), changed("b.txt", "3\n", "4\n"))
    assert [each.path for each in update.content] == ["/p/a.txt", "/p/b.txt"]
    [returned] = updates.of(ToolReturned("edit_file", "done", "c1", failed=False))
    assert returned.content is None  # else it would take the place of the diffs
    assert returned.raw_output == {"content": "done"}


def test_what_is_not_shown_of_a_long_change_is_counted() -> None:
    update = last(Updates("/p"), changed("a.txt", "", "x\n" * 1000))
    assert update.content[0].new_text.count("x") == 399
    assert update.content[1].content.text == "601 more lines of the change of a.txt are not shown"
