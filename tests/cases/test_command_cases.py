"""Command files met in the wild: each is found, read and expanded as its author plainly meant it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from tests.support import USER_SETTINGS, Project

from xcsh.model.command import SlashCommand
from xcsh.model.registry import Registry
from xcsh.slash.expansion import expand
from xcsh.slash.lookup import names_of

Case = dict

CASES = [json.loads(line) for line in (Path(__file__).parent / "commands.jsonl").read_text("utf-8").splitlines()]
DECISION = Path(__file__).parents[2] / "docs" / "decisions" / "0014-command-cases-overruled.md"
REGISTRY = "~/.claude/plugins/installed_plugins.json"

OTHERWISE_BY_REQUIREMENT = {
    "cmd-frontmatter-18": ("C-11: the first line as it stands", {"description": "# Release notes"}),
    "cmd-names-01": ("C-14: a command of the package has the bare name", {"aliases": []}),
    "cmd-names-03": ("C-4: every *.md is a command", {"skip": False, "description": "# About"}),
    "cmd-names-07": ("C-8: the name is the stem, plugin:stem an alias", {"name": "scan", "aliases": ["kit:scan"]}),
    "cmd-names-08": ("C-8, C-40: as above", {"name": "sub:scan", "aliases": ["kit:sub:scan", "scan"]}),
    "cmd-names-09": ("C-8: the name is the folder's, plugin:name an alias", {"name": "scan", "aliases": ["kit:scan"]}),
    "cmd-frontmatter-28": (
        "C-11: the first line as it stands; C-13: what could not be read is not offered to models",
        {"description": "---", "model_invocable": False},
    ),
    "dialect-cline-07": ("C-11: the first line as it stands", {"description": "# Ship"}),
    "encoding-14": ("R-24: another encoding is read, and reported", {"skip": False, "description": "\ufffd"}),
    "skills-13": ("C-11: the first line as it stands", {"description": "# Only text"}),
    "args-other-12": ("C-42: expansion runs nothing", {"expanded": "Find: !{grep -r it's .}"}),
    "args-other-13": ("C-42: expansion includes nothing", {"expanded": "Use @{docs/x.md}"}),
    "args-other-18": ("C-42: expansion runs nothing", {"expanded": 'json !{echo {"a":{"b":1}}}'}),
    "args-claude-13": ("C-42: expansion runs nothing", {"expanded": "Branch: !`git branch --show-current`\n"}),
    "args-claude-14": (
        "C-42: expansion includes nothing",
        {"expanded": "Read @docs/plan.md and @missing.md\n"},
    ),
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_command_is_read_and_expanded_as_its_author_meant_it(case: Case, project: Project) -> None:
    registry = _discover(case, project)
    expected = case["expected"] | OTHERWISE_BY_REQUIREMENT.get(case["id"], ("", {}))[1]
    if expected.get("skip"):
        assert _found(registry) == []
        kinds = (registry.commands, registry.prompts, registry.skills)
        assert sum(len(items.skipped) for items in kinds) == 1
        return
    (command,) = _found(registry)
    _check_command(command, expected, registry)
    if "invocation" in case:
        expansion = expand(registry, case["invocation"])
        assert expansion.command == command
        _check_text(expansion.text, case, expected["expanded"])


def _discover(case: Case, project: Project) -> Registry:
    content = base64.b64decode(case["bytes_b64"]) if "bytes_b64" in case else case["text"]
    filename = case["filename"]
    if filename.startswith("<root>/"):
        filename = filename.replace("<root>", "~/plugins/kit")
        entry = {"scope": "user", "installPath": str(project.home / "plugins" / "kit"), "version": "1.0.0"}
        project.write({REGISTRY: json.dumps({"version": 2, "plugins": {"kit@market": [entry]}})})
    if case["kind"] == "args-claude":
        project.write({USER_SETTINGS: '[commands]\narguments = "tool"\n'})
    return project({filename: content})


def _found(registry: Registry) -> list[SlashCommand]:
    """The commands that come from files, which those of the package do not."""
    kinds = (registry.commands, registry.prompts, registry.skills)
    entries = [entry for items in kinds for entry in items.active]
    return [entry.command for entry in entries if entry.command.origin.provider != "bundled"]


def _check_command(command: SlashCommand, expected: Case, registry: Registry) -> None:
    assert command.name == expected["name"]
    if "description" in expected:
        assert command.description == expected["description"]
    assert command.argument_hint == expected.get("argument_hint")
    assert list(command.allowed_tools) == expected.get("allowed_tools", [])
    assert command.model_invocable is expected.get("model_invocable", True)
    assert command.user_invocable is expected.get("user_invocable", True)
    assert command.template.startswith(expected.get("body_starts_with", ""))
    names = names_of(registry.skills.all) | names_of(registry.prompts.all) | names_of(registry.commands.all)
    assert all(names[name] == command for name in (expected["name"], *expected.get("aliases", ())))


def _check_text(text: str, case: Case, expected: str) -> None:
    if case.get("expanded_match") == "ignore-blank-lines":
        text, expected = ("\n".join(filter(None, part.split("\n"))) for part in (text, expected))
    elif case["text"].startswith("---"):
        expected = expected.strip()  # a body below a block is stripped
    assert text == expected


def test_every_exception_is_explained_in_the_decision() -> None:
    text = DECISION.read_text("utf-8")
    assert [case for case in OTHERWISE_BY_REQUIREMENT if f"`{case}`" not in text] == []


def test_every_exception_names_a_case() -> None:
    known = {case["id"] for case in CASES}
    assert OTHERWISE_BY_REQUIREMENT.keys() <= known
