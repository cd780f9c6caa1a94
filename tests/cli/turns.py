"""Turns of `xcsh -p` in this process, from recordings or from a server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.shapes import check_shape
from tests.support import Project

from xcsh.cli.main import main

TREE = {
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
    "src/a.ts": "let a = 1\n",
    "~/.xcsh/agent/settings.toml": "requests.attempts = 1\n",
}
REFUSED = "the model may not use write_file, edit_file, shell; to let it: --allow write,edit,shell\n"


class Turn:
    """A small project, a recording beside it, and what `xcsh -p` makes of both."""

    def __init__(self, project: Project, capsys: pytest.CaptureFixture[str]) -> None:
        self.project = project
        self._capsys = capsys
        self.out = self.err = ""
        project.write(TREE)

    def __call__(self, *exchanges: dict[str, Any], prompt: str = "hi", options: tuple[str, ...] = ()) -> int:
        lines = [{"recording": 1, "prompt": "hi"}, *exchanges]
        recording = self.project.root.parent / "r.jsonl"
        recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self.run("--model", f"replay:{recording}", *options, prompt)

    def run(self, *arguments: str) -> int:
        return self.elsewhere("-C", str(self.project.root), *arguments)

    def elsewhere(self, *arguments: str) -> int:
        """As `run`, in the working folder of the process."""
        try:
            code = main(["-p", *(argument for argument in arguments if argument)])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        self.out, self.err = self._capsys.readouterr()
        assert "Traceback" not in self.err
        return code

    @property
    def result(self) -> dict[str, Any]:
        """The one object of `--output json`."""
        assert self.out.count("\n") == 1
        shape = json.loads(self.out)
        check_shape("result", shape)
        return shape

    def sessions(self) -> list[str]:
        """The files of the sessions, oldest first."""
        folder = self.project.home / ".local" / "state" / "xcsh" / "sessions"
        return sorted(map(str, folder.glob("*.jsonl")))


def says(*texts: str) -> dict[str, Any]:
    return {"reply": [{"text": list(texts)}]}


def runs(command: str) -> dict[str, Any]:
    return {"reply": [{"tool": "shell", "arguments": {"command": command}}]}


def lines_of(output: str) -> list[dict[str, Any]]:
    """The lines of `--output jsonl`, each of which has a shape that is promised; the last one is the result."""
    assert output.endswith("\n")
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines[:-1]:
        check_shape("event", line)
    check_shape("result", lines[-1])
    return lines
