"""docs/attached-rules.md: its sample and its program, as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support import Project

from xcsh.agent import RuleAttachments
from xcsh.cli.main import main
from xcsh.model.settings import BY_KEY

PAGE = Path(__file__).parents[3].joinpath("docs/attached-rules.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return text


def test_the_sample_prints_what_the_page_says(
    project: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    #
    monkeypatch.setenv("HOME", str(project.home))
    project.write({".xcsh/rules/react.md": block("markdown")})
    command, _, printed = block("console").partition("\n")
    assert main(["-C", str(project.root), *command.removeprefix("$ xcsh ").split()]) == 0
    assert capfd.readouterr().out == printed


def test_the_program_makes_an_agent(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    #
    project.write({".xcsh/rules/react.md": block("markdown")})
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    names: dict[str, object] = {}
    exec(block("python"), names)
    assert "agent" in names
    assert RuleAttachments.discover(project.root, home=project.home).id == "rule-attachments"


def test_the_settings_of_the_page_exist_with_these_values() -> None:
    #
    rows = re.findall(r'^\| `(rules\.\w+) = "(\w+)"` \|', PAGE, re.MULTILINE)
    assert len(rows) == 2
    for key, value in rows:
        setting = BY_KEY[key]
        assert value in setting.choices
        assert value == setting.reference != setting.default
