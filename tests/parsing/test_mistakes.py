"""The usual ways to break frontmatter and TOML: what is said names the cause and the cure, at the line that has it."""

from __future__ import annotations

import pytest
from tests.support import Project

RULE, CURSOR, COMMAND = ".xcsh/rules/a.md", ".cursor/rules/a.mdc", ".gemini/commands/a.toml"
CODES = (
    "frontmatter-repaired",
    "invalid-frontmatter",
    "frontmatter-not-mapping",
    "frontmatter-fence",
    "invalid-toml",
    "pattern-spelling",
)

FRONTMATTER = [
    # the lines of the block, the line of the file that is meant, words of the message and words of the hint
    ("description: Use when: adding", 2, "`description` is no YAML", "a colon with a space behind it ends a key"),
    ("globs: *.ts", 2, "read as the pattern it plainly is", 'globs: ["*.ts"]'),
    ('globs: "*.ts", "*.tsx"', 2, "`globs` is no YAML", 'globs: ["*.ts", "*.tsx"]'),
    ('globs: "*.ts",\nname: x', 2, "`globs` is no YAML", "take the comma at the end"),
    ('description: "House rules\nglobs: "*.ts"', 2, "`description` is no YAML", 'put a " at the end'),
    ("description: 'House rules\nalwaysApply: true", 2, "`description` is no YAML", "put a ' at the end"),
    ('globs: ["*.ts", "*.tsx"\ndescription: x', 2, "`globs` is no YAML", "put a `]` behind the last item"),
    ("name: x\nowner: {a\ndescription: x", 3, "`owner` is no YAML", "put a `}` behind the last item"),
    ('description: x\n\tglobs: "*.ts"', 3, "`globs` is indented by a tab", "begin the key at the start of its line"),
    ('\tglobs: "*.ts"', 2, "`globs` is indented by a tab", "begin the key at the start of its line"),
    ('globs:\n\t- "*.ts"\n\t- "*.tsx"', 3, "by a tab, which YAML does not allow", "with spaces"),
    (
        'description: x\n  globs: "*.ts"',
        3,
        "by spaces, so that it belongs to `description`",
        "at the start of its line",
    ),
    ('globs:\n\u00a0\u00a0- "*.ts"', 3, "no-break spaces", "ordinary spaces"),
    ('globs:\n- "*.ts"\n - "*.tsx"', 4, "indented otherwise than the one above", "indent both alike"),
    ('description:x\nglobs: "*.ts"', 2, "`description` has no space behind its colon", "write `description: x`"),
    ('globs = "*.ts"', 2, "holds no `key: value` line", 'write `globs: "*.ts"`'),
    ('description: x\nglobs = "*.ts"', 3, "`globs` has a `=` behind it", 'write `globs: "*.ts"`'),
    ("description: \u201cx: y\u201d", 2, "`description` is no YAML", "use straight quotes"),
    ('name: "a\\d"\ndescription: x', 2, "`name` is no YAML", "single quotes"),
    ('condition: "\\d+\\s"', 2, "the regular expression", "single quotes"),
    ('description: "Rules" for "us"', 2, "`description` is no YAML", "put the whole value in '"),
    ("description: @angular rules", 2, "`description` is no YAML", "a use of its own for `@`"),
    ("description: `a` and b", 2, "`description` is no YAML", "a use of its own for a backtick"),
    ('// for ts\nglobs: "*.ts"', 2, "`//` begins no comment", "`#`"),
    ('{"globs": "*.ts",}', 2, "holds no `key: value` line", "without braces"),
    ("- globs: *.ts\n- description: x", 2, "holds no `key: value` line", "take away the `- `"),
    ("description: x\nThis is for ts.", 3, "`This is for ts.` is no `key: value`", "below the closing `---`"),
    ("description: x\nfoo not read bar", 3, "each key is read on its own", "below the closing `---`"),
    (
        "description: |\n  Write globs = x here\n  globs = y\nfoo bar",
        5,
        "`foo bar` is no `key: value`",
        "`description`",
    ),
    ("name: x\nmetadata:\n  description: y\n  globs: a\nfoo bar", 6, "`foo bar` is no `key: value`", "`metadata`"),
    ('globs: [\n"a",\n"b"', 2, "`globs` is no YAML", "put a `]` behind the last item"),
    ("name: x\nmeta:\n  of: [a\n  globs: b", 4, "the `[` is not closed", "put a `]` behind the last item"),
    ('name: x\nmeta:\n  of: "a\n  globs: b', 4, "the quote that begins here is not closed", 'put a " at the end'),
    ('description: "a\n  b\nfoo', 2, "`description` is no YAML", 'put a " at the end'),
    ('globs: ["*.ts\u201d]', 2, "`globs` is no YAML", "use straight quotes: YAML takes \u201d"),
    ('globs:\n  - "*.ts\u201d', 3, "the quote that begins here is not closed", "use straight quotes"),
    ('globs: [\u201c*.ts"]', 2, 'a part of the pattern `\u201c*.ts"`', "use straight quotes"),
    ("globs: *it\u2019s.md", 2, "`globs` is no YAML", 'globs: ["*it\u2019s.md"]'),
    (
        "description: !foo",
        2,
        "`description` is read as text; YAML takes the `!` for the beginning of a tag",
        "in quotes",
    ),
    ("description: &foo bar", 2, "YAML takes the `&` for the beginning of an anchor", "in quotes"),
    ("description: a # b", 2, "YAML would cut it at ` #`", "in quotes"),
]
TOML = [
    ('prompt = "Review this\ndescription = "x"\n', 1, "`prompt` is not closed on its line", "close the quote"),
    ('prompt = "first\nsecond"\n', 1, "`prompt` is not closed on its line", 'prompt = """…"""'),
    ("prompt = 'abc\n", 1, "`prompt` is not closed on its line", "close the quote"),
    ('prompt = "abc', 1, "`prompt` is not closed on its line", "close the quote"),
    ('description = "x"\nprompt = """\nReview\n', 2, 'begins here with """ has no end', 'put """ behind it'),
    ('prompt = "find \\d+"\n', 1, "invalid escape", "double the backslash"),
    ('prompt = "C:\\new\\users"\n', 1, "invalid escape", "double the backslash"),
    ("prompt = Review this\n", 1, "`prompt` is a text without quotes", 'prompt = "…"'),
    ("prompt = \u201cReview\u201d\n", 1, "\u201c is no quote", "straight quotes"),
    ('prompt: "Review"\n', 1, "`prompt` has a `:` behind it", "write `prompt = …`"),
    ('prompt = "a"\nprompt = "b"\n', 2, "`prompt` is given twice", "remove one"),
    ("prompt = 'don't do it'\n", 1, "the ' in the text ends it", 'prompt = "…"'),
    ('prompt = "say "hi" now"\n', 1, 'the " in the text ends it', "'''…'''"),
    ('prompt = """a """b""" c"""\n', 1, '""" ends the text here', "between ''' and '''"),
    ('prompt = "x" description = "y"\n', 1, "two keys stand on one line", "a line of its own"),
    ('prompt = "x",\n', 1, "a comma stands behind the value of `prompt`", "take the comma away"),
    ("prompt = 'x'; # done\n", 1, "a semicolon stands behind the value of `prompt`", "take the semicolon away"),
    ('prompt = "x"\nflag = True\n', 2, "`True` is no value", "write true"),
    ("prompt =\n", 1, "`prompt` has no value", "give it one"),
    ('// review\nprompt = "x"\n', 1, "`//` begins no comment", "`#`"),
    ('[command\nprompt = "x"\n', 1, "a bracket is not closed", "the other half"),
    ('[command]\nprompt = "x"\n', 2, "in the table `[command]`", "above the first line in brackets"),
    ('prompt = ["a", "b"]\n', 1, "`prompt` that is no text", "one text"),
    ('description = "x"\n', 1, "has no `prompt`", "give it a key `prompt`"),
    ("---\ndescription: x\n---\nReview\n", 1, "begins with frontmatter", "`prompt = "),
    ("Review {{args}}\n", 1, "no `key = value`", "under a key"),
]


def said(project: Project, path: str, text: str) -> list[tuple[int, str, str]]:
    """Line, message and hint of every finding on how the file is written."""
    project.write({path: text})
    found = [item for item in project.discover().diagnostics if item.code in CODES]
    return [(item.position.line if item.position else 0, item.message, item.hint) for item in found]


#
@pytest.mark.parametrize(("lines", "line", "cause", "cure"), FRONTMATTER)
def test_a_broken_block_is_told_by_what_its_author_did(
    project: Project, lines: str, line: int, cause: str, cure: str
) -> None:
    ((place, message, hint),) = said(project, RULE, f"---\n{lines}\n---\nText.\n")
    assert (place, cause in message, cure in hint) == (line, True, True), (place, message, hint)


#
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("description:x\nglobs: *.ts", [(2, "no space behind its colon"), (3, "`globs` is no YAML")]),
        ("description: x\nbar baz\nglobs: *.ts", [(3, "`bar baz` is no"), (4, "`globs` is no YAML")]),
        ("description: x\nbar baz\nname: y\nglobs = z", [(3, "`bar baz` is no"), (5, "`globs` has a `=`")]),
    ],
)
def test_each_fault_of_a_block_is_told_once_and_at_its_own_line(
    project: Project, lines: str, told: list[tuple[int, str]]
) -> None:
    found = said(project, RULE, f"---\n{lines}\n---\nText.\n")
    assert [line for line, _, _ in found] == [line for line, _ in told]
    assert all(words in message for (_, message, _), (_, words) in zip(found, told, strict=True)), found


# C-40
@pytest.mark.parametrize(("text", "line", "cause", "cure"), TOML)
def test_a_broken_command_in_toml_is_told_by_what_its_author_did(
    project: Project, text: str, line: int, cause: str, cure: str
) -> None:
    ((place, message, hint),) = said(project, COMMAND, text)
    assert (place, cause in message, cure in hint) == (line, True, True), (place, message, hint)


# a pattern that its tool needs unquoted is in order there, one that is never closed is not
def test_what_no_tool_reads_so_is_a_warning_for_every_tool(project: Project) -> None:
    ((_, _, hint),) = said(project, CURSOR, "---\nglobs: *.ts\n---\nText.\n")
    assert hint.startswith("nothing to do")
    ((_, _, hint),) = said(project, CURSOR, '---\nglobs: ["*.ts"\n---\nText.\n')
    assert hint == "close the `[`: put a `]` behind the last item"


#
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('+++\nglobs = "*.ts"\n+++\nText.\n', "the frontmatter is TOML, between `+++`"),
        ("--\nglobs: x\n--\nText.\n", "between `--`, and not `---`"),
        ("--\nglobs: x\n--", "between `--`, and not `---`"),
    ],
)
def test_a_block_between_other_fences_is_told_and_widens_nothing(project: Project, text: str, cause: str) -> None:
    path = ".clinerules/a.md"  # always in force, where it has no block
    ((_, message, _),) = said(project, path, text)
    assert cause in message
    assert [entry.bucket for entry in project.discover().active] == ["inactive"]


#
@pytest.mark.parametrize("text", ["--\nText: x\n--\n", "+++\nText\n+++\n", "--\nglobs: x\n", "---\nText\n---\n"])
def test_lines_that_only_look_like_fences_are_text(project: Project, text: str) -> None:
    assert said(project, ".clinerules/a.md", text) == []
