"""The diff of a change: bounded in length and time, with counts of all of it, and lines as the file has them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xcsh.agent.changes.file_diff import MOST_LINES, FileDiff, file_diff

LINES = st.lists(st.sampled_from(["a", "b", "", "ü", "@@", "--- x", "+y"]), max_size=30)


def applied(before: str, diff: FileDiff) -> str:
    """What the hunks make of a text, taken literally."""
    old = before.split("\n")[:-1] if before.endswith("\n") else before.split("\n") if before else []
    new: list[str] = []
    at = 0
    for line in diff.text.split("\n") if diff.text else []:
        if line.startswith("@@ -"):
            start, length = line.split()[1][1:].split(",")
            begin = int(start) - (int(length) > 0)
            new += old[at:begin]
            at = begin
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            at += 1
            new += [line[1:]] if line.startswith(" ") else []
    return "\n".join([*new, *old[at:]])


@given(LINES, LINES)
def test_a_diff_makes_the_one_text_of_the_other_and_counts_its_lines(before: list[str], after: list[str]) -> None:
    # S-14
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    diff = file_diff(old.encode(), new.encode())
    assert diff.left == 0
    assert applied(old, diff) == "\n".join(after)
    assert diff.added is not None
    assert diff.removed is not None
    assert len(before) + diff.added - diff.removed == len(after)


def test_lines_far_from_the_start_keep_their_numbers() -> None:
    # S-14
    old = [f"line {at}" for at in range(1, 5_001)]
    new = [*old[:3_999], "changed", *old[4_000:]]
    diff = file_diff("\n".join(old).encode(), "\n".join(new).encode())
    assert diff.text.startswith("@@ -3997,7 +3997,7 @@\n line 3997")
    assert (diff.added, diff.removed) == (1, 1)


def test_a_huge_change_is_cut_and_what_is_left_is_counted() -> None:
    # S-14: also where comparing line by line would take minutes
    old, new = (b"".join(b"%d %d\n" % (at * 7919 % 97, side) for at in range(20_000)) for side in (1, 2))
    diff = file_diff(old, new)
    assert (diff.added, diff.removed) == (20_000, 20_000)
    assert len(diff.text.split("\n")) == MOST_LINES
    assert diff.left == 40_001 - MOST_LINES


def test_what_is_no_text_has_no_diff_and_no_counts() -> None:
    # S-14
    assert file_diff(b"\xff\xfe", b"x") == FileDiff("", None, None)
    assert file_diff(b"x", b"\0") == FileDiff("", None, None)
