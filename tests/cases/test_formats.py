"""Shapes of files met in the wild: each is read as its author plainly meant it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from tests.support import Project, codes_of, entry_of, names_of, skipped_of

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.surfaces.explain import explain, explanation_shape

Case = dict


def _load() -> list[Case]:
    """The cases. `{repeated}` in a text stands for a unit many times over, given in `repeated`."""
    cases = []
    for line in (Path(__file__).parent / "formats.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        if "repeated" in case:
            unit, count = case["repeated"]
            for holder in (case, case["expected"]):
                for key, value in holder.items():
                    if isinstance(value, str):
                        holder[key] = value.replace("{repeated}", unit * count)
        cases.append(case)
    return cases


CASES = _load()
BUCKETS = {
    "always": Bucket.ALWAYS_APPLY,
    "model": Bucket.RULEBOOK,
    "glob": Bucket.ATTACHED,
    "manual": Bucket.INACTIVE,
    "disabled": Bucket.INACTIVE,
}
WARNINGS = {"unterminated": "unterminated-frontmatter", "large": "large-rule"}

SKIPPED_BY_REQUIREMENT = {
    "fence-17": ("R-3", "empty", "a rule without content is invalid"),
    "encoding-09": ("R-25", "quarantined", "what a reviewer does not see is held back"),
    "encoding-10": ("R-25", "quarantined", "as above"),
    "names-14": ("R-15", "hidden", "hidden entries are skipped"),
}
ALWAYS_APPLY_THROUGH_THE_OWNER = {
    "dialect-cline-10": "R-62: Cline's own key decides, and a list of no patterns is no condition",
    "dialect-continue-08": "R-62: Continue's default decides",
}
NAMED_BY_THEIR_FOLDER = ("dialect-other-17", "names-07", "dialect-windsurf-12")
"""R-2, R-60: docs/decisions/0013-cases-overruled.md."""
DECISION = Path(__file__).parents[2] / "docs/decisions/0013-cases-overruled.md"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_file_is_read_as_its_author_meant_it(case: Case, project: Project) -> None:
    content = base64.b64decode(case["bytes_b64"]) if "bytes_b64" in case else case["text"]
    registry = project({case["filename"]: content})
    expected = case["expected"]
    if case["id"] in SKIPPED_BY_REQUIREMENT:
        _, reason, _ = SKIPPED_BY_REQUIREMENT[case["id"]]
        assert skipped_of(registry, case["filename"]).reason == reason
        assert registry.all == ()
    elif expected.get("skip"):
        assert skipped_of(registry, case["filename"]).reason in ("empty", "extension")
        assert registry.all == ()
    else:
        _check_rule(case, registry)
    if "warning" in expected:
        code = WARNINGS.get(expected["warning"], expected["warning"])
        assert code in codes_of(registry, case["filename"].removeprefix("~/"))


def _check_rule(case: Case, registry: Registry) -> None:
    expected = _in_its_folder(case) if case["id"] in NAMED_BY_THEIR_FOLDER else case["expected"]
    assert names_of(registry) == [expected["name"]]
    rule, bucket, *_ = entry = entry_of(registry, expected["name"])
    assert (rule.description or None) == expected["description"]
    assert list(rule.globs) == expected["globs"]
    if case["id"] not in ALWAYS_APPLY_THROUGH_THE_OWNER:
        assert (rule.always_apply is True) == expected["always_apply"]
    wanted = BUCKETS[expected["activation"]]
    if wanted == Bucket.ATTACHED and expected["description"] and rule.activation is None:
        wanted = Bucket.RULEBOOK  # a description comes before globs; the rulebook lists both
    assert bucket == wanted, entry
    assert rule.content.startswith(expected.get("body_starts_with", ""))
    assert expected.get("contains", "") in rule.content
    if expected.get("scope") == "user":
        assert rule.origin.level == "user"


def _in_its_folder(case: Case) -> Case:
    """What is expected of a rule of a sub-folder, which is named by the folder and attached with the files in it."""
    expected = case["expected"]
    folder = expected["scope_dir"]
    globs = [f"{folder}/**/{glob}" for glob in expected["globs"]] or [f"{folder}/**"]
    return expected | {
        "name": f"{folder}/{expected['name']}",
        "globs": globs,
        "always_apply": False,
        "activation": "glob",
    }


def test_every_exception_is_explained_in_the_decision() -> None:
    text = DECISION.read_text("utf-8")
    for name in (*SKIPPED_BY_REQUIREMENT, *ALWAYS_APPLY_THROUGH_THE_OWNER, *NAMED_BY_THEIR_FOLDER):
        assert f"`{name}`" in text


def test_every_exception_names_a_case() -> None:
    known = {case["id"] for case in CASES}
    tables = (SKIPPED_BY_REQUIREMENT, ALWAYS_APPLY_THROUGH_THE_OWNER, NAMED_BY_THEIR_FOLDER)
    assert all(set(table) <= known for table in tables)


def test_every_repair_says_where_it_was_made(project: Project) -> None:
    # formats.md, section 5: record a warning for each repair
    for case in CASES:
        name = case["filename"]
        if name.startswith((".cursor/rules/", ".windsurf/rules/")) and "bytes_b64" not in case:
            project.write({name: case["text"]})
    registry = project.discover()
    repairs = [
        item
        for item in registry.diagnostics
        if item.code in ("frontmatter-repaired", "frontmatter-fence", "key-spelling")
    ]
    assert len(repairs) > 30
    for repair in repairs:
        line, column = repair.position
        text = Path(repair.path).read_text("utf-8").lstrip("\ufeff").split("\n")
        assert 1 <= line <= len(text)
        assert 1 <= column <= len(text[line - 1]) + 1


OTHERWISE = [case for case in CASES if "tool_expected" in case]


# "which tool would do what"
@pytest.mark.parametrize("case", OTHERWISE, ids=[case["id"] for case in OTHERWISE])
def test_what_the_owning_tool_does_otherwise_is_said(case: Case, project: Project) -> None:
    registry = project({case["filename"]: case["text"]})
    path = str(project.path(case["filename"]))
    [found] = explain(registry, path, {provider.id: provider for provider in BUILTIN_PROVIDERS})
    shape = explanation_shape(found)["owner"]
    assert shape["differs"]
    assert set(shape["differs"]) <= {item.message for item in registry.diagnostics if item.path == path}
