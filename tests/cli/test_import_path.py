"""What the folder that xcsh is called in holds is never imported, however xcsh is called."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.support import Project

import xcsh
from xcsh.__main__ import clean_path

ROOT = Path(__file__).parents[2]
OWN = str(ROOT / "src")
MODULES = ("__future__", "argparse", "json", "tomllib", "yaml", "bisect", "gc")
"""Of the standard library and of ours, none of which Python itself imports while it starts.

`re` and what that imports are none of them: the script of installers does, before it comes to xcsh.
"""
SCRIPT = """# -*- coding: utf-8 -*-
import re
import sys
from {module} import {function}
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit({function}())
"""


def console_script(folder: Path) -> Path:
    """As pip writes it, from the entry point that the package names."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = scripts["xcsh"].partition(":")
    script = folder / "xcsh"
    script.write_text(SCRIPT.format(module=module, function=function))
    return script


# U-5
@pytest.mark.parametrize(
    "python_path", ["", ":{own}", "{own}:", "{own}::/nowhere", "{own}:.", "./:{own}", "src:{own}", "{own}:./a/../src"]
)
@pytest.mark.parametrize("how", ["python -m", "console script"])
def test_no_module_of_the_working_folder_is_imported(
    project: Project, tmp_path: Path, python_path: str, how: str
) -> None:
    code = f"open({os.fspath(project.path('ran'))!r}, 'a').write(__name__ + ' ')\n"
    project.write({f"{folder}{name}.py": code for folder in ("", "src/") for name in MODULES})
    project.write({".xcsh/rules/a.md": "---\ndescription: [x\nglobs: *.ts\n---\nText.\n"})
    call = ["-m", "xcsh"] if how == "python -m" else [str(console_script(tmp_path))]
    environment = {**os.environ, "HOME": str(project.home), "PYTHONPATH": python_path.format(own=OWN)}
    done = subprocess.run(
        [sys.executable, *call, "rules", "--json"],
        env=environment, cwd=project.root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not project.path("ran").exists(), project.path("ran").read_text()
    assert done.returncode == 0, done.stderr


def test_a_folder_that_is_named_in_full_stays_and_so_does_the_rest() -> None:
    entries = ["/bin", "/shop", "/usr/lib"]
    assert clean_path(entries, ":", "/shop") == ["/bin", "/usr/lib"]
    assert clean_path(["/bin", "", ".", "/usr/lib"], "/a:.", "") == ["/bin", "/usr/lib"]
    assert clean_path(entries, ":/shop/", "/shop") == entries
    assert clean_path(entries, "/shop", "/shop") == entries
    assert clean_path(["/shop/src", *entries], "src", "/shop") == entries
    assert clean_path(["src", "/shop/src"], "src:/shop/src", "/shop") == ["/shop/src"]
    assert clean_path(entries, "", "/shop") == entries


def test_xcsh_is_found_where_it_is_worked_on() -> None:
    own = os.path.dirname(os.path.dirname(os.path.abspath(xcsh.__file__)))
    assert clean_path([own, "/usr/lib"], ":", own) == [own, "/usr/lib"]
    assert clean_path([own, "/usr/lib"], os.path.basename(own), os.path.dirname(own)) == [own, "/usr/lib"]
