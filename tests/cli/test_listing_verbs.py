"""The verbs rules, explain, doctor, prompt and read, as a person and as a program calls them."""

from __future__ import annotations

import jsonschema
import pytest
from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape
from tests.cli.trees import FULL
from tests.support import Project

from xcsh.api import render_prompt


# U-3
@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("rules", ["rules", "--json"]),
        ("rules", ["rules", "--all", "--json"]),
        ("rules", ["rules", "--for", "src/App.tsx", "nowhere/x", "--json"]),
        ("rules", ["rules", "--for", "src/App.tsx", "--all", "--json"]),
        ("explain", ["explain", "house-style", "--json"]),
        ("explain", ["explain", ".cursor/rules/notes.txt", "--json"]),
        ("explain", ["explain", "nothing-of-the-kind", "--json"]),
        ("doctor", ["doctor", "--json"]),
        ("prompt", ["prompt", "--json"]),
        ("read", ["read", "rule://api-errors", "--json"]),
    ],
)
@pytest.mark.parametrize("mode", [[], ["--reference"]])
def test_every_json_output_satisfies_the_schema_that_the_package_ships(
    xcsh: Xcsh, verb: str, arguments: list[str], mode: list[str]
) -> None:
    xcsh.project.write(FULL)
    check_shape(verb, xcsh(*arguments, *mode).json)


# U-3
def test_the_schema_forbids_what_is_not_in_it(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    shape = xcsh("rules", "--json").json
    shape["rules"][0]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        check_shape("rules", shape)


# U-3: "what one reads back from --json equals what discover() returned"
@pytest.mark.parametrize("reference", [False, True])
def test_what_one_reads_back_from_json_equals_what_discover_returned(xcsh: Xcsh, *, reference: bool) -> None:
    xcsh.project.write(
        {
            **FULL,
            ".xcsh/rules/odd \u202e\u00e9\U0001f600.md": "---\ndescription: 5\nglobs: [1, a]\n---\nB\u00e9 \U0001f600\n",
        }
    )
    registry = xcsh.project.discover(reference=reference)
    shape = xcsh("rules", "--all", "--json", *(["--reference"] if reference else [])).json
    assert shape["cwd"] == registry.environment.cwd
    assert len(shape["rules"]) == len(registry.all)
    for read, entry in zip(shape["rules"], registry.all, strict=True):
        rule = entry.rule
        assert (read["name"], read["path"], read["content"]) == (rule.name, rule.path, rule.content)
        assert (read["bucket"], read["reason"], read["shadowed"]) == (
            entry.bucket,
            entry.reason,
            entry.shadowed_by is not None,
        )
        assert read["shadowedBy"] == (entry.shadowed_by.path if entry.shadowed_by else None)
        assert read["globs"] == [str(glob) for glob in rule.globs]
        assert read["description"] == (None if rule.description is None else str(rule.description))
        assert read["alwaysApply"] is (rule.always_apply is True)
        assert (read["condition"], read["scope"]) == (list(rule.condition), list(rule.scope))
    assert [(item["path"], item["reason"]) for item in shape["skipped"]] == [
        (item.path, item.reason) for item in registry.skipped
    ]
    assert [(item["code"], item["path"], item["line"], item["message"]) for item in shape["diagnostics"]] == [
        (item.code, item.path or None, item.position.line if item.position else None, item.message)
        for item in registry.diagnostics
    ]


#
def test_the_list_shows_each_rule_with_its_bucket_source_and_trigger(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    lines = xcsh("rules", "--all").out.splitlines()
    headings = [line.split()[0] for line in lines if line and line[0].isalpha() and line.split()[0].isupper()]
    assert headings == ["ALWAYS", "STREAM", "RULEBOOK", "GLOB", "INACTIVE", "SHADOWED", "SKIPPED"]
    react = next(line for line in lines if line.startswith("  react"))
    assert "Cursor" in react
    assert ".cursor/rules/react.mdc" in react
    assert "src/**/*.{tsx,jsx}" in react
    assert next(line for line in lines if line.startswith("  no-any")).endswith(": any\\b  tool:edit")
    shadowed = lines[lines.index(next(line for line in lines if line.startswith("SHADOWED"))) + 1]
    assert ".cursor/rules/house-style.mdc" in shadowed
    assert shadowed.endswith("house-style.md")
    assert (
        ".cursor/rules/notes.txt" in lines[lines.index(next(line for line in lines if line.startswith("SKIPPED"))) + 1]
    )
    assert all(len(line) <= 80 for line in lines)


#
def test_the_list_says_what_becomes_of_rules_with_globs_and_of_an_answer(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    out = xcsh("rules").out
    assert "GLOB  given with the files that match" in out
    for name in ("react", "api-errors"):
        said = " ".join(xcsh("explain", name).out.split())
        assert "with the files that it reads or changes and that match src/" in said
    said = " ".join(xcsh("--reference", "explain", "api-errors").out.split())
    assert "with the files" not in said
    assert "STREAM  costs nothing until the model writes it; then its answer is stopped" in out
    assert "its answer is stopped, the rule is shown to it" in " ".join(xcsh("explain", "no-any").out.split())


# R-54, T-5
def test_a_rule_that_is_watched_is_no_prediction(xcsh: Xcsh) -> None:
    xcsh.project.write({".xcsh/rules/a.md": "---\ncondition: todo\nglobs: '*.md'\n---\nNo."})
    outcome = xcsh("rules", "--for", "a.md")
    assert "watched" in outcome.out
    assert "predicted" not in outcome.out


# found = active + shadowed + skipped, everywhere
def test_the_headline_counts_everything_that_was_found(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    registry = xcsh.project.discover()
    first = xcsh("rules").out.splitlines()[0]
    assert first.startswith(
        f"{len(registry.active)} active · {len(registry.shadowed)} shadowed · {len(registry.skipped)} skipped · 1 error, 1 warning"
    )
    assert registry.found == 11


def test_without_all_only_active_rules_are_listed(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    shape = xcsh("rules", "--json").json
    assert all(not rule["shadowed"] for rule in shape["rules"])
    assert shape["skipped"] == []


def test_names_choose_rules_and_an_unknown_one_fails_with_the_nearest(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    assert [rule["name"] for rule in xcsh("rules", "react", "--json").json["rules"]] == ["react"]
    outcome = xcsh("rules", "raect")
    assert outcome.code == 1
    assert "no rule is named 'raect'" in outcome.err
    assert "did you mean react" in outcome.err


def test_an_empty_folder_says_where_rules_would_be_looked_for(xcsh: Xcsh) -> None:
    outcome = xcsh("rules")
    assert outcome.code == 0
    assert ".cursor/rules/NAME.mdc" in outcome.out


# GLB-01, R-54
@pytest.mark.parametrize(
    ("path", "attached"),
    [("src/App.tsx", "react"), ("src/api/x.py", "api-errors"), ("a.test.ts", "tests"), ("deep/er/a.test.ts", "tests")],
)
def test_for_a_path_the_rules_that_match_it_are_named_with_the_pattern(xcsh: Xcsh, path: str, attached: str) -> None:
    xcsh.project.write(FULL)
    outcome = xcsh("rules", "--for", path)
    line = next(line for line in outcome.out.splitlines() if line.startswith("  attached  "))
    assert line.split()[1] == attached
    assert "matched" in line


def test_for_a_path_outside_the_folder_no_glob_matches(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    reached = xcsh("rules", "--for", "../src/App.tsx", "--json").json["for"][0]["rules"]
    assert {reach["how"] for reach in reached} == {"always", "listed", "watched"}


# PRC-11
def test_explain_names_each_gate_and_what_is_shadowed(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    winner, loser = xcsh("explain", "house-style", "--json").json["matches"]
    assert [gate["gate"] for gate in winner["gates"]] == ["found", "frontmatter", "validity", "precedence", "bucket"]
    assert winner["shadows"] == [loser["item"]["path"]]
    assert loser["gates"][-1]["passed"] is False
    assert "loses to" in loser["gates"][-1]["detail"]
    text = xcsh("explain", "house-style").out
    assert "place 1 of the provider native" in text
    assert "SHADOWED" in text


def test_explain_says_what_was_repaired_and_where(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    gates = {gate["gate"]: gate for gate in xcsh("explain", "tests", "--json").json["matches"][0]["gates"]}
    assert gates["frontmatter"]["detail"].startswith("line 2: `globs` is no YAML")
    assert xcsh("explain", "tests").out.count("1 finding: xcsh doctor .cursor/rules/tests.mdc") == 1


def test_explain_takes_a_path_and_tells_why_a_file_is_no_rule(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    outcome = xcsh("explain", ".cursor/rules/notes.txt")
    assert outcome.code == 0
    assert "SKIPPED" in outcome.out
    assert "the ending is none that this provider reads" in outcome.out
    assert xcsh("explain", "~/.cursor/rules/mine.mdc", "--json").json["matches"][0]["item"]["name"] == "mine"


def test_explain_of_an_unknown_name_fails_with_the_nearest(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    outcome = xcsh("explain", "housestyle")
    assert outcome.code == 1
    assert "did you mean house-style" in outcome.err
    assert outcome.out == ""


def test_explain_tells_of_a_condition_that_was_not_accepted(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    gates = {gate["gate"]: gate for gate in xcsh("explain", "broken", "--json").json["matches"][0]["gates"]}
    assert gates["condition"]["passed"] is False
    assert "([a-z" in gates["condition"]["detail"]


# U-1, FMT-16
def test_doctor_shows_place_line_caret_and_hint_and_fails_for_errors(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    outcome = xcsh("doctor")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    at = lines.index("  --> .cursor/rules/tests.mdc:2:8")
    assert lines[at - 2].startswith("information[frontmatter-repaired] `globs` is no YAML")
    assert lines[at + 1 : at + 4] == ["  1 | ---", "  2 | globs: **/*.test.ts", "    |        ^^^^^^^^^^^^"]
    assert lines[at + 4].startswith("  hint: nothing to do: its own tool needs it so")
    assert lines[-1] == "1 error · 1 warning · 2 information · 11 files"


# U-1
def test_doctor_fails_for_warnings_only_with_strict(xcsh: Xcsh) -> None:
    xcsh.project.write({".cursor/rules/a.mdc": "---\ndescription: A: b\n---\nA.\n"})
    assert xcsh("doctor").code == 0
    assert xcsh("doctor", "--strict").code == 1
    assert xcsh("doctor", "--json", "--strict").json["summary"] == {"error": 0, "warning": 1, "information": 0}


def test_doctor_looks_only_at_the_paths_given(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    shape = xcsh("doctor", ".cursor", "--json").json
    assert {item["code"] for item in shape["diagnostics"]} == {"frontmatter-repaired"}
    assert xcsh("doctor", ".cursor").code == 0
    assert xcsh("doctor", ".cursor").out.endswith(f"{len(FULL) - 6} files\n")
    assert "no such file" in xcsh("doctor", "nowhere").err
    assert xcsh("doctor", "nowhere").code == 1


def test_doctor_on_a_sound_project_says_so(xcsh: Xcsh) -> None:
    xcsh.project.write({"AGENTS.md": "Guide\n"})
    assert xcsh("doctor").out == "nothing to report · 1 file\n"


#
def test_prompt_prints_exactly_what_the_model_is_told(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    prompt = render_prompt(xcsh.project.discover())
    outcome = xcsh("prompt")
    assert outcome.out == prompt.text + "\n"
    assert "house-style" in outcome.err
    assert xcsh("prompt", "--json").json["text"] == prompt.text


# byte for byte
@pytest.mark.parametrize("body", ["One.", "Ünïcode \U0001f600", "two\n\n  lines\n\ttab", "# H\r\nx"])
def test_read_prints_the_content_byte_for_byte(xcsh: Xcsh, body: str) -> None:
    xcsh.project.write({".xcsh/rules/a b%.md": f"---\ndescription: d\n---\n{body}"})
    content = xcsh.project.discover().active[0].rule.content
    assert xcsh("read", "rule://a b%").out == content
    assert xcsh("read", "rule://a%20b%25").out == content
    assert xcsh("read", "a b%").out == content


# R-52, U-1
def test_read_of_an_unknown_name_lists_the_names(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    outcome = xcsh("read", "rule://nope")
    assert outcome.code == 1
    assert "available: AGENTS, api-errors, broken, house-style, mine" in outcome.err
    assert xcsh("read", "https://example.test/").code == 1
    assert "in the bucket attached" in xcsh("read", "rule://react").err


#
@pytest.mark.parametrize("verb", ["rules", "doctor"])
def test_every_diagnostic_of_discovery_reaches_the_command_line(xcsh: Xcsh, verb: str) -> None:
    xcsh.project.write(FULL)
    assert len(xcsh(verb, "--json").json["diagnostics"]) == len(xcsh.project.discover().diagnostics)


def test_text_output_never_passes_control_characters_of_files_to_the_terminal(project: Project, xcsh: Xcsh) -> None:
    evil = "\x1b[2Jx\u202ey"
    project.write({f".xcsh/rules/{evil}.md": f"---\ndescription: '{evil}'\nglobs: '{evil}'\n---\nText {evil}.\n"})
    project.write({".clinerules/a.md": f"---\ncondition: '([{evil}'\n---\nx\n"})
    for arguments in (["rules", "--all"], ["doctor"], ["explain", "a"], ["rules", "--for", evil]):
        out = xcsh(*arguments).out
        assert "\x1b" not in out
        assert "\u202e" not in out
