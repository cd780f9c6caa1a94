"""Programs that run another one, which their arguments name, and where it stands among these (C-42, S-12)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SHELLS = ("sh", "ash", "bash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh")

FINDERS = ("find", "gfind", "bfs")
FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
"""Behind which words `find` takes a program."""


class Wrapper(NamedTuple):
    """Where among its arguments a program takes the one that it runs: its first operand, where nothing says another."""

    values: str = ""
    """Letters of the short options that take the next word, where nothing is glued to them."""

    long: tuple[str, ...] = ()
    """Long options that take the next word."""

    nothing: str = ""
    """Letters of the short options with which none of its operands is run."""

    operands: int = 0
    """Operands of its own before the program, such as the time limit of `timeout`."""

    behind: tuple[str, ...] = ()
    """The sub-commands that do so, or other words of which one has to come before: `-exec`."""

    anywhere: bool = False
    """Too much else may stand before the program to count it: any of the words may be it."""


_PLAIN = Wrapper()
_FIND = Wrapper(behind=FIND_RUNS)
_PACKAGE = Wrapper(values="p", nothing="c", long=("--package", "--from", "--with", "--python"))
_CONTAINER = Wrapper(behind=("run", "exec"), anywhere=True)

WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(("busybox", "builtin", "nohup", "setsid", "unbuffer", "fakeroot", "entr"), _PLAIN),
    **dict.fromkeys(("start-stop-daemon", "proot", "gdb"), Wrapper(anywhere=True)),
    **dict.fromkeys(("strace", "ltrace"), Wrapper(values="aeEIoOpPsSuUbX")),
    "command": Wrapper(nothing="vV"),
    "exec": Wrapper(values="a"),
    "env": Wrapper(values="uC", long=("--unset", "--chdir")),
    "sudo": Wrapper(values="ugpCcrtTUDRh", long=("--user", "--group", "--chdir", "--host", "--prompt"), nothing="elvV"),
    "doas": Wrapper(values="uC"),
    "pkexec": Wrapper(long=("--user",)),
    "runuser": Wrapper(values="ugGsw", long=("--user", "--group", "--shell"), nothing="cl"),
    "setpriv": Wrapper(long=("--reuid", "--regid", "--groups", "--ruid", "--rgid", "--inh-caps", "--bounding-set")),
    "chroot": Wrapper(operands=1),
    "unshare": Wrapper(values="RwSG", long=("--root", "--wd", "--setuid", "--setgid")),
    "nsenter": Wrapper(values="tSG", long=("--target", "--setuid", "--setgid")),
    "systemd-run": Wrapper(values="pEtuMH", long=("--unit", "--uid", "--gid", "--property", "--slice", "--setenv",
                                                  "--description", "--working-directory", "--machine", "--host")),
    "xargs": Wrapper(values="aEILnPsd", long=("--arg-file", "--delimiter", "--max-args", "--max-procs",
                                              "--max-chars")),
    "parallel": Wrapper(values="jNnIaSLsPd", long=("--jobs", "--max-args", "--arg-file", "--delay", "--joblog")),
    "nice": Wrapper(values="n", long=("--adjustment",)),
    "ionice": Wrapper(values="cnpPu", long=("--class", "--classdata")),
    "chrt": Wrapper(values="TPD", operands=1),
    "taskset": Wrapper(operands=1),
    "stdbuf": Wrapper(values="ioe", long=("--input", "--output", "--error")),
    "time": Wrapper(values="fo", long=("--format", "--output")),
    "timeout": Wrapper(values="ks", long=("--kill-after", "--signal"), operands=1),
    "flock": Wrapper(values="wE", long=("--timeout", "--wait", "--conflict-exit-code"), operands=1, nothing="c"),
    "script": Wrapper(values="EIOBTmo", operands=1, nothing="c"),
    "direnv": Wrapper(behind=("exec",), operands=1),
}  # fmt: skip
"""Those that run whatever command follows: their names say nothing about what is done."""

LAUNCHERS: dict[str, Wrapper] = {
    **dict.fromkeys(FINDERS, _FIND),
    **dict.fromkeys(("docker", "podman", "docker-compose", "nerdctl", "kubectl", "oc"), _CONTAINER),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "rye", "hatch"), Wrapper(behind=("run",))),
    **dict.fromkeys(("npx", "pnpx", "bunx", "uvx"), _PACKAGE),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _PACKAGE._replace(behind=("exec", "dlx", "x"))),
    "pipx": _PACKAGE._replace(behind=("run",)),
    "uv": Wrapper(behind=("run",), values="p",
                  long=("--python", "--project", "--directory", "--group", "--env-file", "--with", "--extra")),
    "conda": Wrapper(behind=("run",), values="np", long=("--name", "--prefix")),
    "bundle": Wrapper(behind=("exec",)),
    "mise": Wrapper(behind=("exec", "x"), anywhere=True),
    "nix": Wrapper(behind=("run", "shell", "develop"), anywhere=True),
}  # fmt: skip
"""Those that do so for one of their sub-commands, or only with the programs of packages and containers."""

_ALL = {**WRAPPERS, **LAUNCHERS}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def is_wrapper(word: str) -> bool:
    """Whether a word names a program of either kind, by itself or in a folder."""
    return posixpath.basename(word) in _ALL


def wrapped_by(words: Sequence[str], at: int) -> tuple[Sequence[int], bool]:
    """Where the programs that the one at an offset runs may stand in the same list; whether each is one for sure."""
    wrapper = _ALL.get(posixpath.basename(words[at]))
    if wrapper is None:
        return (), True
    if wrapper == _FIND:
        return list(_behind_each(words, at + 1)), True
    if wrapper.anywhere:
        return range(_behind(wrapper, words, at + 1), len(words)), False
    begin = at + 1
    if wrapper.behind:
        command = _operand(Wrapper(long=wrapper.long), words, begin)
        if command is None or words[command] not in wrapper.behind:
            return (), True
        begin = command + 1
    found = _operand(wrapper, words, begin)
    return (() if found is None else (found,)), True


def _behind(wrapper: Wrapper, words: Sequence[str], begin: int) -> int:
    if not wrapper.behind:
        return begin
    return next((at + 1 for at in range(begin, len(words)) if words[at] in wrapper.behind), len(words))


def _behind_each(words: Sequence[str], begin: int) -> Iterator[int]:
    return (at + 1 for at in range(begin, len(words) - 1) if words[at] in FIND_RUNS)


def _operand(wrapper: Wrapper, words: Sequence[str], at: int) -> int | None:
    """The offset of the operand that is the program."""
    left, options = wrapper.operands, True
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            options = False
        elif options and word.startswith("--"):
            at += word in wrapper.long
        elif options and word.startswith("-") and word != "-":
            taking = next((here for here, letter in enumerate(word) if letter in wrapper.values), len(word))
            if set(word[1:taking]) & set(wrapper.nothing):
                return None
            at += taking == len(word) - 1
        elif _ASSIGNMENT.match(word) is None:
            if not left:
                return at - 1
            left -= 1
    return None
