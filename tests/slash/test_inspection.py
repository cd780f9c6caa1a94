"""What is said of a template that is probably not meant as it stands."""

from __future__ import annotations

import pytest
from tests.support import Project, codes_of

from xcsh.slash.inspection import inspect_template


def notes(source: str) -> list[tuple[str, str]]:
    return [(note.code, source[note.offset : note.offset + note.length]) for note in inspect_template(source)]


# C-24
@pytest.mark.parametrize(
    ("source", "unclosed"),
    [
        ("{{#if args}}", ["{{#if args}}"]),
        ("a {{ #each args }} b", ["{{ #each args }}"]),
        ("{{#if args}}{{#each args}}{{/if}}", ["{{#each args}}"]),
        ("{{#if args}}{{/each}}", ["{{#if args}}"]),
        ("{{#if args}}{{/if}}", []),
        ("{{#if name}}", []),
        ("{{/if}}", []),
        ("{{else}}", []),
        ("", []),
    ],
)
def test_a_known_block_that_never_closes_is_noted(source: str, unclosed: list[str]) -> None:
    assert notes(source) == [("unclosed-block", text) for text in unclosed]


def test_a_block_that_is_literal_for_its_depth_is_noted_as_such() -> None:
    (note,) = inspect_template("{{#each args}}{{#each args}}{{/each}}{{/each}}")
    assert (note.code, note.offset) == ("unclosed-block", 14)
    assert "in a loop" in note.message
    assert "never closes" not in note.message
    deep = inspect_template("{{#if args}}" * 100 + "{{/if}}" * 100)
    assert len(deep) == 36


# C-27
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("`$1`", [("placeholder-in-code", "$1")]),
        ("``` \n$ARGUMENTS\n```\n$2", [("placeholder-in-code", "$ARGUMENTS")]),
        ("~~~\n$@[2:1]\n~~~\n", [("placeholder-in-code", "$@[2:1]")]),
        ("````\n```\n$1\n```\n````\n$2", [("placeholder-in-code", "$1")]),
        ("```\n$1", [("placeholder-in-code", "$1")]),
        ("  ```sh\nawk '{print $3}'\n  ```", [("placeholder-in-code", "$3")]),
        ("`a` $1 `b`", []),
        ("`a\n$1`", []),
        ("``$1``", []),
        ("`a``$1`", []),
        ("a `b` $1 `c $2`", [("placeholder-in-code", "$2")]),
        ("`\\$1`", []),
        ("`$0 $HOME ${1}`", []),
        ("$12.50", [("amount-placeholder", "$12")]),
        ("$1,000", [("amount-placeholder", "$1")]),
        ("`$1.50`", [("amount-placeholder", "$1")]),
        ("See $1. Then $2, and", []),
        ("\\$12.50", []),
        ("$0.99", []),
    ],
)
def test_placeholders_in_code_and_amounts_are_noted(source: str, expected: list[tuple[str, str]]) -> None:
    assert notes(source) == expected


def test_notes_come_in_the_order_of_the_text() -> None:
    source = "{{#if args}} `$1` $2.50 {{#each args}}"
    assert [code for code, _ in notes(source)] == [
        "unclosed-block",
        "placeholder-in-code",
        "amount-placeholder",
        "unclosed-block",
    ]


# C-24, C-27: the text is what discovery reports, and the same findings come with an expansion
def test_an_ordinary_template_has_no_notes(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/a.md": "Review $1 with {{args}}.\n\n```sh\nls\n```\n"}, reference=reference)
    assert codes_of(registry) == []
