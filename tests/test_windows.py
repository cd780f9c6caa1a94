"""What can be held to Windows without one: what modules need to be imported, and what paths with backslashes become."""

from __future__ import annotations

import ast
import errno
import importlib.util
import ntpath
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from xcsh.installing.targets import command_line
from xcsh.model.source import Level, Root, Source
from xcsh.sources import context_files, places
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.sarif import sarif_log

SOURCE = Path(__file__).parents[1] / "src" / "xcsh"
POSIX_MODULES = {"fcntl", "termios", "pwd", "grp", "resource", "tty", "pty", "readline", "curses", "syslog"}
POSIX_NAMES = {
    "os": {"getuid", "geteuid", "killpg", "fork", "fchmod", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC"},
    "signal": {"SIGHUP", "SIGKILL", "SIGPIPE", "SIGALRM", "SIGWINCH", "pthread_sigmask"},
}
NT = SimpleNamespace(path=ntpath, sep="\\")


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that run when it is imported on Windows."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "win32" in ast.unparse(child.test):
            for statement in child.body:
                yield statement
                yield from at_import(statement)
            continue
        yield child
        yield from at_import(child)


def posix_only(path: Path) -> list[str]:
    found: list[str] = []
    for node in at_import(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name in POSIX_MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = POSIX_NAMES.get(node.module or "", set())
            found += [node.module] if node.module in POSIX_MODULES else [n.name for n in node.names if n.name in names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found += [node.attr] if node.attr in POSIX_NAMES.get(node.value.id, set()) else []
    return found


def test_no_module_needs_what_windows_lacks_to_be_imported() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 300
    assert {file.name: found for file in files if (found := posix_only(file))} == {}
    assert posix_only(Path(__file__).parent / "fakes" / "posix_module.py.txt") == ["fcntl", "O_NOFOLLOW"]


@pytest.mark.parametrize("root", [Root.CWD, Root.HOME, Root.ANCESTORS, Root.NESTED])
def test_a_file_has_one_spelling_however_it_was_found(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    #
    monkeypatch.setattr(places, "os", NT)
    environment = make_environment("/p", "/h")._replace(cwd="C:\\p\\sub", home="C:\\h", repo_root="C:\\p")
    source = Source(root, ".cursor/rules", Level.PROJECT, (".mdc",))
    present = SimpleNamespace(may_hold=lambda *_: True)
    paths = [place.path for place in places.places_of([source], environment, present, {".cursor": ["a/b"]})]
    assert paths
    assert all("/" not in path for path in paths), paths


def test_an_import_from_another_drive_is_named_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_files, "os", NT)
    assert context_files.name_of("C:\\Users\\x\\CLAUDE.md", "D:\\shop") == "C:/Users/x/CLAUDE"
    assert context_files.shown_from("C:\\Users\\x\\CLAUDE.md", "D:\\shop") == "C:\\Users\\x\\CLAUDE.md"
    assert context_files.name_of("D:\\shop\\docs\\a.md", "D:\\shop") == "docs/a"


def test_folders_with_drives_are_uris_in_a_log_of_sarif() -> None:
    def uri(root: str) -> str:
        run = sarif_log([], root, "1")["runs"][0]  # pyright: ignore[reportIndexIssue]
        return str(run["originalUriBaseIds"]["SRCROOT"]["uri"])

    assert uri("C:\\my shop") == "file:///C:/my%20shop/"
    assert uri("\\\\server\\share\\x") == "file://server/share/x/"
    assert uri("/my shop") == "file:///my%20shop/"


def test_the_line_of_a_hook_is_one_for_bash_and_for_cmd() -> None:
    command = ["C:\\Program Files\\x\\xcsh.exe", "-P"]
    assert command_line(command, windows=True) == '"C:/Program Files/x/xcsh.exe" -P'
    assert command_line(["C:\\x\\xcsh.exe"], windows=True) == "C:/x/xcsh.exe"
    assert command_line(["/a b/xcsh"], windows=False) == "'/a b/xcsh'"


@pytest.mark.parametrize(
    ("number", "outcome"), [(errno.EACCES, "waits"), (errno.EDEADLK, "waits"), (errno.EINVAL, "goes on")]
)
def test_only_a_file_that_another_process_has_is_waited_for(
    number: int, outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # where nothing can be locked, as on some network drives, nobody lets go either
    def locking(*_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    locks = on_windows(SOURCE / "sources" / "locking.py", monkeypatch)
    try:
        with locks.held(os.fspath(tmp_path / "file"), 0.0):
            found = "goes on"
    except BlockingIOError:
        found = "waits"
    assert found == outcome


def on_windows(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module as it is when it is imported there."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_there", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        spec.loader.exec_module(module)
    return module
