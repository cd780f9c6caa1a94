"""What a template becomes: placeholders, blocks, and everything that is left as it stands."""

from __future__ import annotations

import pytest
from tests.slash.found import expanded
from tests.support import USER_SETTINGS, Project

from xcsh.slash.template import expand_template

ARGS = ("one", "two words", "3")


def fill(source: str, *args: str, append: bool = False, escapes: bool = True) -> str:
    return expand_template(source, args, " ".join(args), append=append, escapes=escapes)


# C-23
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("$1|$2|$3|$4", "one|two words|3|"),
        ("$1$2", "onetwo words"),
        ("$10", ""),
        ("$1x", "onex"),
        ("$01", "one"),
        ("$0", "$0"),
        ("$00", "$00"),
        ("$99999999999999999999999", ""),
        ("$ARGUMENTS", "one two words 3"),
        ("$ARGUMENTSX", "one two words 3X"),
        ("$arguments $ARG $Arguments", "$arguments $ARG $Arguments"),
        ("$@", "one two words 3"),
        ("x$@y", "xone two words 3y"),
        ("$@[1]", "one two words 3"),
        ("$@[2]", "two words 3"),
        ("$@[4]", ""),
        ("$@[0]", ""),
        ("$@[1:1]", "one"),
        ("$@[2:1]", "two words"),
        ("$@[2:9]", "two words 3"),
        ("$@[2:0]", ""),
        ("$@[0:2]", ""),
        ("$@[99999999999999999999:1]", ""),
        ("$@[1:99999999999999999999]", "one two words 3"),
        ("$@[]", "one two words 3[]"),
        ("$@[-1]", "one two words 3[-1]"),
        ("$@[1:]", "one two words 3[1:]"),
        ("$@[:2]", "one two words 3[:2]"),
        ("$@[a]", "one two words 3[a]"),
        ("$@[1", "one two words 3[1"),
        ("$@[1:2", "one two words 3[1:2"),
        ("$ARGUMENTS[1]", "one two words 3[1]"),
        ("$$", "$$"),
        ("$$1", "$one"),
        ("${1}", "${1}"),
        ("$-1", "$-1"),
        ("$", "$"),
        ("$\u0661", "$\u0661"),
    ],
)
def test_dollar_placeholders_stand_for_arguments(source: str, text: str) -> None:
    assert fill(source, *ARGS) == text
    assert fill("{{#if args}}" + source + "{{/if}}", *ARGS) == text


# C-23
@pytest.mark.parametrize(
    "source", ["$1", "$9", "$ARGUMENTS", "$@", "$@[1]", "$@[1:2]", "{{args}}", "{{{ arguments }}}"]
)
def test_without_arguments_every_placeholder_is_empty(source: str) -> None:
    assert fill(f"<{source}>") == "<>"


# C-24: joined by a space, inner spaces and triple braces allowed
@pytest.mark.parametrize("name", ["args", "ARGUMENTS", "arguments"])
@pytest.mark.parametrize("form", ["{{%s}}", "{{ %s }}", "{{{%s}}}", "{{{  %s\n}}}", "{{\t%s}}"])
def test_the_three_names_in_braces_stand_for_all_arguments(name: str, form: str) -> None:
    assert fill(form % name, *ARGS) == "one two words 3"


# C-24: braces around a tag that are none of its own are text, as in a body that shows JSON
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('{"query": {{args}}}', '{"query": x}'),
        ("{{{args}}", "{x"),
        ("{{{{args}}}}", "{x}"),
        ("{{args}}}}}", "x}}}"),
        ("{{#if args}}}{{/if}}", "}"),
    ],
)
def test_further_braces_around_a_tag_are_text(source: str, text: str) -> None:
    assert fill(source, "x") == text


# C-24
@pytest.mark.parametrize(
    ("source", "without", "with_one", "with_two"),
    [
        ("{{#if args}}yes{{/if}}", "", "yes", "yes"),
        ("{{#if args}}yes{{else}}no{{/if}}", "no", "yes", "yes"),
        ("{{#if ARGUMENTS}}yes{{else}}no{{/if}}", "no", "yes", "yes"),
        ("{{# if args}}", "{{# if args}}", "{{# if args}}", "{{# if args}}"),
        ("{{ #if  args }}y{{ else }}n{{ /if }}", "n", "y", "y"),
        ("{{#each args}}<{{this}}>{{/each}}", "", "<a>", "<a><b>"),
        ("{{#each args}}<{{this}}>{{else}}none{{/each}}", "none", "<a>", "<a><b>"),
        ("{{#each args}}$1{{/each}}", "", "a", "aa"),
        ("{{#each args}}{{args}};{{/each}}", "", "a;", "a b;a b;"),
        ("{{#if args}}{{#each args}}- {{this}}\n{{/each}}{{else}}-{{/if}}", "-", "- a\n", "- a\n- b\n"),
        ("{{#each args}}{{#if args}}{{this}}{{/if}}{{/each}}", "", "a", "ab"),
        ("{{#if args}}1{{else}}2{{else}}3{{/if}}", "2{{else}}3", "1", "1"),
        ("{{#if args}}{{#if args}}a{{else}}b{{/if}}{{else}}c{{/if}}", "c", "a", "a"),
        ("{{#each arguments}}x{{/each}}", "", "", ""),
    ],
)
def test_blocks_show_or_repeat_their_text(source: str, without: str, with_one: str, with_two: str) -> None:
    assert (fill(source), fill(source, "a"), fill(source, "a", "b")) == (without, with_one, with_two)


# C-24: "All other brace text is literal"
@pytest.mark.parametrize(
    "source",
    [
        "{{name}}", "{{ .Values.x }}", "{{this}}", "{{else}}", "{{/if}}", "{{/each}}", "{{#if name}}x{{/if}}", "{{#unless args}}x{{/unless}}",
        "{{#if}}x{{/if}}", "{{args.0}}", "{{Args}}", "{{args|upper}}", "{{args args}}", "{{> args}}", "{{!args}}", "{{&args}}", "{{^args}}",
        "{args}", "{ {args} }", "{{args}", "{{", "}}", "{{}}", "{% if args %}", "<%= args %>", "#{args}", "${{ github.event }}",
        "{{#if args}}", "{{#if args}}{{/each}}", "{{/if}}{{#if args}}", "{{#each args}}{{this}}", "{{#if args}}a{{else}}b",
        "{{#if args}}a{{/if args}}", "{{#if args}}x{{/ if}}",
    ],
)  # fmt: skip
def test_every_other_brace_text_is_literal(source: str) -> None:
    assert fill(source, "x") == source
    assert fill(source) == source


# C-24: tags that do not pair are literal, those around and inside of them count
def test_a_block_that_never_closes_is_literal_and_its_inside_is_not() -> None:
    assert fill("{{#if args}}$1{{else}}{{args}}", "x") == "{{#if args}}x{{else}}x"
    assert fill("{{#if args}}a{{#each args}}b{{/if}}c", "x") == "a{{#each args}}bc"
    assert fill("{{#each args}}{{this}}{{#if args}}{{/each}}", "x", "y") == "x{{#if args}}y{{#if args}}"


def test_a_loop_in_a_loop_is_literal_lest_its_text_grow_exponentially() -> None:
    source = "{{#each args}}" * 40 + "x" + "{{/each}}" * 40
    assert fill(source, "a", "b") == 2 * ("{{#each args}}" * 39 + "x" + "{{/each}}" * 39)
    assert fill("{{#each args}}a{{/each}}{{#each args}}b{{/each}}", "1", "2") == "aabb"


@pytest.mark.parametrize("depth", [1, 63, 64, 65, 10_000])
def test_blocks_nested_deeper_than_any_authors_are_literal(depth: int) -> None:
    kept = min(depth, 64)
    text = fill("{{#if args}}" * depth + "$1" + "{{/if}}" * depth, "x")
    assert text == "{{#if args}}" * (depth - kept) + "x" + "{{/if}}" * (depth - kept)


# C-25
@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ("Body.", False), ("$0 $$ $x", False), ("{{#if args}}Yes.{{/if}}", False), ("{{#each args}}x{{/each}}", False),
        ("{{args", False), ("\\$1", False), ("$1", True), ("$9", True), ("$@[7]", True), ("{{ args }}", True),
        ("{{#if args}}$1{{/if}}", True), ("{{#if args}}{{else}}$1{{/if}}", True), ("{{#each args}}{{this}}{{/each}}", True),
    ],
)  # fmt: skip
def test_arguments_that_no_placeholder_takes_are_appended_as_typed(source: str, taken: bool) -> None:  # noqa: FBT001
    text = expand_template(source, ("a b", "c"), '"a b"  c')
    assert text.endswith('\n\n"a b"  c') is not taken
    assert expand_template(source, (), "") == fill(source)


# C-25, EXP-09: nothing typed is lost
def test_appended_arguments_keep_their_line_breaks(project: Project, *, reference: bool) -> None:
    assert expanded("Body.\n", " one\n  two  three", project, reference=reference) == "Body.\n\n\none\n  two  three"
    assert expanded("Body.\n", "", project, reference=reference) == "Body.\n"


# C-25
def test_appending_can_be_switched_off(project: Project, *, reference: bool) -> None:
    project.write({USER_SETTINGS: "[commands]\nappend_arguments = false\n"})
    assert expanded("Body.", " more", project, reference=reference) == "Body."


# C-27
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("\\$1", "$1"),
        ("\\$ARGUMENTS", "$ARGUMENTS"),
        ("\\$@", "$@"),
        ("\\$@[2:1]", "$@[2:1]"),
        ("\\$1 and $1", "$1 and x"),
        ("$1\\$1", "x$1"),
        ("\\\\$1", "\\$1"),
        ("\\$0", "\\$0"),
        ("\\$00", "\\$00"),
        ("\\$HOME \\$ \\n", "\\$HOME \\$ \\n"),
        ("{{args}}\\$1", "x$1"),
        ("{{#if args}}\\$1{{/if}}", "$1"),
        ("\\{{args}}", "\\x"),
    ],
)
def test_a_backslash_keeps_a_placeholder(source: str, text: str) -> None:
    assert fill(source, "x") == text


# C-27: beyond the reference, where the backslash stays and the placeholder is replaced
def test_in_reference_mode_a_backslash_is_a_backslash(project: Project) -> None:
    assert expanded("It costs \\$1.", " x", project) == "It costs $1.\n\nx"
    assert expanded("It costs \\$1.", " x", project, reference=True) == "It costs \\x."
    assert fill("{{args}} \\$1", "x", escapes=False) == "x \\x"


# C-27
def test_escapes_can_be_switched_off(project: Project) -> None:
    project.write({USER_SETTINGS: "[commands]\nescape = false\n"})
    assert expanded("\\$1", " x", project) == "\\x"


# C-27, EXP-05; against the report, C-27: a placeholder in code is replaced, as in the reference
def test_placeholders_in_code_and_amounts_are_replaced(project: Project, *, reference: bool) -> None:
    text = "`awk '{print $1}'` costs $12.50"
    assert expanded(text, " x", project, reference=reference) == "`awk '{print x}'` costs .50"
    assert expanded(text, "", project, reference=reference) == "`awk '{print }'` costs .50"


# EXP-01
def test_an_argument_that_looks_like_a_placeholder_arrives(project: Project, *, reference: bool) -> None:
    assert expanded("Cost: $@", " $250", project, reference=reference) == "Cost: $250"
    assert expanded("$1 then $2", " '$2' x", project, reference=reference) == "$2 then x"


# EXP-02
@pytest.mark.parametrize(
    "argument", ["$&", "$$", "\\1", "\\g<0>", "\\n", "%s", "{0}", "{{x}}", "{{args}}", "{{#if args}}", "$`", "\\\\", "$ARGUMENTS", "$1", "%(a)s"]
)  # fmt: skip
def test_meta_sequences_in_arguments_arrive_byte_for_byte(argument: str, project: Project, *, reference: bool) -> None:
    assert expanded("Describe $ARGUMENTS.", f" {argument}", project, reference=reference) == f"Describe {argument}."
    assert expanded("{{#if args}}<{{args}}|$1>{{/if}}", f' "{argument}"', project, reference=reference) == (
        f"<{argument}|{argument}>"
    )


# EXP-08, EXP-12, SEC-01 as far as it is about arguments: expansion runs and includes nothing
@pytest.mark.parametrize("argument", ["don't", "$(touch pwned)", "`touch pwned`", "a;touch pwned", "a\ntouch pwned", "@secret.md", "!`id`"])  # fmt: skip
def test_nothing_is_run_or_included(argument: str, project: Project, *, reference: bool) -> None:
    body = "Say `Hi!` and then `id`. !`echo $1` @secret.md: ```!\nid\n```"
    project.write({"secret.md": "Secret."})
    before = sorted(project.root.rglob("*"))
    text = expanded(body, f" {argument}", project, reference=reference)
    first = (argument.replace("'", "") if argument == "don't" and reference else argument).split()[0]
    assert text == body.replace("$1", first)
    assert [path.name for path in sorted(project.root.rglob("*")) if path not in before] == [
        ".xcsh",
        "commands",
        "c.md",
    ]


# C-23, EXP-17
def test_an_empty_argument_has_its_place(project: Project, *, reference: bool) -> None:
    assert expanded("<$1><$2>", ' "" b', project, reference=reference) == "<><b>"
