"""Runs the command line in this process, around a project on disk."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from tests.support import Project

from xcsh.cli.main import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Xcsh:
    """Calls `xcsh -C PROJECT …` with the project's home as HOME."""

    def __init__(self, project: Project, capfd: pytest.CaptureFixture[str]) -> None:
        self.project = project
        self._capfd = capfd

    def __call__(self, *arguments: str) -> Outcome:
        self._capfd.readouterr()
        try:
            code = main(["-C", str(self.project.root), *arguments])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        captured = self._capfd.readouterr()
        return Outcome(code, captured.out, captured.err)


@pytest.fixture
def xcsh(project: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Xcsh:
    monkeypatch.setenv("HOME", str(project.home))
    monkeypatch.setenv("USERPROFILE", str(project.home))
    monkeypatch.delenv("COLUMNS", raising=False)
    return Xcsh(project, capfd)
