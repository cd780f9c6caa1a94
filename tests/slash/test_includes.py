"""What is an include of a template, and which line a shell gets (C-42)."""

from __future__ import annotations

import subprocess
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xcsh.model.arguments import Includes
from xcsh.slash.includes import FILE, SHELL, included, mark_includes, put_in
from xcsh.slash.shell_line import Filled, refer


def found(source: str, style: str = Includes.MARKS) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in mark_includes(source, style, lambda _: []).includes]


# C-42: formats.md, the rows of Claude Code and opencode
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("!`git status`", [(SHELL, "git status")]),
        ("Branch: !`git branch`\n- !`pwd`.", [(SHELL, "git branch"), (SHELL, "pwd")]),
        ("No!`x` and `!x` and ! `x`", []),
        ("```!\ncd sub\nls\n```\nend", [(SHELL, "cd sub\nls")]),
        ("```!\nnever closed", []),
        ("```!\na\n```!\nb\n```", [(SHELL, "a\n```!\nb")]),
        ("```!\n```\n```!\n\n```", []),
        ("```sh\n!`x` @a.md\n```", [(SHELL, "x")]),
        ("See @a/b.md: then (@c.md), and @d.", [(FILE, "a/b.md"), (FILE, "c.md"), (FILE, "d")]),
        ('@"a b.md" @../x @~/y', [(FILE, "a b.md"), (FILE, "../x"), (FILE, "~/y")]),
        ("me@example.test, `@a.md`, \\@b.md, //@c", []),
        ("!`echo @a.md` @b.md", [(SHELL, "echo @a.md"), (FILE, "b.md")]),
        ("!{x} @{y}", []),
    ],
)
def test_the_marks_of_claude_code(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source) == expected


# C-42: formats.md, the row of Gemini CLI: braces must balance
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Use @{docs/x.md} and !{ls}", [(FILE, "docs/x.md"), (SHELL, "ls")]),
        ('!{echo {"a":{"b":1}}}', [(SHELL, 'echo {"a":{"b":1}}')]),
        ("!{never {closed}", []),
        ("!{} @{ } {x}", []),
        ("!`x` @y.md", []),
    ],
)
def test_the_braces_of_gemini_cli(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source, Includes.BRACES) == expected


# C-42
@given(st.text(alphabet=st.sampled_from("!`@{}$ \n\"'a.1\\")), st.sampled_from([Includes.MARKS, Includes.BRACES]))
@example("!`a` @a !`a`", Includes.MARKS)
def test_a_template_with_nothing_included_is_itself_again(source: str, style: str) -> None:
    marked = mark_includes(source, style, lambda _: [])
    assert put_in(marked.source, lambda number: marked.includes[number].literal) == source
    assert included(marked.source) == list(range(len(marked.includes)))


# C-42
def test_a_template_with_a_nul_has_no_includes() -> None:
    assert mark_includes("a\0000\0 !{x}", Includes.BRACES, lambda _: []).includes == ()


HOSTILE = {
    Includes.MARKS: ["```!\n", "```!\nx\n```\n", "!`", "!`a`\n", "@", '@"', "@a ", "```\n", "`@a"],
    Includes.BRACES: ["!{", "@{", "{", "!{a}", "}"],
}


# "Time and memory grow with the input, whatever the input"
@pytest.mark.parametrize(
    ("style", "unit"), [(style, unit) for style, units in HOSTILE.items() for unit in units], ids=repr
)
def test_no_template_makes_the_search_for_includes_stall(style: str, unit: str) -> None:
    source = unit * (200_000 // len(unit))
    before = time.process_time()
    marked = mark_includes(source, style, lambda _: [])
    assert len(marked.includes) <= 100
    assert time.process_time() - before < 10


LINES = [
    "printf %s X",
    'printf %s "X"',
    "printf %s 'X'",
    'printf %s "a$(printf %s "X")"',
    "printf %s \"$(printf %s 'X')\"",
    "(printf %s X)",
    'printf %s \\"X',
    'printf %s "it\'s X"',
    "printf %s 'a \"b'X",
    "cat <<E\nX\nE",
]


# C-42, SEC-01: "a shell does not read a variable's value as code"
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(LINES),
    st.text(alphabet=st.sampled_from("$(){}`;&|<>*?'\"\\ \n#~ab"), max_size=12).filter(str.strip),
)
@example(LINES[3], "'; touch pwned; '")
def test_a_value_is_never_code_wherever_its_placeholder_stands(line: str, value: str) -> None:
    at = line.index("X")
    text, values = refer(line, [Filled(at, at + 1, value)])
    assert text == refer(line, [Filled(at, at + 1, "another")])[0]
    done = subprocess.run(
        ["sh", "-c", text], env={"PATH": "/usr/bin:/bin", **dict(values)}, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""
    if line != LINES[-1]:
        assert value.rstrip("\n") in done.stdout.decode()
