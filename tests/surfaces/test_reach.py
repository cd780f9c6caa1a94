"""Which paths lie below the working folder."""

from __future__ import annotations

import os

import pytest
from tests.support import Project

from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.reach import names_of, relative_path

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


#
def test_a_file_is_called_as_its_path_is_given_and_as_it_really_is(project: Project) -> None:
    project.write({"src/a.ts": ""})
    project.link("link", "src")
    project.link("out.ts", "/etc/hosts")
    here = make_environment(str(project.root), str(project.home))
    assert names_of(here, "link/a.ts") == ("link/a.ts", "src/a.ts")
    assert names_of(here, f"{project.root}/src/../src/a.ts") == ("src/a.ts",)
    assert names_of(here, "src\\new\\..\\b.ts") == ("src\\new\\..\\b.ts", "src/b.ts")
    assert names_of(here, "out.ts") == ("out.ts",)
    assert names_of(here, "../a.ts") == names_of(here, "src") == names_of(here, ".") == ()
    assert names_of(here, "a\x00b") == ("a\x00b",)
    assert names_of(here, "x/" * 20_000 + "a.ts") == ()  # longer than any path
