"""Continue's rules, in its folder and beside the code (R-60, R-62)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, OwnReading, Provider, RuleFields, RuleTable, Spelling
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Naming, Root, Source
from xcsh.parsing import readers

CONTINUE = Provider(
    id="continue",
    title="Continue",
    priority=31,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".continue/rules", Level.PROJECT, (".md",), naming=Naming.TWO_PARTS),
            Source(Root.HOME, ".continue/rules", Level.USER, (".md",), naming=Naming.TWO_PARTS),
            Source(Root.NESTED, "rules.md", Level.PROJECT, name="rules.md", beside=".continue"),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(
            default=Activation.ALWAYS, bare_default=Activation.ALWAYS, decisive=("alwaysApply", "globs", "regex")
        ),
        own_keys=frozenset({"name", "globs", "regex", "description", "alwaysApply", "invokable"}),
        name_key=True,
        late_block=True,
        own=OwnReading(patterns=Spelling.UNSPLIT),
    ),
    reads="always on unless alwaysApply is false or there are globs; a description alone changes nothing",
)
