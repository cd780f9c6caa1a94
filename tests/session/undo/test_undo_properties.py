"""What holds of undo whatever was written: nothing of the user's goes, and the rest is as it was."""

from __future__ import annotations

import tempfile
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.session.undo.journals import Journal, change, tree

from xcsh.session.undo.line_merge import differences, merge
from xcsh.session.undo.taking_back import undo_last

NAMES = ("a", "b", "dir/c")
BYTES = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from([b"x\n", b"y\n", b"z\r\n", b"\n", b"}\n", b"end"]), max_size=12).map(b"".join),
)
MINE = st.integers(0, 10**6).map(lambda number: b"user %d\n" % number)


class Write:
    """The agent writes a file."""

    def __init__(self, name: str, content: bytes, turn: int) -> None:
        self.name, self.content, self.turn = name, content, turn

    def __repr__(self) -> str:
        return f"Write({self.name!r}, {self.content!r}, {self.turn})"


class Insert:
    """The user puts a line into a file, at a place that is a share of its length."""

    def __init__(self, name: str, line: bytes, share: float) -> None:
        self.name, self.line, self.share = name, line, share

    def __repr__(self) -> str:
        return f"Insert({self.name!r}, {self.line!r}, {self.share})"


STEPS = st.lists(
    st.one_of(
        st.builds(Write, st.sampled_from(NAMES), BYTES, st.integers(1, 3)),
        st.builds(Insert, st.sampled_from(NAMES), MINE, st.floats(0, 1)),
    ),
    max_size=10,
)


class Story:
    """A folder, what the agent and the user did in it, and which lines of the user's are there to be kept."""

    def __init__(self, base: Path, first: dict[str, bytes]) -> None:
        self.work = base / "work"
        (self.work / "dir").mkdir(parents=True)
        for name, content in first.items():
            (self.work / name).write_bytes(content)
        self.before = tree(self.work)
        self.journal = Journal(base / "journal", sync=False)
        self.added: dict[str, set[bytes]] = {}
        self.turn = 0

    def write(self, step: Write, *, confirm: bool) -> None:
        self.turn = max(self.turn, step.turn)  # turns follow each other
        change(self.journal, self.work, step.name, step.content, f"t{self.turn}", confirm=confirm)

    def insert(self, step: Insert) -> None:
        path = self.work / step.name
        if path.exists():
            lines = path.read_bytes().split(b"\n")
            at = round(step.share * (len(lines) - 1))
            rest = b"\n".join(lines[at:])
            path.write_bytes(b"".join(line + b"\n" for line in lines[:at]) + step.line + rest)
            self.added.setdefault(step.name, set()).add(step.line)

    def undo_all(self) -> None:
        while (report := undo_last(self.journal.notes, str(self.work), self.journal.keeper)) is not None:
            assert report.ended


@given(first=st.dictionaries(st.sampled_from(NAMES), BYTES), steps=STEPS, finish=st.booleans())
@settings(max_examples=60)
def test_untouched_files_are_as_before_and_touched_ones_keep_every_line_of_the_user(
    first: dict[str, bytes], steps: list[Write | Insert], *, finish: bool
) -> None:
    # "after undo, files the user did not touch equal their before-images byte for byte, and files the user touched
    # contain every line that the user added"
    with tempfile.TemporaryDirectory() as base:
        story = Story(Path(base), first)
        for number, step in enumerate(steps):
            if isinstance(step, Write):
                story.write(step, confirm=finish or number < len(steps) - 1)
            else:
                story.insert(step)
        there = tree(story.work)
        story.undo_all()
        now = tree(story.work)
        for name in NAMES:
            if name not in story.added:
                assert now.get(name) == story.before.get(name), name
                continue
            for line in story.added[name]:
                # A line that the agent wrote over comes back where the change that took it can be taken back.
                assert line not in (there[name] or b"") or line in (now[name] or b""), name


TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\r\n", b"\n"]), max_size=15)
ENDS = st.sampled_from([b"", b"end"])


@example([b"a\n", b"b\n"], b"end", [b"b\n", b"b\n", b"a\n", b"b\n"], b"end", [b"b\n", b"b\n", b"a\n"], b"")
@given(TEXT, ENDS, TEXT, ENDS, TEXT, ENDS)
def test_a_merge_has_every_line_that_one_side_added(
    base: list[bytes], end: bytes, ours: list[bytes], our_end: bytes, theirs: list[bytes], their_end: bytes
) -> None:
    one, two, three = (b"".join(lines) + last for lines, last in ((base, end), (ours, our_end), (theirs, their_end)))
    merged = merge(one, two, three)
    if merged is not None:
        mine, found = (Counter(content.splitlines(keepends=True)) for content in (two, merged))
        taken = _taken_away(one.splitlines(keepends=True), three.splitlines(keepends=True))
        for line, count in mine.items():
            # Of each line as many as were added, and as the other side did not take away.
            assert found[line] >= count - taken[line]


def _taken_away(old: list[bytes], new: list[bytes]) -> Counter[bytes]:
    """How often each line was removed; one that was also added elsewhere counts."""
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return Counter(line for tag, start, end, _, _ in steps if tag in ("delete", "replace") for line in old[start:end])


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_merge_with_one_side_unchanged_is_the_other_side(base: bytes, other: bytes) -> None:
    if b"\0" not in base + other:
        assert merge(base, base, other) == other
        assert merge(base, other, base) == other
        assert merge(base, other, other) == other
    assert isinstance(differences(base, other), str)


def test_texts_that_are_large_and_different_all_over_are_not_merged() -> None:
    base = b"".join(b"%d\n" % number for number in range(100_000))
    ours = b"".join(b"%d\n" % -number for number in range(1, 100_000))
    assert merge(base, ours, base + b"more\n") is None
    assert "became" in differences(base, ours)
    assert merge(base, base + b"more\n", b"new\n" + base) == b"new\n" + base + b"more\n"
