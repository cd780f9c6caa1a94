"""Runs the command line in this process, around a project on disk."""

from __future__ import annotations

import io
import json
import sys
from typing import Any, NamedTuple

import pytest
from tests.cli.turns import Turn
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


@pytest.fixture
def quiet_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is piped in, and no server of this machine is found."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


@pytest.fixture
def turn(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, quiet_input: None
) -> Turn:
    monkeypatch.setenv("HOME", str(project.home))
    return Turn(project, capsys)
