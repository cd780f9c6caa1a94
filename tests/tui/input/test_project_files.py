"""Which files of a project are listed for completion."""

from __future__ import annotations

import os

import pytest
from tests.support import Project

from xcsh.tui.input.project_files import list_names, list_project


def test_what_git_ignores_is_left_out_and_the_nearest_and_unhidden_come_first(project: Project) -> None:
    # C-30
    project.make_repository()
    project.write(
        {
            ".gitignore": "build/\n*.log\n!keep.log\n/top.txt\n",
            "app/.gitignore": "cache\n",
            "app/main.py": "",
            "app/cache/x": "",
            "app/build/x": "",
            "app/top.txt": "",
            "app/deep/er/x.log": "",
            "app/deep/er/keep.log": "",
            ".github/ci.yml": "",
            "node_modules/a/b.js": "",
            "top.txt": "",
            "z.md": "",
        }
    )
    assert list_project(os.fspath(project.root)).paths == (
        ".github/", ".gitignore", "app/", "z.md",
        "app/.gitignore", "app/deep/", "app/main.py", "app/top.txt",
        "app/deep/er/", "app/deep/er/keep.log", ".github/ci.yml",
    )  # fmt: skip


def test_the_ignore_files_above_the_working_folder_count(project: Project) -> None:
    project.make_repository()
    project.write({".gitignore": "/app/out\n*.tmp\n", "app/out/x": "", "app/a.tmp": "", "app/a.py": ""})
    assert list_project(os.fspath(project.root / "app")).paths == ("a.py",)


def test_links_are_listed_and_not_entered_and_odd_names_are_left_out(project: Project) -> None:
    project.write({"a/b.py": "", "odd\x1b[2J.py": ""})
    project.link("a/up", "..")
    assert list_project(os.fspath(project.root)).paths == ("a/", "a/b.py", "a/up")


def test_a_listing_is_bounded_and_says_so(project: Project) -> None:
    # C-30
    project.write({f"f{number}": "" for number in range(30)})
    index = list_project(os.fspath(project.root), most=10)
    assert len(index.paths) == 10
    assert index.cut
    assert list_project(os.fspath(project.root), cancelled=lambda: True).paths == ()


@pytest.mark.parametrize("name", ["gone", "a-file"])
def test_the_names_in_any_folder_are_listed_or_none(project: Project, name: str) -> None:
    project.write({"x/y.md": "", "a-file": ""})
    assert list_names(os.fspath(project.root)) == ("a-file", "x/")
    assert list_names(os.fspath(project.root / name)) == ()
