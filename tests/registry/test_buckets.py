"""Which surface a rule goes to."""

from __future__ import annotations

from itertools import product

import pytest
from tests.support import USER_SETTINGS, Project, bucket_of, diagnostic_of, entry_of

from xcsh.model.rule import TRIGGER_LABELS, Bucket, Rule, StreamTrigger
from xcsh.model.source import Level, Origin
from xcsh.registry import buckets

ORIGIN = Origin("native", "xcsh", Level.PROJECT, "/p/a.md")
TRIGGER = StreamTrigger(("foo",), ())


#
@pytest.mark.parametrize("attach", [True, False])
@pytest.mark.parametrize(
    ("trigger", "always", "description", "globs"),
    list(product([None, TRIGGER], [True, False, None, "true", 1, "", 0], ["D", "", None], [("*.ts",), ()])),
)
def test_every_rule_goes_to_the_first_bucket_whose_condition_it_meets(
    trigger: StreamTrigger | None, always: object, description: object, globs: tuple[str, ...], *, attach: bool
) -> None:
    rule = Rule("a", "Body.", ORIGIN, description, globs, always, trigger)
    bucket, reason = buckets.bucket_of(rule, attach=attach, ttsr=True)
    if trigger is not None:
        wanted = Bucket.TTSR
    elif always is True:
        wanted = Bucket.ALWAYS_APPLY
    elif not always and description:
        wanted = Bucket.RULEBOOK
    elif globs and attach:
        wanted = Bucket.ATTACHED
    else:
        wanted = Bucket.INACTIVE
    assert bucket == wanted
    assert reason


#
def test_globs_that_only_exclude_attach_nothing(project: Project) -> None:
    registry = project(
        {".xcsh/rules/a.md": "---\nglobs: '!src/**'\n---\nBody.", ".xcsh/rules/b.md": "---\nglobs: [1, 2]\n---\nBody."}
    )
    assert bucket_of(registry, "a") == bucket_of(registry, "b") == Bucket.INACTIVE


#
def test_an_inactive_rule_is_reported_with_its_reason(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/rules/a.md": "---\nglobs: src/**\nalwaysApply: maybe\n---\nBody."}, reference=reference)
    if reference:
        assert bucket_of(registry, "a") == Bucket.INACTIVE
        assert diagnostic_of(registry, "inactive-rule").severity == "information"
        assert entry_of(registry, "a").reason in diagnostic_of(registry, "inactive-rule").message
    else:
        assert bucket_of(registry, "a") == Bucket.ATTACHED


#
def test_condition_comes_before_always_and_always_before_description(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/rules/a.md": "---\ncondition: foo\\d\nalwaysApply: true\n---\nBody.",
            ".xcsh/rules/b.md": "---\nalwaysApply: true\ndescription: D\nglobs: src/**\n---\nBody.",
        },
        reference=reference,
    )
    assert bucket_of(registry, "a") == Bucket.TTSR
    assert bucket_of(registry, "b") == Bucket.ALWAYS_APPLY


#
@pytest.mark.parametrize(
    ("keys", "bucket"),
    [
        ("alwaysApply: true", Bucket.ALWAYS_APPLY),
        ("description: D", Bucket.RULEBOOK),
        ("globs: src/**", Bucket.ATTACHED),
        ("name: x", Bucket.INACTIVE),
    ],
)
@pytest.mark.parametrize("refused", ["([a-z", "foo\nscope: nowhere"])
def test_a_refused_condition_falls_through(
    project: Project, refused: str, keys: str, bucket: str, *, reference: bool
) -> None:
    registry = project({".xcsh/rules/a.md": f"---\ncondition: {refused}\n{keys}\n---\nBody."}, reference=reference)
    wanted = Bucket.INACTIVE if reference and bucket == Bucket.ATTACHED else bucket
    assert bucket_of(registry, "a") == wanted


#
def test_stream_rules_fall_through_where_they_are_switched_off(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "---\ncondition: foo\\d\ndescription: D\n---\nBody.",
        ".xcsh/rules/b.md": "---\ncondition: foo\\d\n---\nBody.",
        USER_SETTINGS: "ttsr.enabled = false\n",
    }
    registry = project(tree, reference=reference)
    assert bucket_of(registry, "a") == Bucket.RULEBOOK
    assert bucket_of(registry, "b") == Bucket.INACTIVE
    assert "switched off" in entry_of(registry, "b").reason


# R-54 (the setting that decides between `attached` and `inactive`)
@pytest.mark.parametrize(("value", "bucket"), [("auto", Bucket.ATTACHED), ("advisory", Bucket.INACTIVE)])
def test_globs_attach_unless_settings_make_them_advisory(project: Project, value: str, bucket: str) -> None:
    registry = project(
        {".xcsh/rules/a.md": "---\nglobs: src/**\n---\nBody.", USER_SETTINGS: f'rules.attach = "{value}"\n'}
    )
    assert bucket_of(registry, "a") == bucket


#
def test_every_bucket_has_a_label_for_people() -> None:
    assert TRIGGER_LABELS == {
        Bucket.ALWAYS_APPLY: "always",
        Bucket.TTSR: "stream",
        Bucket.RULEBOOK: "description",
        Bucket.ATTACHED: "glob",
        Bucket.INACTIVE: "inactive",
    }
    assert set(TRIGGER_LABELS) == set(Bucket.ORDER)


#
@pytest.mark.parametrize(
    ("path", "keys", "owner", "reference_bucket"),
    [
        (".windsurf/rules/a.md", "trigger: always_on", Bucket.ALWAYS_APPLY, Bucket.INACTIVE),
        (".windsurf/rules/a.md", "trigger: ALWAYS_ON", Bucket.ALWAYS_APPLY, Bucket.INACTIVE),
        (".windsurf/rules/a.md", "trigger: manual\ndescription: D", Bucket.INACTIVE, Bucket.RULEBOOK),
        (".windsurf/rules/a.md", "trigger: glob\nglobs: a/**\ndescription: D", Bucket.ATTACHED, Bucket.RULEBOOK),
        (".windsurf/rules/a.md", "trigger: glob", Bucket.INACTIVE, Bucket.INACTIVE),
        (
            ".windsurf/rules/a.md",
            "trigger: model_decision\ndescription: D\nglobs: a/**",
            Bucket.RULEBOOK,
            Bucket.RULEBOOK,
        ),
        (".windsurf/rules/a.md", "trigger: manual\nalwaysApply: true", Bucket.ALWAYS_APPLY, Bucket.ALWAYS_APPLY),
        (".windsurf/rules/a.md", "trigger: always_on\nalwaysApply: false", Bucket.INACTIVE, Bucket.INACTIVE),
        (".windsurf/rules/a.md", "author: me", Bucket.INACTIVE, Bucket.INACTIVE),
        (".clinerules/a.md", "paths: [a/**]", Bucket.ATTACHED, Bucket.INACTIVE),
        (".clinerules/a.md", "paths: []", Bucket.INACTIVE, Bucket.INACTIVE),
        (".clinerules/a.md", "paths: [1]", Bucket.ALWAYS_APPLY, Bucket.INACTIVE),
        (".clinerules/a.md", "paths: []\nalwaysApply: true", Bucket.ALWAYS_APPLY, Bucket.ALWAYS_APPLY),
        (".clinerules/a.md", "paths: [a/**]\ndescription: D", Bucket.ATTACHED, Bucket.RULEBOOK),
        (".clinerules/a.md", "author: me", Bucket.ALWAYS_APPLY, Bucket.INACTIVE),
        (".clinerules/a.md", "description: D", Bucket.RULEBOOK, Bucket.RULEBOOK),
        (".clinerules/a.md", "globs: a/**", Bucket.ATTACHED, Bucket.INACTIVE),
        (".clinerules/a.md", "alwaysApply: false", Bucket.INACTIVE, Bucket.INACTIVE),
        (".cursor/rules/a.mdc", "author: me", Bucket.INACTIVE, Bucket.INACTIVE),
        (".cursor/rules/a.mdc", "trigger: always_on", Bucket.INACTIVE, Bucket.INACTIVE),
        (".xcsh/rules/a.md", "trigger: always_on", Bucket.INACTIVE, Bucket.INACTIVE),
        (".xcsh/rules/a.md", "paths: []", Bucket.INACTIVE, Bucket.INACTIVE),
    ],
)
def test_the_owners_key_decides_unless_the_reference_does(
    project: Project, path: str, keys: str, owner: str, reference_bucket: str, *, reference: bool
) -> None:
    registry = project({path: f"---\n{keys}\n---\nBody."}, reference=reference)
    assert bucket_of(registry, "a") == (reference_bucket if reference else owner)


#
@pytest.mark.parametrize(
    ("path", "name", "owner"),
    [
        (".windsurf/rules/a.md", "a", Bucket.ALWAYS_APPLY),
        ("~/.codeium/windsurf/memories/global_rules.md", "global_rules", Bucket.ALWAYS_APPLY),
        (".clinerules/a.md", "a", Bucket.ALWAYS_APPLY),
        (".clinerules", "clinerules", Bucket.ALWAYS_APPLY),
        (".cursor/rules/a.mdc", "a", Bucket.INACTIVE),
        (".xcsh/rules/a.md", "a", Bucket.INACTIVE),
    ],
)
def test_a_file_without_a_block_gets_its_owners_default(
    project: Project, path: str, name: str, owner: str, *, reference: bool
) -> None:
    registry = project({path: "Just words.\n"}, reference=reference)
    assert bucket_of(registry, name) == (Bucket.INACTIVE if reference else owner)


#
def test_activation_by_reference_is_a_setting_of_its_own(project: Project) -> None:
    registry = project({".clinerules/a.md": "Words.", USER_SETTINGS: 'rules.activation = "reference"\n'})
    assert bucket_of(registry, "a") == Bucket.INACTIVE
