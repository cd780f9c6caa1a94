"""What holds of expansion for every template and every argument."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.slash.found import filled_by
from tests.slash.test_invocation import quoted

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.slash.inspection import inspect_template
from xcsh.slash.invocation import parse_invocation, split_arguments
from xcsh.slash.lookup import nearest_commands
from xcsh.slash.template import DOLLAR, TAG, expand_template

META = st.sampled_from(["$1", "$&", "\\1", "\\g<0>", "{{x}}", "{{args}}", "{{#if args}}", "{{/if}}", "%s", "{0}", "$ARGUMENTS", "$@[1]", "`", "$$", "\\$1", "{{this}}", "\n\n"])  # fmt: skip
ARGUMENT = META | st.text(max_size=12) | st.lists(META | st.text(max_size=3), max_size=4).map("".join)
ARGUMENTS = st.lists(ARGUMENT, max_size=5)
TAGS = st.sampled_from(
    ["{{#if args}}", "{{#if ARGUMENTS}}", "{{/if}}", "{{#each args}}", "{{/each}}", "{{else}}", "{{this}}", "{{args}}", "{{{ args }}}", "{{",
     "}}", "{", "}", "{{ #if args}}", "{{x}}", "$", "\\", "$1", "$2", "$0", "$@", "$@[", "$@[1:", "]", ":", "1", "$ARGUMENTS", "$@[2:1]", "a", " ", "\n", "`",
     "```\n", "\\$1", "$12.5"]
)  # fmt: skip
TEMPLATE = st.lists(TAGS | st.text(max_size=4), max_size=30).map("".join)
PLAIN = TEMPLATE.filter(lambda text: not DOLLAR.search(text) and not TAG.search(text))


def expand_claude(source: str, raw: str, names: list[str]) -> str:
    return filled_by(CLAUDE_ARGUMENTS, source, raw, names)


# The issue says: "arguments of arbitrary text arrive byte for byte"
@given(ARGUMENTS)
def test_arguments_of_any_text_arrive_byte_for_byte(args: list[str]) -> None:
    call = parse_invocation("/c " + " ".join(quoted(arg) for arg in args))
    assert call is not None
    assert call.args == tuple(args)
    for position, arg in enumerate(args, 1):
        assert expand_template(f"<${position}>", call.args, call.raw) == f"<{arg}>"
        assert expand_template(f"<$@[{position}:1]>", call.args, call.raw) == f"<{arg}>"
    joined = " ".join(args)
    for whole in ("$ARGUMENTS", "$@", "{{args}}", "{{ ARGUMENTS }}", "{{{arguments}}}", "$@[1]"):
        assert expand_template(f"<{whole}>", call.args, call.raw) == f"<{joined}>"
    looped = expand_template("{{#each args}}<{{this}}>{{/each}}", call.args, call.raw)
    assert looped == "".join(f"<{arg}>" for arg in args)


# "… is the identity on text without placeholders"
@given(PLAIN, ARGUMENTS, st.booleans())
def test_text_without_placeholders_stays_as_it_is(source: str, args: list[str], escapes: bool) -> None:  # noqa: FBT001
    raw = " ".join(quoted(arg) for arg in args)
    assert expand_template(source, args, raw, append=False, escapes=escapes) == source
    assert expand_template(source, args, raw, escapes=escapes) == (f"{source}\n\n{raw}" if raw else source)


# "no argument text is ever interpreted": what a marker becomes, any other text becomes
@given(TEMPLATE, ARGUMENTS, st.booleans())
@example("{{#if args}}$1{{/if}}\\$1", ["$1"], False)
@example("{{$1}}", ["args"], True)
@example("$1$2", ["$", "1"], True)
@example("\\{{args}}1", ["$"], True)
def test_an_argument_is_never_interpreted(source: str, args: list[str], escapes: bool) -> None:  # noqa: FBT001
    markers = [f"\ue000{position}\ue001" for position in range(len(args))]
    marked = expand_template(source, markers, "\ue002", escapes=escapes)
    expected = re.sub("\ue000([0-9]+)\ue001", lambda match: args[int(match[1])], marked)
    assert expand_template(source, args, "\ue002", escapes=escapes) == expected


# "expand_template never raises": nor does what looks at the same text
@given(st.text() | TEMPLATE, ARGUMENTS)
def test_no_template_raises(source: str, args: list[str]) -> None:
    raw = " ".join(args)
    expand_template(source, args, raw)
    expand_claude(source, raw, ["a", "b"])
    for note in inspect_template(source):
        assert 0 <= note.offset < note.offset + note.length <= len(source)
    nearest_commands(["review", source], raw)


# C-24: a template of tags, checked against a reader that takes pairs apart one by one
@given(
    st.lists(
        st.sampled_from(["{{#if args}}", "{{/if}}", "{{else}}", "a", "b", "$1", "{{args}}", "{{x}}"]), max_size=14
    ),
    ARGUMENTS,
)
def test_conditions_agree_with_the_rule_written_out(parts: list[str], args: list[str]) -> None:
    source = "".join(parts)
    assert expand_template(source, args, "", append=False) == _conditions(parts, args)


def _conditions(parts: list[str], args: list[str]) -> str:
    """Innermost pairs first: each opening tag that is left takes the nearest closing one behind it."""
    shown: list[str | None] = [
        {"$1": args[0] if args else "", "{{args}}": " ".join(args)}.get(part, part) for part in parts
    ]
    words = list(parts)
    for close in range(len(parts)):
        if words[close] != "{{/if}}":
            continue
        opening = next((at for at in range(close - 1, -1, -1) if words[at] == "{{#if args}}"), None)
        if opening is None:
            continue
        middle = next((at for at in range(opening, close) if words[at] == "{{else}}"), None)
        hidden = range(middle or close, close) if args else range(opening, middle or close)
        for at in {*hidden, opening, close, *([middle] if middle is not None else [])}:
            shown[at] = None
        for at in (opening, close, *([middle] if middle is not None else [])):
            words[at] = ""
        for at in range(opening, close):
            words[at] = words[at] if words[at] != "{{else}}" else "(else)"
    return "".join(part for part in shown if part is not None)


# C-28: the same of Claude Code's own syntax
@given(st.text(max_size=20), ARGUMENTS)
def test_in_claudes_syntax_an_argument_is_never_interpreted_either(text: str, args: list[str]) -> None:
    raw = " ".join(quoted(arg) for arg in args)
    source = text.replace("$", "").replace("\\", "")
    assert expand_claude(f"{source} $ARGUMENTS", raw, []) == f"{source} {raw}"
    for position, arg in enumerate(split_arguments(raw)):
        assert expand_claude(f"<${position}>$ARGUMENTS[{position}]", raw, []) == f"<{arg}>{arg}"
        assert expand_claude("<$x>", quoted(arg), ["x"]) == f"<{arg}>"


UNITS = ["{{#if args}}", "{{/if}}", "{{#each args}}", "{{/each}}", "{{else}}", "{{args}}", "$", "$1", "$@[", "$@[1", "$@[1:", "$ARGUMENTS", "{{", "{{{", "{{ ", "{{#if ", "`", "```\n", "`$1` ", "```\n$1\n", "``` $1", "\\", "\\$", "1"]  # fmt: skip


# AGENTS.md: "Time and memory grow with the input, whatever the input"; a squared term takes far longer than this allows
@pytest.mark.parametrize("unit", UNITS)
def test_whatever_is_repeated_time_grows_with_the_length(unit: str) -> None:
    source = unit * (200_000 // len(unit))
    started = time.process_time()
    for text in (source, "{{" + source + "{{/if}}", source + "{{/each}}" * 10_000):
        expand_template(text, ("a",), "a")
        expand_claude(text, "a", [])
        inspect_template(text)
    assert time.process_time() - started < 10


def test_blanks_inside_of_braces_are_looked_at_once() -> None:
    for head in ("{{", "{{args", "{{#if", "{{#if args", "{{{#each args"):
        source = head + " " * 200_000 + "}"
        assert expand_template(source, ("a",), "a", append=False) == source


def test_ten_thousand_levels_of_blocks_are_no_error() -> None:
    for opening, close in (("{{#if args}}", "{{/if}}"), ("{{#each args}}", "{{/each}}")):
        source = opening * 10_000 + "$1" + close * 10_000
        assert "x" in expand_template(source, ("x",), "x")
        assert inspect_template(source)


SYNTAXES = {
    table.arguments
    for provider in BUILTIN_PROVIDERS
    for table in (provider.commands, provider.prompts, provider.skills)
    if table is not None and table.arguments is not None
}
FORMS = [
    "$ARGUMENTS",
    "$0",
    "$1",
    "{{args}}",
    "$KEY",
    "${input:x:hint}",
    "$$1",
    "\\$1",
    "$ARGUMENTS[0]",
    "${CLAUDE_SKILL_DIR}",
]


# C-28, C-40: "each with its own tool's argument syntax"; what is put in is never looked at again
@given(st.lists(st.sampled_from(FORMS) | st.text(max_size=4), max_size=8).map("".join), ARGUMENT.filter(str.strip))
def test_in_every_tools_syntax_what_is_put_in_arrives_as_it_was_typed(template: str, argument: str) -> None:
    raw = argument.strip()
    for syntax in SYNTAXES:
        filled_by(syntax, template, raw, ("KEY",))  # raises for no template
        if syntax.whole is not None and not syntax.trims:
            whole = filled_by(syntax, "<$ARGUMENTS>", raw)
            assert whole in {f"<{raw}>", f"<{' '.join(split_arguments(raw))}>"}
        if syntax.braces:
            assert filled_by(syntax, "<{{args}}>", raw) == f"<{raw}>"


@pytest.mark.parametrize("unit", ["$", "$1", "${input:a:", "$ARGUMENTS[", "{{args", "\\$a", "$$"])
def test_no_template_makes_a_tools_syntax_stall(unit: str) -> None:
    source = unit * (60_000 // len(unit))
    before = time.process_time()
    for syntax in SYNTAXES:
        filled_by(syntax, source, "a=b c", ("a",))
    assert time.process_time() - before < 10
