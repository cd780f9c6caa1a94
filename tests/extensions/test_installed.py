"""Packages that lie in the project are no installed packages: nothing of them runs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import EntryPoint, PathDistribution
from pathlib import Path

import pytest
from tests.extensions.conftest import Loader
from tests.extensions.test_loading import extension, install

from xcsh.extensions.installed import installed_entry_points

PROGRAM = """
import os
from xcsh.extensions.files import read_code
from xcsh.extensions.loading import load_extensions
from xcsh.sources.filesystem import make_environment
code = read_code(make_environment(os.getcwd(), os.environ["HOME"]), print)
extensions = load_extensions(code, print)
print(len(extensions.commands), *(f"{item.reason} {item.path}" for item in extensions.skipped))
"""
TRAP = "open('ran', 'w').close()\n"


def run(load: Loader, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(load.project.home), **more}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60
    )


def tree(value: str) -> dict[str, str]:
    return {
        "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
        "evil-1.dist-info/entry_points.txt": f"[xcsh.extensions]\nevil = {value}\n",
        "evilmod.py": TRAP + extension("evil"),
        "evilpackage/__init__.py": TRAP,
        "evilpackage/inner.py": extension("evil"),
    }


# `python -c` has the working folder on its path, as `python -m` does
@pytest.mark.parametrize("value", ["evilmod:register", "evilmod", "evilpackage.inner:register"])
@pytest.mark.parametrize("python_path", ["", os.pathsep, "."])
def test_a_distribution_in_the_working_folder_does_not_run(load: Loader, value: str, python_path: str) -> None:
    load.project.write(tree(value))
    done = run(load, load.project.root, PYTHONPATH=python_path)
    assert done.stdout == f"0 untrusted {os.path.realpath(load.project.root)}\n", done.stderr
    assert not load.project.path("ran").exists()


def test_a_distribution_at_the_top_of_the_repository_does_not_run_below_it(load: Loader) -> None:
    load.project.write({**tree("evilmod"), "sub/a": "", ".git/HEAD": "ref: refs/heads/main\n"})
    done = run(load, load.project.path("sub"), PYTHONPATH=str(load.project.root))
    assert done.stdout.startswith("0 untrusted "), done.stderr
    assert not load.project.path("sub/ran").exists()


@pytest.mark.parametrize("value", ["evilmod", "evilpackage.inner:register"])
def test_a_module_in_the_project_does_not_run_for_a_distribution_elsewhere(
    load: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    load.project.write(tree(value))
    install(tmp_path, monkeypatch, {"a": value}, {})
    done = run(load, load.project.root, PYTHONPATH=str(tmp_path / "site"))
    assert done.stdout.count("untrusted") == 2, done.stderr
    assert not load.project.path("ran").exists()


def test_what_is_installed_in_the_interpreters_environment_runs_wherever_that_is(
    load: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = load.project.path(".venv/site-packages")
    load.project.write({f".venv/site-packages/{name}": text for name, text in tree("evilpackage.inner").items()})
    entry = EntryPoint("a", "evilpackage.inner", "xcsh.extensions")._for(  # pyright: ignore[reportAttributeAccessIssue]
        PathDistribution(site / "evil-1.dist-info")
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [entry])
    assert [each.inside for each in installed_entry_points(load.environment)] == [os.path.realpath(site)]
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(site))
    assert [each.inside for each in installed_entry_points(load.environment)] == [""]
