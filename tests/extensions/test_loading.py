"""Extensions: which are loaded, in which order, and what becomes of those that misbehave."""
# ruff: noqa: T201 - printing is the subject

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from tests.extensions.conftest import Loader

from xcsh.extensions.files import read_code
from xcsh.extensions.loading import load_extensions
from xcsh.model.diagnostic import Position
from xcsh.slash.builtins import BUILTIN_COMMANDS

PROJECT = ".xcsh/extensions/a.py"
USER = "~/.xcsh/agent/extensions/a.py"


def extension(*names: str, body: str = "pass", before: str = "") -> str:
    """The source of an extension that registers commands of these names."""
    commands = "".join(
        f"    @extension.command({name!r})\n    def handler_{at}(context, args):\n        {body}\n"
        for at, name in enumerate(names)
    )
    return f"{before}\ndef register(extension):\n{commands or '    pass'}\n"


def test_a_command_is_registered_with_all_that_was_said_of_it(load: Loader) -> None:
    source = """
def register(extension):
    @extension.command("todo", description="Shows what is left", argument_hint="[area]", complete=lambda text: [text])
    def todo(context, args): ...
"""
    loaded = load({PROJECT: source})
    (command,) = loaded.extensions.commands
    assert (command.name, command.description, command.argument_hint) == ("todo", "Shows what is left", "[area]")
    assert command.complete is not None
    assert list(command.complete("x")) == ["x"]
    assert (command.extension, command.level, command.line) == ("a", "project", 3)
    assert command.path == str(load.project.path(PROJECT))
    assert loaded.diagnostics == []


def test_nothing_of_an_untrusted_project_runs_and_the_users_own_code_does(load: Loader, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    loaded = load(
        {
            PROJECT: trap + extension("project"),
            ".xcsh/commands/c.py": trap,
            USER: extension("user"),
            "~/.xcsh/agent/commands/d.py": "def run(context, args): ...\n",
        },
        trusted=False,
    )
    assert loaded.names == ["user"]
    assert [command.name for command in loaded.customs.commands] == ["d"]
    assert not (tmp_path / "ran").exists()
    for skipped, name in ((loaded.extensions.skipped, PROJECT), (loaded.customs.skipped, ".xcsh/commands/c.py")):
        assert [(item.path, item.reason) for item in skipped] == [(str(load.project.path(name)), "untrusted")]
        assert skipped[0].detail == (
            "this folder has not been trusted; to see what would run and to trust it: xcsh trust"
        )


def test_a_change_after_trust_keeps_everything_of_the_project_from_running_and_says_which(load: Loader) -> None:
    load({PROJECT: extension("one"), ".xcsh/extensions/b.py": extension("two")})
    loaded = load({".xcsh/extensions/b.py": extension("evil")}, trusted=False)
    assert loaded.names == []
    assert len(loaded.extensions.skipped) == 2
    assert all(".xcsh/extensions/b.py has changed" in item.detail for item in loaded.extensions.skipped)


def test_what_runs_is_what_was_checked_and_not_what_stands_there_by_then(load: Loader) -> None:
    load({PROJECT: extension("checked"), USER: extension("mine")})
    code = read_code(load.environment, print)
    load.project.write({PROJECT: extension("exchanged"), USER: extension("exchanged")})
    assert [command.name for command in load_extensions(code, print, installed=False).commands] == ["checked", "mine"]


def test_no_bytecode_is_left_behind_or_taken(load: Loader) -> None:
    load({PROJECT: extension("one")})
    assert [path.name for path in load.project.path(".xcsh/extensions").iterdir()] == ["a.py"]


def test_the_project_comes_before_the_user_and_the_user_before_installed_packages(
    load: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, {"shared": "one_package:register"}, {"one_package": extension("x", "y", "z")})
    tree = {PROJECT: extension("x"), USER: extension("x", "y"), "~/.xcsh/agent/extensions/b.py": extension("y")}
    loaded = load(tree, installed=True)
    found = [(command.name, command.level, command.extension) for command in loaded.extensions.commands]
    assert found == [("x", "project", "a"), ("y", "user", "a"), ("z", "user", "shared")]
    assert [(command.name, command.extension) for command in loaded.extensions.shadowed] == [
        ("x", "a"), ("y", "b"), ("x", "shared"), ("y", "shared"),
    ]  # fmt: skip
    refused = [item for item in loaded.diagnostics if item.code == "command-refused"]
    assert [Path(item.path).name for item in refused] == ["a.py", "b.py", "one_package.py", "one_package.py"]
    assert refused[0].related == (str(load.project.path(PROJECT)),)
    assert refused[0].position == Position(3, 1)


def install(base: Path, monkeypatch: pytest.MonkeyPatch, entries: dict[str, str], modules: dict[str, str]) -> None:
    """A distribution with entry points and modules, as an installer leaves it."""
    site = base / "site"
    info = site / "one_package-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one-package\nVersion: 1\n")
    lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[xcsh.extensions]\n{lines}\n")
    for name, source in modules.items():
        (site / f"{name}.py").parent.mkdir(exist_ok=True)
        (site / f"{name}.py").write_text(source)
        monkeypatch.delitem(sys.modules, name.replace("/", "."), raising=False)
    monkeypatch.syspath_prepend(str(site))


def test_installed_extensions_load_from_a_function_or_a_module(
    load: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {"first_module": extension("one"), "second_module": extension("two")}
    install(tmp_path, monkeypatch, {"b": "first_module:register", "a": "second_module"}, modules)
    loaded = load(installed=True)
    assert loaded.names == ["two", "one"]
    assert loaded.extensions.commands[0].path == str(tmp_path / "site/second_module.py")
    assert loaded.extensions.commands[0].line == 3


def test_installed_extensions_that_fail_are_named_with_their_file(
    load: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {"broken_module": "import json\n\njson.loads('{')\n", "sound_module": extension("sound")}
    entries = {"a": "broken_module:register", "b": "no_such_module_at_all", "c": "sound_module"}
    install(tmp_path, monkeypatch, entries, modules)
    loaded = load(installed=True)
    assert loaded.names == ["sound"]
    first, second = loaded.diagnostics
    assert (first.path, first.position) == (str(tmp_path / "site/broken_module.py"), Position(3, 1))
    assert second.message == ("the extension 'b' failed: ModuleNotFoundError: No module named 'no_such_module_at_all'")
    assert [item.path for item in loaded.extensions.skipped] == [first.path, "b"]


@pytest.mark.parametrize(
    ("source", "position", "message"),
    [
        ("\nimport no_such_module", (2, 1), "ModuleNotFoundError: No module named 'no_such_module'"),
        ("import json\ndef f():\n    json.loads('{')\nf()", (3, 1), "JSONDecodeError: Expecting property name"),
        ("x = 1\ndef register(extension:\n", (2, 13), "SyntaxError: '(' was never closed"),
        ("a = 1\n\0", None, "null bytes"),
        ("raise SystemExit(7)", (1, 1), "SystemExit: 7"),
        ("import sys\nsys.exit('bye')", (2, 1), "SystemExit: bye"),
        ("raise KeyboardInterrupt", (1, 1), "KeyboardInterrupt"),
        ("raise GeneratorExit", (1, 1), "GeneratorExit"),
        ("def f(): f()\nf()", (1, 1), "RecursionError: maximum recursion depth exceeded"),
        ("x = 1", None, "it defines no function `register(extension)`"),
        ("register = 5", None, "it defines no function `register(extension)`"),
        ("async def register(extension): ...", None, "its function `register` must not be async"),
        ("def register(): ...", None, "TypeError: register() takes 0 positional arguments but 1 was given"),
        ("def register(extension):\n    1 / 0", (2, 1), "ZeroDivisionError: division by zero"),
        (
            "def register(extension):\n    @extension.command\n    def f(context, args): ...",
            (2, 1),
            'TypeError: a command needs a name: @extension.command("name")',
        ),
        ("class E(Exception):\n    def __str__(self): raise self\nraise E", (3, 1), "E: (its text cannot be read)"),
        ("raise ValueError('one\\n\\x1b[31mtwo.')", (1, 1), "ValueError: one \x1b[31mtwo"),
        ("raise ValueError('x' * 10_000_000)", (1, 1), "ValueError: xxx"),
    ],
)  # fmt: skip
def test_an_extension_that_cannot_be_loaded_is_a_finding_on_its_line_and_the_others_load(
    load: Loader, source: str, position: tuple[int, int] | None, message: str
) -> None:
    loaded = load({".xcsh/extensions/a.py": source, ".xcsh/extensions/b.py": extension("sound")})
    assert loaded.names == ["sound"]
    finding = loaded.finding("extension-failed")
    assert finding.path == str(load.project.path(PROJECT))
    if "null" not in message:
        assert finding.position == position
    assert message in finding.message
    assert len(finding.message) < 400
    assert "\n" not in finding.message
    assert [(item.path, item.reason) for item in loaded.extensions.skipped] == [(finding.path, "failed")]


def test_an_extension_that_fails_half_way_registers_nothing(load: Loader) -> None:
    loaded = load({PROJECT: extension("early") + "    1 / 0\n"})
    assert loaded.names == []
    assert loaded.finding("extension-failed").position == Position(7, 1)


def test_a_name_that_is_registered_twice_is_a_finding_and_the_first_counts(load: Loader) -> None:
    loaded = load({PROJECT: extension("deploy", "deploy")})
    (command,) = loaded.extensions.commands
    assert command.handler.__name__ == "handler_0"
    finding = loaded.finding("command-refused")
    assert finding.message == "`/deploy` is registered already on line 3; the first one counts"
    assert finding.position == Position(6, 1)


@pytest.mark.parametrize("name", BUILTIN_COMMANDS)
def test_the_name_of_a_built_in_cannot_be_registered(load: Loader, name: str) -> None:
    loaded = load({PROJECT: extension(name, "other")})
    assert loaded.names == ["other"]
    assert loaded.finding("command-refused").message == (f"`/{name}` is built in; the extension's command is left out")


@pytest.mark.parametrize("name", ["", " ", "two words", "a\nb", "/slash", "a/b", "\u202eevil", "a\x1b[31m"])
def test_a_name_that_cannot_be_typed_or_deceives_cannot_be_registered(load: Loader, name: str) -> None:
    loaded = load({PROJECT: extension(name, "other")})
    assert loaded.names == ["other"]
    assert "cannot be typed" in loaded.finding("command-refused").message


def test_commands_cannot_be_registered_later(load: Loader) -> None:
    source = "kept = []\ndef register(extension):\n    kept.append(extension)\n"
    load({PROJECT: source})
    module = sys.modules[f"xcsh extension {load.project.path(PROJECT)}"]
    with pytest.raises(RuntimeError, match="not later"):
        module.kept[0].command("late")


# issue text: "hangs at import (bounded)"
@pytest.mark.parametrize(
    "hang",
    [
        "while True: pass",
        "import threading\nthreading.Event().wait(3)",
        "import time\ntime.sleep(3)",
        "while True: print('again')",
    ],
)
def test_an_extension_that_hangs_is_given_up_and_the_others_load(load: Loader, hang: str) -> None:
    loaded = load({PROJECT: hang, ".xcsh/extensions/b.py": extension("sound")}, seconds=0.5)
    assert loaded.names == ["sound"]
    finding = loaded.finding("extension-hangs")
    assert finding.message == "the extension 'a' hangs: it did not end within 0.5 s"
    assert [item.reason for item in loaded.extensions.skipped] == ["failed"]


def test_a_busy_loop_does_not_go_on_in_the_background(load: Loader) -> None:
    before = set(threading.enumerate())
    load({PROJECT: "while True: pass"}, seconds=0.1)
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()


def test_what_hangs_in_register_cannot_register_after_it_was_given_up(load: Loader, tmp_path: Path) -> None:
    over = tmp_path / "over"
    os.mkfifo(over)
    source = f"def register(extension):\n    open({str(over)!r}).close()\n    extension.command('late')(print)\n"
    before = set(threading.enumerate())
    loaded = load({PROJECT: source}, seconds=0.1)
    opened = os.open(over, os.O_RDWR)  # from now on its other end can be opened
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    os.close(opened)
    assert loaded.names == []


# U-2
def test_what_an_extension_prints_at_import_goes_to_standard_error(
    load: Loader, capfd: pytest.CaptureFixture[str]
) -> None:
    noisy = "import sys\nprint('printed')\nsys.stdout.write('written\\n')\nsys.stdout.buffer.write(b'raw\\n')\n"
    loaded = load({PROJECT: noisy + extension("one")})
    print("ours")
    out, err = capfd.readouterr()
    assert out == "ours\n"
    assert sorted(err.split()) == ["printed", "raw", "written"]
    assert loaded.names == ["one"]


def test_data_classes_and_modern_annotations_work_in_an_extension(load: Loader) -> None:
    source = """from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Item:
    name: str
    next: Item | None = None
"""
    loaded = load({PROJECT: source + extension("one")})
    assert (loaded.names, loaded.diagnostics) == (["one"], [])


def test_an_extension_does_not_inherit_how_our_own_modules_are_compiled(load: Loader) -> None:
    source = "def f(x: int): ...\nassert f.__annotations__ == {'x': int}\n"
    assert load({PROJECT: source + extension("one")}).names == ["one"]


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\nname = '\xe9'\n", b"\r\n"])
def test_any_encoding_that_python_reads_is_read(load: Loader, head: bytes) -> None:
    assert load({PROJECT: head + extension("one").encode()}).names == ["one"]


def test_files_of_the_user_that_cannot_be_read_are_skipped_with_a_finding(load: Loader) -> None:
    load.project.link("~/.xcsh/agent/extensions/gone.py", "nowhere")
    loaded = load({USER: extension("one"), "~/.xcsh/agent/extensions/big.py": "#" * 1_048_577})
    assert loaded.names == ["one"]
    assert sorted(item.reason for item in loaded.extensions.skipped) == ["dangling-link", "too-large"]
    assert sorted(item.code for item in loaded.diagnostics) == ["dangling-link", "file-too-large"]


def test_the_users_own_files_may_be_links_to_anywhere(load: Loader, tmp_path: Path) -> None:
    (tmp_path / "dotfile.py").write_text(extension("one"))
    load.project.link(USER, tmp_path / "dotfile.py")
    assert load(trusted=False).names == ["one"]


def test_a_folder_without_code_loads_nothing_and_finds_nothing(load: Loader) -> None:
    loaded = load(trusted=False)
    assert (loaded.extensions.commands, loaded.extensions.skipped, loaded.customs.commands) == ((), (), ())
    assert loaded.diagnostics == []
