"""What a provider's table keeps of a file, and when a rule is valid."""

from __future__ import annotations

import pytest
from tests.support import Project, bucket_of, codes_of, diagnostic_of, entry_of, names_of, skipped_of

from xcsh.model.rule import Bucket, Rule
from xcsh.surfaces.shapes import rule_shape

PLACES = {
    "native": ".xcsh/rules/a.md",
    "cursor": ".cursor/rules/a.mdc",
    "windsurf": ".windsurf/rules/a.md",
    "cline": ".clinerules/a.md",
}


def rule_of(project: Project, provider: str, keys: str, *, reference: bool) -> Rule:
    return entry_of(project({PLACES[provider]: f"---\n{keys}\n---\nBody."}, reference=reference), "a").rule


#
def test_a_rule_has_one_shape_whatever_tool_it_came_from(project: Project, *, reference: bool) -> None:
    keys = "description: D\nglobs: ['a/**', 'b/**']\nalwaysApply: true\ncondition: [x, y]\nscope: text\ninterrupt_mode: never"
    for provider, path in PLACES.items():
        rule = rule_of(project, provider, keys, reference=reference)
        project.path(path).unlink()
        assert rule.name == "a"
        assert rule.path == str(project.root / path)
        assert rule.content == "Body."
        assert (rule.description, rule.globs, rule.always_apply) == ("D", ("a/**", "b/**"), True)
        assert (rule.condition, rule.scope, rule.interrupt_mode) == (("x", "y"), ("text",), "never")
        assert (rule.origin.provider, rule.origin.level) == (provider, "project")
        assert rule.origin.title


#
@pytest.mark.parametrize(
    ("keys", "shape"),
    [
        ("alwaysApply: true", {"alwaysApply": True}),
        ("alwaysApply: 1", {"alwaysApply": False}),
        ("alwaysApply: maybe", {"alwaysApply": False}),
        ("description: 42", {"description": "42"}),
        ("description: true", {"description": "true"}),
        ("globs: [1, a, true, null]", {"globs": ["1", "a", "true"]}),
        ("globs: 7", {"globs": ["7"]}),
        ("interrupt_mode: never", {"interruptMode": "never"}),
    ],
)
def test_the_shape_for_programs_has_the_references_names_and_text_for_what_is_no_text(
    project: Project, keys: str, shape: dict[str, object], *, reference: bool
) -> None:
    registry = project({PLACES["native"]: f"---\n{keys}\n---\nBody."}, reference=reference)
    values = rule_shape(entry_of(registry, "a"), ())
    assert {key: values[key] for key in shape} == shape
    assert {"provider", "providerName", "level", "path"} <= values.keys()


#
@pytest.mark.parametrize(
    "text", ["", " \n", "---\ndescription: D\n---\n", "---\n---\n\n\t\n", "---\nalwaysApply: true\n---"]
)
@pytest.mark.parametrize("provider", PLACES)
def test_a_rule_without_content_is_skipped_with_a_reason_and_shadows_nothing(
    project: Project, provider: str, text: str, *, reference: bool
) -> None:
    registry = project({PLACES[provider]: text, "~/.xcsh/agent/rules/a.md": "Valid."}, reference=reference)
    assert entry_of(registry, "a").rule.content == "Valid."
    assert registry.shadowed == ()
    assert skipped_of(registry, PLACES[provider]).reason == "empty"
    finding = diagnostic_of(registry, "empty-rule")
    assert (finding.severity, finding.provider) == ("warning", provider)


#
@pytest.mark.parametrize(
    ("path", "name"), [("AGENTS.md", "AGENTS"), (".cursorrules", "cursorrules"), (".clinerules", "clinerules")]
)
def test_an_empty_single_file_is_skipped_too(project: Project, path: str, name: str) -> None:
    registry = project({path: "\n"})
    assert name not in names_of(registry)
    assert codes_of(registry, path) == ["empty-rule"]


#
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ("alwaysApply: false", (None, (), False)),
        ("alwaysApply: 1", (None, (), 1)),
        ("description: 42", (42, (), None)),
        ("globs: [a, 1, true]", (None, ("a", 1, True), None)),
        ("globs: 5", (None, (5,), None)),
        ("globs: a", (None, ("a",), None)),
    ],
)
def test_native_takes_every_value_as_it_stands(
    project: Project, keys: str, kept: tuple[object, ...], *, reference: bool
) -> None:
    rule = rule_of(project, "native", keys, reference=reference)
    assert (rule.description, rule.globs, rule.always_apply) == kept
    assert type(rule.always_apply) is type(kept[2])


#
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ("alwaysApply: true", (None, (), True)),
        ("alwaysApply: false", (None, (), None)),
        ("alwaysApply: 1", (None, (), None)),
        ("description: D", ("D", (), None)),
        ("description: 42", (None, (), None)),
        ("globs: [a, 1, true, b]", (None, ("a", "b"), None)),
        ("globs: a", (None, ("a",), None)),
        ("globs: 5", (None, (), None)),
        ("globs: {a: b}", (None, (), None)),
    ],
)
def test_cursor_keeps_only_texts_patterns_and_true(
    project: Project, keys: str, kept: tuple[object, ...], *, reference: bool
) -> None:
    if keys == "globs: {a: b}" and not reference:
        kept = (None, ("{a: b}",), None)  # pattern keys are always read from their raw text
    rule = rule_of(project, "cursor", keys, reference=reference)
    assert (rule.description, rule.globs, rule.always_apply) == kept


#
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ("alwaysApply: false", (None, (), False)),
        ("alwaysApply: 1", (None, (), 1)),
        ("description: 42", (42, (), None)),
        ("globs: [a, 1, b]", (None, ("a", "b"), None)),
        ("globs: a", (None, ("a",), None)),
        ("globs: 5", (None, (), None)),
    ],
)
def test_windsurf_filters_globs_and_takes_the_rest_as_it_stands(
    project: Project, keys: str, kept: tuple[object, ...], *, reference: bool
) -> None:
    rule = rule_of(project, "windsurf", keys, reference=reference)
    assert (rule.description, rule.globs, rule.always_apply) == kept


#
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ("alwaysApply: false\nglobs: a", (None, ("a",), False)),
        ("alwaysApply: 1\nglobs: a", (None, ("a",), None)),
        ("description: 42\nglobs: [a, 1]", (None, ("a",), None)),
        ("description: D", ("D", (), None)),
        ("globs: 5", (None, (), None)),
    ],
)
def test_cline_keeps_only_texts_patterns_and_bools(
    project: Project, keys: str, kept: tuple[object, ...], *, reference: bool
) -> None:
    rule = rule_of(project, "cline", keys, reference=reference)
    assert (rule.description, rule.globs, rule.always_apply) == kept


#
@pytest.mark.parametrize("keys", ["alwaysApply: 1", "description: 42", "globs: 5", "globs: [1, 2]"])
def test_a_value_that_is_dropped_is_reported(project: Project, keys: str) -> None:
    registry = project({PLACES["cursor"]: f"---\nname: x\n{keys}\n---\nBody."})
    finding = diagnostic_of(registry, "value-type")
    assert finding.position == (3, len(keys.partition(":")[0]) + 3)


#
@pytest.mark.parametrize("provider", PLACES)
@pytest.mark.parametrize(
    ("keys", "conditions"),
    [
        ("condition: a", ("a",)),
        ("condition: [a, b]", ("a", "b")),
        ("condition: [a, 1, b]", ("a", "b")),
        ("condition: 5", ()),
        ("ttsr_trigger: a", ("a",)),
        ("ttsrTrigger: a", ("a",)),
        ("ttsrTrigger: a\nttsr_trigger: b", ("b",)),
        ("ttsrTrigger: a\nttsr_trigger: b\ncondition: c", ("c",)),
        ("condition: 5\nttsr_trigger: b", ()),
    ],
)
def test_condition_counts_before_its_older_spellings(
    project: Project, provider: str, keys: str, conditions: tuple[str, ...], *, reference: bool
) -> None:
    assert rule_of(project, provider, keys, reference=reference).condition == conditions


# `ttsr_trigger` only if a string, but for native
@pytest.mark.parametrize("key", ["ttsr_trigger", "ttsrTrigger"])
@pytest.mark.parametrize("provider", PLACES)
def test_the_older_spelling_is_a_list_for_native_only(
    project: Project, provider: str, key: str, *, reference: bool
) -> None:
    rule = rule_of(project, provider, f"{key}: [a, b]\nglobs: x/**", reference=reference)
    assert rule.condition == (("a", "b") if provider == "native" else ())


#
def test_a_condition_makes_a_stream_rule_in_every_provider(project: Project, *, reference: bool) -> None:
    for provider, path in PLACES.items():
        registry = project({path: "---\nttsr_trigger: foo\\d+\n---\nBody."}, reference=reference)
        project.path(path).unlink()
        assert bucket_of(registry, "a") == Bucket.TTSR, provider


#
@pytest.mark.parametrize("key", ["always-apply", "always_apply", "AlwaysApply", "ALWAYSAPPLY", "Always-Apply"])
def test_other_spellings_of_a_key_count_and_are_reported(project: Project, key: str, *, reference: bool) -> None:
    registry = project({PLACES["native"]: f"---\n{key}: true\n---\nBody."}, reference=reference)
    if reference:
        assert bucket_of(registry, "a") == Bucket.INACTIVE
        return
    assert bucket_of(registry, "a") == Bucket.ALWAYS_APPLY
    finding = diagnostic_of(registry, "key-spelling")
    assert (finding.position, finding.end) == ((2, 1), (2, 1 + len(key)))


#
def test_the_exact_spelling_counts_before_another_one(project: Project) -> None:
    rule = rule_of(project, "native", "always-apply: false\nalwaysApply: true\nglob: a\nglobs: b", reference=False)
    assert (rule.always_apply, rule.globs) == (True, ("b",))
