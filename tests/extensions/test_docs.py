"""The examples of docs/extensions.md, as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extensions.conftest import Loader
from tests.extensions.test_loading import install

from xcsh.extensions.custom import run_custom_command
from xcsh.extensions.running import LOAD_SECONDS, call_handler
from xcsh.sources.trust.deciding import CODE_LIMIT

PAGE = Path(__file__).parents[2].joinpath("docs/extensions.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_has_an_example_of_each_kind() -> None:
    assert list(EXAMPLES) == [".xcsh/extensions/rules.py", ".xcsh/commands/standup.py", "pyproject.toml"]


async def test_the_example_of_an_extension_does_what_the_page_says(load: Loader) -> None:
    name = ".xcsh/extensions/rules.py"
    rules = {f".xcsh/rules/{rule}.md": "---\nalwaysApply: true\n---\nR" for rule in ("style", "tests")}
    loaded = load({name: EXAMPLES[name], **rules})
    assert loaded.diagnostics == []
    command = loaded.extensions.find("which")
    assert command is not None
    assert (command.description, command.argument_hint) == ("Names the rules in force", "[word]")
    assert command.complete is not None
    assert list(command.complete("s")) == ["style"]
    said: list[str] = []
    for args in ("", "st", "none of them"):
        assert (await call_handler(command.handler, load.context(said), args)).error is None
    assert said == ["style, tests", "style, tests", "none"]


def commit(folder: Path, message: str) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)


async def test_the_example_of_a_custom_command_does_what_the_page_says(load: Loader) -> None:
    name = ".xcsh/commands/standup.py"
    loaded = load({name: EXAMPLES[name]})
    assert loaded.diagnostics == []
    command = loaded.customs.find("standup")
    assert command is not None
    assert (command.description, command.argument_hint) == ("Sums up what was done", "[since]")
    said: list[str] = []
    assert await run_custom_command(command, load.context(said), []) == (None, None)
    assert said == ["no commits since yesterday"]
    commit(load.project.root, "Add a queue")
    text = (await run_custom_command(command, load.context(said), ["2 weeks ago"])).value
    assert isinstance(text, str)
    assert text.startswith("Sum up for a stand-up what these commits do:\n\n")
    assert "Add a queue" in text


def test_the_example_of_a_package_does_what_the_page_says(
    load: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tomllib

    entries = tomllib.loads(EXAMPLES["pyproject.toml"])["project"]["entry-points"]["xcsh.extensions"]
    source = EXAMPLES[".xcsh/extensions/rules.py"]
    install(tmp_path, monkeypatch, entries, {"my_package/__init__": "", "my_package/commands": source})
    monkeypatch.delitem(sys.modules, "my_package", raising=False)
    assert [(each.name, each.extension) for each in load(installed=True).extensions.commands] == [("which", "rules")]


def test_the_examples_satisfy_the_type_checker_as_their_readers_would_run_it(tmp_path: Path) -> None:
    for name, source in EXAMPLES.items():
        if name.endswith(".py"):
            (tmp_path / Path(name).name).write_text(source)
    (tmp_path / "pyrightconfig.json").write_text(
        '{"typeCheckingMode": "strict", "reportUnusedFunction": false, "reportMissingTypeStubs": false}'
    )
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_limits_that_the_page_names_are_those_in_force() -> None:
    assert f"within {LOAD_SECONDS:g} seconds" in PAGE
    assert "larger than 1 MiB" in PAGE
    assert CODE_LIMIT == 1024 * 1024
