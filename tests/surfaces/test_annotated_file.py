"""A file with its diagnostics in place."""

from __future__ import annotations

from tests.support import Project

from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.sources.excerpt import lines_of
from xcsh.surfaces.annotated_file import WHOLE, annotate
from xcsh.surfaces.layout import Style, columns

PLAIN = Style(colour=False, width=60)


def finding(line: int, column: int = 1, message: str = "odd", *, length: int = 1, hint: str = "") -> Diagnostic:
    return Diagnostic("x", "warning", message, "/f", Position(line, column), Position(line, column + length), hint)


def test_the_finding_stands_below_the_line_that_it_is_about(project: Project) -> None:
    # S-23
    path = ".xcsh/rules/no-any.md"
    registry = project({path: '---\ncondition: "(any"\n---\nNo any.\n'})
    item = next(item for item in registry.diagnostics if item.position)
    lines = annotate(lines_of(str(project.path(path))), [item], PLAIN)
    assert item.position is not None
    at = lines.index('2 │ condition: "(any"')
    assert item.position.line == 2
    assert lines[at + 1].index("^") == 4 + item.position.column - 1
    assert lines[at + 2].lstrip().startswith(f"{item.severity}: ")
    assert lines[-2:] == ["4 │ No any.", "5 │"]


def test_what_has_no_place_comes_first_and_two_at_one_place_share_the_mark() -> None:
    # S-23
    whole = Diagnostic("x", "error", "the file is odd", "/f")
    lines = annotate(
        ["abc", "def"], [finding(1, 2), finding(1, 2, "and more", hint="mend it"), whole, finding(9)], PLAIN
    )
    assert lines == [
        "error: the file is odd",
        "warning: odd",
        "1 │ abc",
        "  │  ^",
        "    warning: and more",
        "      hint: mend it",
        "    warning: odd",
        "2 │ def",
    ]


def test_of_a_long_file_the_beginning_and_what_is_around_the_findings_is_shown() -> None:
    # S-23
    text = [f"line {number}" for number in range(1, 100_001)]
    lines = annotate(text, [finding(50_000)], PLAIN)
    assert len(lines) < WHOLE
    assert "     ⋮ 49,936 lines left out" in lines
    assert " 50000 │ line 50000" in lines
    assert lines[-1] == "     ⋮ 49,997 lines left out"
    assert len(annotate(text, [finding(number) for number in range(1, 90_000)], PLAIN)) < 2 * WHOLE


def test_nothing_is_wider_than_the_pane_and_nothing_moves_the_cursor() -> None:
    # S-23
    text = ["x" * 100_000 + "\x1b[2Jhere" + "y" * 100_000, "\t[b]\r"]
    lines = annotate(text, [finding(1, 100_001, length=4)], PLAIN)
    assert all(line.isprintable() for line in lines)
    assert max(map(columns, lines)) <= PLAIN.width
    shown = next(line for line in lines if line.startswith("1 │"))
    start = next(line for line in lines if "^" in line).index("^")
    assert shown[start:].startswith("\\x1b[2J")
