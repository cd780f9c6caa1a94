"""A slip of one character in a scoped rule's frontmatter never makes the rule apply always."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
import yaml
from tests.support import USER_SETTINGS, Project, bucket_of, codes_of

from xcsh.model.rule import Bucket
from xcsh.model.source import Level, Origin, SourceText
from xcsh.normalize.document import read_document
from xcsh.normalize.rules import RuleMode, normalize_rule
from xcsh.parsing.finding import Finding
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.registry import buckets
from xcsh.sources.decode import normalize_lines

PROVIDERS = {provider.id: provider for provider in BUILTIN_PROVIDERS}
SLIPS = "-:x #\"'[]{}*&!|>%@`,.\n\t\x07\u200b/\\~?1"
SCOPED = [
    ("cursor", "---\nglobs: src/**\nalwaysApply: false\n---\nBody.\n"),
    ("cursor", "---\nglobs: **/*.ts\n---\nBody.\n"),
    ("windsurf", "---\ntrigger: glob\nglobs: src/**\n---\nBody.\n"),
    ("windsurf", "---\nglobs: src/**\n---\nBody.\n"),
    ("windsurf", "---\ntrigger: manual\n---\nBody.\n"),
    ("windsurf", "---\ntrigger: model_decision\ndescription: When: needed\n---\nBody.\n"),
    ("cline", '---\npaths:\n  - "src/**"\n---\nBody.\n'),
    ("cline", '---\npaths: ["src/**"]\n---\nBody.\n'),
    ("cline", "---\npaths: src/**\n---\nBody.\n"),
    ("cline", "---\npaths: []\n---\nBody.\n"),
    ("cline", "---\nglobs: src/**\ndescription: D\n---\nBody.\n"),
    ("native", "---\nglobs: src/**\ndescription: D\n---\nBody.\n"),
    ("native", "---\ncondition: foo\\d\n---\nBody.\n"),
]


def slips(text: str) -> Iterator[str]:
    """Every text that one deletion or insertion above the body makes of `text`."""
    for at in range(text.index("Body.")):
        yield text[:at] + text[at + 1 :]
        for character in SLIPS:
            yield text[:at] + character + text[at:]


def bucket(text: str, provider_id: str, mode: RuleMode) -> str | None:
    provider = PROVIDERS[provider_id]
    table = provider.rules
    assert table is not None
    finding = Finding("/p/a.md", provider_id)
    source = SourceText("a", normalize_lines(text), Origin(provider_id, "", Level.PROJECT, "/p/a.md"), (0, 0, "a"))
    document = read_document(source, _ignore, finding, repair=mode.repair)
    rule = normalize_rule(document, table, provider.title, mode, _ignore, finding)
    return None if rule is None else buckets.bucket_of(rule, attach=True, ttsr=True)[0]


def _ignore(diagnostic: object) -> None:
    """The findings are of no interest here."""


def says_nothing_of_scope(text: str) -> bool:
    """Whether the block is sound YAML in which no key that scopes a rule has a pattern: the owner's default holds."""
    block = text.removeprefix("---\n").partition("\n---")[0].replace("\u200b", "")
    keys = yaml.safe_load(block)
    wanted = [value for key in ("paths", "globs", "description") if (value := keys.get(key))]
    return all(isinstance(value, list) and not any(isinstance(element, str) for element in value) for value in wanted)


# The specification says: "A parse failure never widens what a rule applies to."
@pytest.mark.parametrize(
    ("provider", "text"), SCOPED, ids=[f"{provider}-{number}" for number, (provider, _) in enumerate(SCOPED)]
)
@pytest.mark.parametrize(
    "mode", [RuleMode(repair=True, owner=True), RuleMode(repair=False, owner=False)], ids=["default", "reference"]
)
def test_no_slip_of_one_character_makes_a_scoped_rule_apply_always(provider: str, text: str, mode: RuleMode) -> None:
    assert bucket(text, provider, mode) != Bucket.ALWAYS_APPLY
    for slipped in slips(text):
        if bucket(slipped, provider, mode) == Bucket.ALWAYS_APPLY:
            assert provider == "cline", slipped
            assert says_nothing_of_scope(slipped), slipped


def toml_blocks() -> Iterator[str]:
    """A block of TOML with a key that narrows, in every way of writing it that its author would think nothing of."""
    keys = ("paths", "PATHS", "'paths'", "[[rule]]\n  paths", 'rule."paths"')
    yield from (
        f"{above}{fence}\n{comments}{key}{equals}{value}\n{close}\nBody.\n"
        for above, fence, comments, key, equals, value, close in product(
            ("", "\n \n\n", "<!-- note -->\n", "# note\n"), ("+++", " +++\t", "++++", "+++ # toml", "++", "+ + +"),
            ("", "# note\n" * 60, f"# {'long ' * 1_000}\n"), keys, ("\t  = ", "="),
            ('["src/**", "lib/**"]', '[\n  "src/**",\n]'), ("+++", " +++ # end", ""),
        )
    )  # fmt: skip


# The specification says: "A parse failure never widens what a rule applies to."
@pytest.mark.parametrize(
    "mode", [RuleMode(repair=True, owner=True), RuleMode(repair=False, owner=True)], ids=["default", "strict"]
)
def test_no_spelling_of_a_block_in_toml_makes_a_scoped_rule_apply_always(mode: RuleMode) -> None:
    widened = [text for text in toml_blocks() if bucket(text, "cline", mode) == Bucket.ALWAYS_APPLY]
    assert widened == []


#
@pytest.mark.parametrize(
    "text", ["+++\nPaths = ['a']\n+++\nb", "\n+++ \n\"paths\" = ['a']\nb", "++\npaths = ['a', 'b']\nb"]
)
def test_a_block_in_toml_that_is_not_read_is_told(project: Project, text: str) -> None:
    registry = project({".clinerules/a.md": text})
    assert {*codes_of(registry, "a.md")} & {"frontmatter-fence", "lost-frontmatter"}


# The specification says: "A failed parse is not "no key"."
@pytest.mark.parametrize(
    "block",
    [
        "paths: [a\nfoo: *x",
        "foo: {\npathz: [",
        "- a\n- b",
        "paths:src/**",
        "condition: ([a-z",
        "condition: a\nscope: nowhere",
        "\tfoo: bar: baz",
    ],
)
@pytest.mark.parametrize("folder", [".clinerules", ".windsurf/rules"])
def test_a_failed_parse_is_not_no_key(project: Project, folder: str, block: str) -> None:
    registry = project({f"{folder}/a.md": f"---\n{block}\n---\nBody.", f"{folder}/b.md": "No block at all."})
    assert bucket_of(registry, "a") != Bucket.ALWAYS_APPLY
    assert bucket_of(registry, "b") == Bucket.ALWAYS_APPLY
    assert [code for code in codes_of(registry, "a.md") if code != "inactive-rule"]


#
@pytest.mark.parametrize("block", ["- a\n: [", "paths: [", "foo: [\npaths:\n  - src/**"])
def test_a_failed_parse_is_not_no_key_where_repair_is_off(project: Project, block: str) -> None:
    registry = project({".clinerules/a.md": f"---\n{block}\n---\nBody.", USER_SETTINGS: "frontmatter.repair = false\n"})
    assert bucket_of(registry, "a") != Bucket.ALWAYS_APPLY


# formats.md, section 4.2: two thematic breaks round prose are not a block
@pytest.mark.parametrize(
    "text",
    [
        "---\n\nSome prose here.\n\n---\n\nMore.\n", "---\nplain words\n---\nMore.\n", "Title\n---\nBody\n---\n", "---\n",
        "+++\ntitle = 'x'\n+++\nMore.\n", "Text\n\n---\n\n    path = join(a, b)\n", "Add `+++` marks.\n\npath = join(a, b)\n",
    ],
)  # fmt: skip
def test_thematic_breaks_are_not_frontmatter(project: Project, text: str) -> None:
    registry = project({".clinerules/a.md": text})
    assert bucket_of(registry, "a") == Bucket.ALWAYS_APPLY
    assert registry.all[0].rule.content == text
    assert registry.diagnostics == ()
