"""Providers of installed packages: found without their metadata being imported, bounded, checked, switched off (R-63)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import USER_SETTINGS, Project

from xcsh.api import discover, providers_of, rediscover
from xcsh.installed import providers as loading
from xcsh.installed.entry_points import find_entry_points, folders_outside
from xcsh.model.registry import Registry
from xcsh.sources.filesystem import make_environment

EXAMPLE = Path(__file__).parents[2] / "examples" / "provider"
FILES = {".notes/rules/a.note": "Always.", ".notes/commands/say.note": "Say $1.", ".xcsh/rules/b.md": "B"}

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package and what an installer writes of it into a folder of Python's path."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])

    def put(name: str, code: str, value: str = "", entry: str = "") -> Path:
        module = name.replace("-", "_")
        (folder / f"{module}.py").write_text(code)
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        declared = f"[console_scripts]\nx = y:z\n\n[xcsh.providers]\n{entry or name} = {value or module}\n"
        (info / "entry_points.txt").write_text(declared)
        monkeypatch.delitem(sys.modules, module, raising=False)
        return folder

    return put


def test_packages_whose_metadata_has_no_version_are_told_apart(tmp_path: Path) -> None:
    # as a checkout that is installed to be edited has it
    for name in ("one", "other_one"):
        info = tmp_path / f"{name}.egg-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(f"[xcsh.providers]\n{name} = {name}\n")
    assert [point.name for point in find_entry_points("xcsh.providers", [str(tmp_path)])] == ["one", "other_one"]


def of_example(install: Install) -> None:
    code = (EXAMPLE / "src" / "xcsh_notes" / "__init__.py").read_text()
    install("xcsh-notes", code, "xcsh_notes:NOTES", entry="notes")


def found(project: Project, *, reference: bool = False) -> Registry:
    return discover(project.root, home=project.home, reference=reference)


def failures(registry: Registry) -> list[str]:
    return [item.message for item in registry.diagnostics if item.code == "provider-failed"]


#
def test_the_example_package_brings_a_tool(project: Project, install: Install) -> None:
    of_example(install)
    project.write(FILES)
    registry = found(project)
    assert {entry.rule.origin.title for entry in registry.active} == {"Notes", "xcsh"}
    assert "say" in {entry.command.name for entry in registry.commands.active}
    assert [provider.id for provider in providers_of(registry)][-1] == "notes"
    assert rediscover(registry) == registry
    assert (EXAMPLE / "pyproject.toml").read_text().count('notes = "xcsh_notes:NOTES"') == 1


#
def test_it_is_absent_in_the_reference_and_where_it_is_switched_off(project: Project, install: Install) -> None:
    of_example(install)
    project.write(FILES)
    assert [entry.rule.name for entry in found(project, reference=True).all] == ["b"]
    assert "xcsh_notes" not in sys.modules
    project.write({USER_SETTINGS: '[discovery]\ndisabled = ["notes"]\n'})
    registry = found(project)
    assert [entry.rule.name for entry in registry.all] == ["b"]
    assert [item.code for item in registry.diagnostics if item.code == "invalid-setting"] == []
    assert "xcsh_notes" not in sys.modules


PROVIDER = (
    "from xcsh.model.provider import Provider, RuleTable, CommandTable, RuleFields\nfrom xcsh.model.source import *\n"
)
STUCK = "VALUE = Provider('bad', 'T', 10, commands=CommandTable((Source('cwd', '.bad', 'project', ('.md',)),), naming=stuck))"
ROW = 'Source("cwd", ".bad", "project", (".md",))'


# "raises, hangs or returns nonsense"
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nowhere", "No module named 'nowhere'"),
        ("raise SystemExit(3)", "SystemExit"),
        ("print('to standard output')\nx = 1/0", "ZeroDivisionError"),
        ("while True: pass", "it did not end within"),
        ("VALUE = 3", "not iterable"),
        ("VALUE = ['a']", "no xcsh.model.provider.Provider"),
        ("def VALUE():\n    while True: yield 1", "no xcsh.model.provider.Provider"),
        (f"{PROVIDER}VALUE = Provider('other', 'T', 10)", "neither 'bad' nor begins"),
        (f"{PROVIDER}VALUE = [Provider('bad', 'T', 10), Provider('bad', 'T', 10)]", "another provider"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 1000)", "not between 1 and 39"),
        (f"{PROVIDER}VALUE = Provider('bad', None, 10)", "have to be texts"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 10, rules=3)", "no RuleTable"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 10, commands=CommandTable(('a',)))", "no Source"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 10, commands=CommandTable((Source('cwd', '../x', 'project'),)))", "below its root"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 10, commands=CommandTable((Source('cwd', 'x', 'native'),)))", "the level 'native'"),
        (f"{PROVIDER}VALUE = Provider('bad', 'T', 10, commands=CommandTable(({ROW},), naming=lambda name: 1/0))", "ZeroDivisionError"),
        (
            f"{PROVIDER}def stuck(name):\n    while True: pass\n\n\n{STUCK}",
            "it did not end within",
        ),
    ],
)  # fmt: skip
def test_a_package_that_is_wrong_is_named_and_everything_else_loads(
    code: str,
    why: str,
    project: Project,
    install: Install,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("xcsh.pipeline._SECONDS", 0.3)
    monkeypatch.setattr(loading.load_installed, "__kwdefaults__", {"seconds": 0.3})
    of_example(install)
    install("bad", code, "bad:VALUE")
    project.write({**FILES, ".bad/a.md": "A"})
    registry = found(project)
    (message,) = failures(registry)
    assert "bad" in message
    assert why in message
    assert {entry.rule.name for entry in registry.active} == {"a", "b"}
    assert capsys.readouterr().out == ""


# what a checkout brings never runs by itself
def test_a_package_in_the_project_is_not_loaded(
    project: Project, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(
        {
            "evil.py": "raise SystemExit(9)",
            "evil-1.0.dist-info/entry_points.txt": "[xcsh.providers]\nevil = evil\n",
            ".venv/lib/site-packages/a": "",
        }
    )
    monkeypatch.setattr(sys, "path", [str(project.root), *sys.path])
    assert failures(found(project)) == []
    environment = make_environment(str(project.root), str(project.home))
    own = str(project.root / ".venv/lib/site-packages")
    assert folders_outside([str(project.root), own, "/usr"], environment, [own]) == [own, "/usr"]


#
def test_the_first_of_a_distribution_on_the_path_counts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        info = tmp_path / name / "A_b-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "entry_points.txt").write_text(f"[g]\nx = {name}:v [extra]\n# no = comment\n[other]\ny = z\n")
    (tmp_path / "two" / "odd-1.dist-info").mkdir()
    points = find_entry_points("g", [str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "gone")])
    assert [(point.name, point.value) for point in points] == [("x", "one:v")]


# U-4, R-63: where nobody has such a package, nothing of this is paid but a look into some folders
def test_a_listing_imports_neither_the_metadata_of_packages_nor_threads(project: Project) -> None:
    code = "import sys; from xcsh.api import discover; discover(sys.argv[1], home=sys.argv[2]); print(*sorted(sys.modules))"
    shown = subprocess.run(
        [sys.executable, "-c", code, str(project.root), str(project.home)], capture_output=True, text=True, check=True
    )
    modules = set(shown.stdout.split())
    assert not modules & {"importlib.metadata", "threading", "ctypes"}
