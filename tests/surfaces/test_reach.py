"""Which paths lie below the working folder."""

from __future__ import annotations

import os

import pytest

from xcsh.model.source import Environment
from xcsh.surfaces.reach import relative_path

HERE = Environment("/code/project", "/home/user", None)


def test_a_path_below_the_working_folder_is_relative_to_it_and_any_other_is_outside() -> None:
    assert relative_path(HERE, "src/a.ts") == "src/a.ts"
    assert relative_path(HERE, "/code/project/src/../a.ts") == "a.ts"
    assert relative_path(HERE, "..a.ts") == "..a.ts"
    assert relative_path(HERE, "../a.ts") is None
    assert relative_path(HERE, "/etc/hosts") is None


#
def test_a_path_on_another_drive_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    def relpath(path: str, start: str) -> str:
        raise ValueError(f"path is on mount 'D:', start on mount 'C:': {path}, {start}")

    monkeypatch.setattr(os.path, "relpath", relpath)
    assert relative_path(HERE, "/other/a.ts") is None
