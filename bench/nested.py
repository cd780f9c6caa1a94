"""The search through all sub-folders against git's own list of a project's files, and a second one after a change."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from functools import partial

import xcsh
from bench.measure import Line, cpu_of_call, cpu_of_child
from xcsh.api import rediscover

PROJECTS, FOLDERS, FILES = 40, 250, 10
ROUNDS = 7
WITH_GIT, WITHOUT_GIT, AGAIN = 1.5, 6.0, 0.2
SETTLES = 2.5
"""Seconds after which what a folder holds may be remembered."""
LIST = ["git", "ls-files", "-co", "--exclude-standard"]


def run() -> list[Line]:
    """CPU seconds of a first discovery against git's list, with a repository and without one; then of a second."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
        os.mkdir(home)
        write_project(project)
        environment = {**os.environ, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=project, env=environment, check=True)
        time.sleep(SETTLES)
        git, first, kept, again = _rounds(project, home, environment)
        shutil.rmtree(os.path.join(project, ".git"))
        xcsh.discover(project, home=home)
        bare = [cpu_of_call(partial(xcsh.discover, project, home=home)) for _ in range(ROUNDS)]
    listing, found, remembered, repeated, alone = (min(times) for times in (git, first, kept, again, bare))
    files = PROJECTS * FOLDERS * FILES
    return [
        Line(f"`discover()`, {files:,} files / `git ls-files`", found / listing, WITH_GIT, note=_note(found, listing)),
        Line("the same without a repository", alone / listing, WITHOUT_GIT, note=f"{alone * 1000:.0f} ms"),
        Line(
            "a second one after a change / a first one that remembers",
            repeated / remembered,
            AGAIN,
            note=f"{repeated * 1000:.0f} ms of {remembered * 1000:.0f}",
        ),
    ]


def write_project(folder: str) -> None:
    """Forty sub-projects, each with rules or a context file and an ignore file, and 250 folders of ten files."""
    for number in range(PROJECTS):
        base = os.path.join(folder, "services", f"s{number:02}")
        os.makedirs(os.path.join(base, ".cursor", "rules"))
        if number % 2:
            _write(os.path.join(base, ".cursor", "rules", "style.mdc"), f"---\nglobs: *.ts\n---\nStyle of {number}.\n")
        else:
            _write(os.path.join(base, "AGENTS.md"), f"How things are done in service {number}.\n")
        _write(os.path.join(base, ".gitignore"), "build/\n*.log\n/dist\n!keep.log\n.cache\n")
        for at in range(FOLDERS):
            inner = os.path.join(base, "src", f"m{at // 10}", f"d{at}")
            os.makedirs(inner)
            for file in range(FILES):
                _write(os.path.join(inner, f"file{file}.ts"), "")
    _write(os.path.join(folder, ".gitignore"), "node_modules/\n*.pyc\n__pycache__/\n")


def _rounds(project: str, home: str, environment: dict[str, str]) -> tuple[list[float], ...]:
    """CPU seconds of git's list, of a first discovery as a verb makes it, of one as a session makes it, which
    remembers, and of one after a file was added; by turns.
    """
    git: list[float] = []
    first: list[float] = []
    kept: list[float] = []
    again: list[float] = []
    registry = xcsh.discover(project, home=home, remember=True)
    if registry.found != PROJECTS:
        raise RuntimeError(f"{registry.found} rules instead of {PROJECTS}")
    for turn in range(ROUNDS):
        git.append(cpu_of_child(LIST, environment, project))
        first.append(cpu_of_call(partial(xcsh.discover, project, home=home)))
        kept.append(cpu_of_call(partial(xcsh.discover, project, home=home, remember=True)))
        _write(os.path.join(project, "services", f"s{turn:02}", "src", "new.ts"), "")
        again.append(cpu_of_call(partial(rediscover, registry)))
    return git, first, kept, again


def _note(found: float, listing: float) -> str:
    return f"{found * 1000:.0f} ms, git {listing * 1000:.0f}"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
