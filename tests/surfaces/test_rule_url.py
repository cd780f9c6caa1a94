"""`rule://` names: exact, then percent-decoded, and never a path."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import Project, default_settings

from xcsh.errors import RuleNotFoundError, RuleUrlError
from xcsh.model.registry import Items, Registry
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.model.source import Environment, Level, Origin
from xcsh.surfaces.rule_url import CONTENT_TYPE, read_rule, url_of


def registry_of(*names: str) -> Registry:
    entries = tuple(
        Entry(
            Rule(name, f"Content of {name}", Origin("native", "xcsh", Level.PROJECT, f"/p/{number}")),
            Bucket.RULEBOOK,
            "",
        )
        for number, name in enumerate(names)
    )
    return Registry(Environment("/p", "/h", None), default_settings(), Items(entries), Items(), Items(), Items(), ())


_watching: list[list[str]] = []


@contextmanager
def touches() -> Iterator[list[str]]:
    """What the interpreter opens or lists meanwhile."""
    if not _watching:
        _watching.append([])
        sys.addaudithook(_watch)
    _watching.append(touched := [])
    try:
        yield touched
    finally:
        _watching.pop()


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir"):
        _watching[-1].append(f"{event} {arguments}")


#
def test_rulebook_and_always_rules_are_read_by_their_exact_name(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/rules/listed.md": "---\ndescription: D\n---\n  # Raw <b> & \u00e9\n",
            ".xcsh/rules/always.md": "---\nalwaysApply: true\n---\nAlways.",
        },
        reference=reference,
    )
    assert read_rule(registry, "rule://listed").content == "# Raw <b> & \u00e9"
    assert read_rule(registry, "rule://always").content == "Always."
    assert CONTENT_TYPE == "text/markdown"
    for name in ("LISTED", "list", "listed/", "listed.md", " listed", ""):
        with pytest.raises(RuleNotFoundError):
            read_rule(registry, f"rule://{name}")


#
def test_rules_of_other_buckets_and_shadowed_ones_are_not_addressable(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/rules/stream.md": "---\ncondition: foo\\d\ndescription: D\n---\nBody.",
            ".xcsh/rules/attached.md": "---\nglobs: src/**\n---\nBody.",
            ".xcsh/rules/inactive.md": "Body.",
            ".cursor/rules/inactive.mdc": "---\nalwaysApply: true\n---\nShadowed.",
            ".xcsh/rules/listed.md": "---\ndescription: D\n---\nBody.",
        },
        reference=reference,
    )
    for name in ("stream", "attached", "inactive"):
        with pytest.raises(RuleNotFoundError) as raised:
            read_rule(registry, f"rule://{name}")
        assert raised.value.available == ("listed",)
        assert name in str(raised.value)
        assert "not addressable" in str(raised.value)


#
def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(RuleNotFoundError, match="available: a, b") as raised:
        read_rule(registry_of("b", "a"), "rule://c")
    assert isinstance(raised.value, LookupError)
    with pytest.raises(RuleNotFoundError, match="available: none"):
        read_rule(registry_of(), "rule://c")


#
@pytest.mark.parametrize("url", ["", "a", "rule:a", "rule:/a", "Rule://a", "file:///etc/passwd", " rule://a"])
def test_what_is_no_rule_url_is_refused(url: str) -> None:
    with pytest.raises(RuleUrlError) as raised:
        read_rule(registry_of("a"), url)
    assert isinstance(raised.value, ValueError)


#
@pytest.mark.parametrize(
    ("names", "url", "name"),
    [
        (("a b",), "rule://a b", "a b"),
        (("a b",), "rule://a%20b", "a b"),
        (("a b", "a%20b"), "rule://a%20b", "a%20b"),
        (("a/b", "a%2Fb"), "rule://a%2Fb", "a%2Fb"),
        (("a/b",), "rule://a%2Fb", "a/b"),
        (("a/b",), "rule://a/b", "a/b"),
        (("100%",), "rule://100%", "100%"),
        (("100%",), "rule://100%25", "100%"),
        (("v1.2",), "rule://v1.2", "v1.2"),
        (("..",), "rule://..", ".."),
        (("\u2215x",), "rule://\u2215x", "\u2215x"),
        (("\u898f\u5247",), "rule://%E8%A6%8F%E5%89%87", "\u898f\u5247"),
        (("a+b",), "rule://a+b", "a+b"),
        (("a?b#c",), "rule://a?b#c", "a?b#c"),
    ],
)
def test_the_exact_name_wins_and_then_its_percent_decoded_form(names: tuple[str, ...], url: str, name: str) -> None:
    assert read_rule(registry_of(*names), url).name == name


#
@pytest.mark.parametrize("name", ["a+b", "\u2215x", "a/b", "\u00e9", "e\u0301"])
def test_look_alikes_are_not_the_name(name: str) -> None:
    for other in ("a b", "/x", "a\u2215b", "e\u0301" if name == "\u00e9" else "\u00e9"):
        if other != name:
            with pytest.raises(RuleNotFoundError):
                read_rule(registry_of(name), f"rule://{other}")


#
@pytest.mark.parametrize(
    "name", ["../../secret", "/etc/passwd", "..%2F..%2Fsecret", "%2Fetc%2Fpasswd", "secret\0", "~/secret", "."]
)
def test_resolution_never_touches_the_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "secret").write_text("Secret.")
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    registry = registry_of("a")
    with touches() as touched, pytest.raises(RuleNotFoundError):
        read_rule(registry, f"rule://{name}")
    assert touched == []


#
def test_the_text_that_was_discovered_is_read_even_after_its_file_is_gone(project: Project) -> None:
    registry = project({".xcsh/rules/a.md": "---\ndescription: D\n---\nBody."})
    os.remove(project.path(".xcsh/rules/a.md"))
    assert read_rule(registry, "rule://a").content == "Body."


NAMES = st.text(min_size=1, max_size=20) | st.binary(min_size=1, max_size=12).map(os.fsdecode)


# The specification says: "names round-trip through percent-encoding"
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_can_be_read_through_its_own_url(names: list[str]) -> None:
    registry = registry_of(*names)
    for name in names:
        decoded = read_rule(registry, url_of(name)).name
        assert decoded == name or url_of(name).removeprefix("rule://") in names
        assert url_of(name).isprintable()
