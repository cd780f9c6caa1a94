"""Frontmatter: exactly the reference's reading, and the reading that authors meant."""

from __future__ import annotations

import pytest
from tests.support import USER_SETTINGS, Project, bucket_of, codes_of, diagnostic_of, entry_of

from xcsh.model.rule import Bucket

PATH = ".xcsh/rules/a.md"


#
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mark_and_foreign_line_ends_are_normalised_first(
    project: Project, mark: str, ends: str, *, reference: bool
) -> None:
    text = mark + "---\ndescription: D\nalwaysApply: true\n---\nOne.\n\nTwo.\n".replace("\n", ends)
    rule = entry_of(project({PATH: text}, reference=reference), "a").rule
    assert (rule.description, rule.always_apply, rule.content) == ("D", True, "One.\n\nTwo.")


#
@pytest.mark.parametrize(
    ("text", "description", "body"),
    [
        ("---\ndescription: D\n---\nBody.", "D", "Body."),
        ("---\ndescription: D\n---", "D", None),
        ("---\ndescription: D\n--- glued\nBody.", "D", "glued\nBody."),
        ("---\ndescription: D\n---# Title\nBody.", "D", "# Title\nBody."),
        ("---\ndescription: D\n-----\nBody.", "D", "--\nBody."),
        ("--- description: D\n---\nBody.", "D", "Body."),
        ("---xdescription: D\n---\nBody.", "D", "Body."),
        ("---\n---\nBody.", None, "Body."),
        ("---\ndescription: D\nBody.", None, "---\ndescription: D\nBody."),
        ("\n---\ndescription: D\n---\nBody.\n", None, "\n---\ndescription: D\n---\nBody.\n"),
        (" ---\ndescription: D\n---\nBody.", None, " ---\ndescription: D\n---\nBody."),
        ("description: D\n---\nBody.", None, "description: D\n---\nBody."),
        ("No block.\n", None, "No block.\n"),
        ("---\ndescription: D\n ---\nnote: x\n---\nBody.", "D ---", "Body."),
    ],
)
def test_the_reference_finds_the_block_at_the_very_start_and_closes_at_the_first_fence(
    project: Project, text: str, description: str | None, body: str | None
) -> None:
    registry = project({PATH: text}, reference=True)
    if body is None:
        assert registry.all == ()
        return
    rule = entry_of(registry, "a").rule
    assert (rule.description, rule.content) == (description, body)


#
@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\nname: x\n---\n\n \t\n  One.\n\n\tTwo.  \n\n \n", "One.\n\n\tTwo."),
        ("  One.\n\n\n", "  One.\n\n\n"),
        ("\n\nOne.", "\n\nOne."),
        ("---\nname: x\n---\n<!-- note -->\n@path and $1 {{x}}\n", "<!-- note -->\n@path and $1 {{x}}"),
    ],
)
def test_a_body_is_stripped_behind_a_block_and_left_alone_without_one(
    project: Project, text: str, body: str, *, reference: bool
) -> None:
    assert entry_of(project({PATH: text}, reference=reference), "a").rule.content == body


#
def test_the_reference_falls_back_to_lines_as_text(project: Project) -> None:
    text = (
        '---\nglobs: **/*.ts\ndescription: "quoted: x"\nalwaysApply: true\nargument-hint: no\nlist:\n  - a\n---\nBody.'
    )
    registry = project({PATH: text, ".cursor/rules/b.mdc": text}, reference=True)
    native, cursor = entry_of(registry, "a").rule, entry_of(registry, "b").rule
    assert (native.globs, native.description, native.always_apply) == (("**/*.ts",), '"quoted: x"', "true")
    assert cursor.always_apply is None
    assert bucket_of(registry, "b") == Bucket.RULEBOOK
    finding = diagnostic_of(registry, "invalid-frontmatter", "a.md")
    assert (finding.severity, finding.position) == ("warning", (2, 9))


#
@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: D", "D"),
        ("description:D", "D"),
        ("description:   D  ", "D"),
        (" description: D", None),
        ("des-cription: D", None),
        ("description : D", None),
        ("description:", ""),
        ("description: [a, b]", "[a, b]"),
        ("description: 'q'", "'q'"),
        ("description: D # c", "D # c"),
    ],
)
def test_the_line_fallback_takes_word_colon_text(project: Project, line: str, value: str | None) -> None:
    registry = project({PATH: f"---\nbroken: *x\n{line}\n---\nBody."}, reference=True)
    assert entry_of(registry, "a").rule.description == value


#
def test_sound_yaml_is_read_as_yaml_in_the_reference(project: Project) -> None:
    text = "---\ndescription: >-\n  Two\n  lines\nglobs:\n- a\n- 1\nalwaysApply: yes\n---\nBody."
    rule = entry_of(project({PATH: text}, reference=True), "a").rule
    assert (rule.description, rule.globs, rule.always_apply) == ("Two lines", ("a", 1), "yes")


# R-23 (off: a single string is one glob; a block that is no mapping is removed and gives no metadata)
def test_without_repair_a_string_is_one_glob_and_a_list_is_a_block(project: Project) -> None:
    tree = {PATH: "---\nglobs: a/**, b/**\n---\nBody.", ".xcsh/rules/b.md": "---\n- a\n- b\n---\nBody."}
    for registry in (project(tree, reference=True), project({**tree, USER_SETTINGS: "frontmatter.repair = false\n"})):
        assert entry_of(registry, "a").rule.globs == ("a/**, b/**",)
        assert entry_of(registry, "b").rule.content == "Body."


#
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("\n\n---\ndescription: D\n---\nBody.", ["frontmatter-not-first"]),
        ("<!-- c -->\n---\ndescription: D\n---\nBody.", ["frontmatter-not-first"]),
        ("// c\n---\ndescription: D\n---\nBody.", ["frontmatter-not-first"]),
        ("  ---\n  description: D\n  ---\nBody.", ["frontmatter-fence"]),
        ("---  \ndescription: D\n---\nBody.", ["frontmatter-fence"]),
        ("----\ndescription: D\n----\nBody.", ["frontmatter-fence"]),
        ("description: D\n---\nBody.", ["frontmatter-fence"]),
        ("---\ndescription: D\n---Body.", ["frontmatter-fence"]),
        ("---\n\ndescription: D\n\n---\nBody.", []),
        ("---\n# comment\ndescription: D\n---\nBody.", []),
    ],
)
def test_a_block_is_found_where_its_author_put_it_and_what_is_odd_is_reported(
    project: Project, text: str, codes: list[str]
) -> None:
    registry = project({PATH: text})
    rule = entry_of(registry, "a").rule
    assert (rule.description, rule.content) == ("D", "Body.")
    assert codes_of(registry) == codes


#
@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n---\n\ndescription: D\n",
        "Some prose.\ndescription: D\n---\nBody.\n",
        "Note: this is prose.\n\nMore prose.\n---\nBody.\n",
        "author: me\n---\nBody.\n",
        "---\n\nProse between two lines.\n\n---\nBody.\n",
    ],
)
def test_prose_is_never_taken_for_a_block(project: Project, text: str) -> None:
    registry = project({PATH: text})
    assert entry_of(registry, "a").rule.content == text


#
def test_a_block_that_is_no_mapping_is_kept_as_body(project: Project) -> None:
    text = "---\n- just\n- a list\n---\nBody."
    registry = project({PATH: text})
    assert entry_of(registry, "a").rule.content == text
    assert diagnostic_of(registry, "frontmatter-not-mapping").position == (2, 1)


#
@pytest.mark.parametrize(
    ("value", "description"),
    [
        ("Issue #12 and later", "Issue #12 and later"),
        ("Use when: adding", "Use when: adding"),
        ("[draft] Naming", "[draft] Naming"),
        ("{{name}} template", "{{name}} template"),
        ("*Important*", "*Important*"),
        ("@scope/kit", "@scope/kit"),
        ("%{HOST}", "%{HOST}"),
        ("!important", "!important"),
        ("> quoted", "> quoted"),
        ("'a # b'", "a # b"),
        ('"a: b"', "a: b"),
        ("2024-06-01", "2024-06-01"),
        ("1.2.3", "1.2.3"),
        ("yes", "yes"),
        ("42", 42),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ("~", None),
    ],
)
def test_a_one_line_description_is_the_text_that_stands_there_unless_it_is_wholly_another_value(
    project: Project, value: str, description: object
) -> None:
    rule = entry_of(project({PATH: f"---\ndescription: {value}\n---\nBody."}), "a").rule
    assert rule.description == description
    assert type(rule.description) is type(description)


#
@pytest.mark.parametrize(
    ("value", "globs"),
    [
        ("*.ts", ("*.ts",)),
        ("a, b", ("a", "b")),
        ("a,,b,", ("a", "b")),
        ("{a,b}/*.ts, c", ("{a,b}/*.ts", "c")),
        ("'a, b'", ("a", "b")),
        ("\u201ca\u201d, \u2018b\u2019", ("a", "b")),
        ("`a`, `b`", ("a", "b")),
        ("[a, 1, 'b']", ("a", 1, "b")),
        ("a # comment", ("a",)),
        ("a#b", ("a#b",)),
        ("src\\gui\\*.cs", ("src/gui/*.cs",)),
        ("app/\\[id\\]/*.ts", ("app/\\[id\\]/*.ts",)),
        ("a/** b/**", ("a/**", "b/**")),
        ("my docs/*.md", ("my docs/*.md",)),
        ("!a, b", ("!a", "b")),
        ("", ()),
        ("[]", ()),
        ("null", ()),
        ("7", (7,)),
        ("\n  - a\n  - **/b\n  - 'c, d'", ("a", "**/b", "c", "d")),
        ("\n- a\n# comment\n- b # comment", ("a", "b")),
        ("[\n  a,\n  b\n]", ("a", "b")),
        ("|\n  a\n  b", ("a", "b")),
    ],
)
def test_patterns_are_read_from_their_raw_text(project: Project, value: str, globs: tuple[object, ...]) -> None:
    assert entry_of(project({PATH: f"---\nglobs: {value}\n---\nBody."}), "a").rule.globs == globs


#
@pytest.mark.parametrize("word", ["true", "True", "TRUE", '"true"', "'True'", "yes", "on", "Yes", "true # keep"])
def test_a_boolean_is_read_by_word(project: Project, word: str) -> None:
    assert bucket_of(project({PATH: f"---\nalwaysApply: {word}\n---\nBody."}), "a") == Bucket.ALWAYS_APPLY


#
@pytest.mark.parametrize("word", ["false", "False", '"false"', "no", "off", "maybe", "1", "", "null"])
def test_what_is_no_word_for_true_is_not_true(project: Project, word: str) -> None:
    assert bucket_of(project({PATH: f"---\nalwaysApply: {word}\n---\nBody."}), "a") == Bucket.INACTIVE


# a hint never advises a spelling that the owning tool reads wrongly
def test_no_hint_tells_people_of_cursor_or_windsurf_to_quote_a_pattern(project: Project) -> None:
    text = "---\nglobs: **/*.ts\n---\nBody."
    registry = project({".cursor/rules/a.mdc": text, ".windsurf/rules/b.md": text, ".clinerules/c.md": text})
    hints = {item.provider: item.hint for item in registry.diagnostics if item.code == "frontmatter-repaired"}
    assert "quotes" not in hints["cursor"]
    assert "quotes" not in hints["windsurf"]
    assert "quotes" in hints["cline"]


#
@pytest.mark.parametrize(
    ("value", "condition"),
    [
        ('"\\bfoo\\b"', "\\bfoo\\b"),
        ("'\\bfoo\\b'", "\\bfoo\\b"),
        ("\\bfoo\\b", "\\bfoo\\b"),
        ('"a\\"b"', 'a"b'),
        ("[a-z]+", "[a-z]+"),
        (": any\\b", ": any\\b"),
    ],
)
def test_a_condition_is_the_expression_that_stands_there(project: Project, value: str, condition: str) -> None:
    rule = entry_of(project({PATH: f"---\ncondition: {value}\n---\nBody."}), "a").rule
    assert rule.condition == (condition,)
