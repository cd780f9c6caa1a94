"""Finds shell lines that hand an argument to a program as code: `sh -c`, `eval`, `python -c`, `ssh` (C-42)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xcsh.slash.shell_line import Filled, refer
from xcsh.slash.shell_reading import ShellCommand, ShellWord, read_commands

Places = Iterable[tuple[int, int]]
"""Where a line has placeholders, by offsets."""


class _Operands:
    """Which operands of a program are code, where no option gave it any."""

    NONE = ""
    FIRST = "first"
    ALL = "all"


class _Program(NamedTuple):
    """How a program takes code. Letters of short options: the value of `code` is it; after `flag` the first operand is.
    `values` take another value, `glued` one in the same word, `instead` names a file of code; behind
    `last` there are only arguments. `long` are other options
    of which the value is code. `reads`: without an operand it takes its input for code.
    """

    code: str = ""
    flag: str = ""
    values: str = ""
    glued: str = ""
    instead: str = ""
    last: str = ""
    long: tuple[str, ...] = ()
    operands: str = _Operands.NONE
    reads: bool = False


_SHELL = _Program(flag="c", values="oO", reads=True)
_PYTHON = _Program(code="c", values="WX", instead="m", last="cm", reads=True)
_NODE = _Program(code="ep", values="r", long=("--eval", "--print"), reads=True)
_EVAL = _Program(operands=_Operands.ALL)
_AWK = _Program(code="e", values="Fv", instead="f", operands=_Operands.FIRST, long=("--source",))
_PROGRAMS: dict[str, _Program] = {
    **dict.fromkeys(("sh", "ash", "bash", "dash", "zsh", "ksh", "mksh", "fish"), _SHELL),
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), _PYTHON),
    **dict.fromkeys(("node", "bun"), _NODE),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("eval", "watch"), _EVAL),
    "perl": _Program(code="eE", glued="0CDFIMVdilmx", reads=True),
    "ruby": _Program(code="e", values="ICEr", glued="0FKTWix", reads=True),
    "php": _Program(code="rBRE", values="cdz", instead="f", reads=True),
    "lua": _Program(code="e", values="l", reads=True),
    "Rscript": _Program(code="e"),
    "julia": _Program(code="eE", reads=True),
    "osascript": _Program(code="e", values="l", reads=True),
    "pwsh": _Program(code="c", long=("-Command", "-command", "-Comm"), reads=True),
    "sed": _Program(code="e", instead="f", glued="il", operands=_Operands.FIRST, long=("--expression",)),
    "trap": _Program(operands=_Operands.FIRST),
    "ssh": _Program(code="o", values="BbcDEeFIiJLlmOPpQRSWw", operands=_Operands.ALL),
}
_RUN_OTHERS = frozenset((
    "env", "sudo", "doas", "nice", "ionice", "nohup", "setsid", "stdbuf", "timeout", "xargs", "parallel", "exec",
    "command", "builtin", "find", "flock", "chroot", "unshare", "docker", "podman", "kubectl", "uv", "poetry", "npx",
    "mise", "direnv", "nix", "busybox",
))  # fmt: skip
"""Programs of which some argument is the name of the program that they run."""
_RUN_FIRST = frozenset((
    "env", "sudo", "doas", "nohup", "setsid", "xargs", "exec", "command", "builtin", "npx", "busybox",
))  # fmt: skip
"""Of those the ones of which the first operand is."""

_PRINT = frozenset(("echo", "printf"))
_VERSION = re.compile(r"[0-9.]+\Z")


def code_given_to(line: str, places: Places) -> str:
    """Who gets what stands at one of the places of a line as code, in words: "`sh -c`, as code"; empty for nobody.

    The line is read as the shell gets it, with a reference to a variable at each place. What a program does with its
    input or with files is not seen, but for what is plainly printed into an interpreter.
    """
    referred, values = refer(line, (Filled(start, end, "") for start, end in places))
    if not values:
        return ""
    before: ShellCommand | None = None
    for command in read_commands(referred, (name for name, _ in values)):
        fed = command.input_given or (command.piped and before is not None and _prints_given(before))
        if found := _given_to(command.words, fed=fed):
            return found
        before = command
    return ""


def _prints_given(command: ShellCommand) -> bool:
    program = command.words[0].text
    return (program in _PRINT and any(word.given for word in command.words)) or (
        program == "cat" and command.input_given
    )


def _given_to(words: Sequence[ShellWord], *, fed: bool) -> str:
    at = 0
    first = posixpath.basename(words[0].text)
    if _is_value(words[0]) or (first in _RUN_FIRST and len(words) > 1 and _is_value(words[1])):
        return "the shell, as the program to run"
    if first in _RUN_OTHERS:
        at = next((at for at, word in enumerate(words) if _program(word) is not None), len(words))
    program = _program(words[at]) if at < len(words) else None
    if program is None:
        return ""
    name = posixpath.basename(words[at].text)
    for label, word in _code(name, program, words[at + 1 :], fed=fed):
        if word is None or word.given:
            return f"`{label}`, as code"
    return ""


def _is_value(word: ShellWord) -> bool:
    """Whether a word begins with a value; behind a folder it can only name what lies there."""
    return word.given and word.text.startswith("$")


def _program(word: ShellWord) -> _Program | None:
    name = posixpath.basename(word.text)
    return _PROGRAMS.get(name) or _PROGRAMS.get(_VERSION.sub("", name))


def _code(
    name: str, program: _Program, words: Sequence[ShellWord], *, fed: bool
) -> Iterator[tuple[str, ShellWord | None]]:
    """What of the words a program takes for code, by what it is called then; None for its input that holds a value."""
    flagged, elsewhere = "", False
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        if len(text) < 2 or text[0] not in "-+":  # noqa: PLR2004 - a sign and a letter
            break
        at += 1
        if text == "--":
            break
        option, equals, _ = text.partition("=")
        if option in program.long or text.startswith("--"):
            if option in program.long:
                elsewhere = True
                at += not equals
                yield f"{name} {option}", word if equals else _at(words, at - 1)
            continue
        flag, taking, glued = _cluster(program, text[1:])
        flagged = flagged or flag
        at += bool(taking) and not glued
        elsewhere = elsewhere or (taking != "" and taking in program.code + program.instead)
        if taking and taking in program.code:
            yield f"{name} -{taking}", word if glued else _at(words, at - 1)
        if taking and taking in program.last:
            break
    if flagged or not elsewhere or program.operands == _Operands.ALL:
        yield from _operands(name, program, flagged, words[at:], fed=fed)


def _operands(
    name: str, program: _Program, flagged: str, operands: Sequence[ShellWord], *, fed: bool
) -> Iterator[tuple[str, ShellWord | None]]:
    """The same of what follows the options, none of which took code but where all operands are code anyway."""
    if flagged:
        yield f"{name} -{flagged}", _at(operands, 0)
    elif program.operands == _Operands.ALL:
        yield from ((name, word) for word in operands)
    elif program.operands == _Operands.FIRST:
        yield name, _at(operands, 0)
    elif program.reads and fed and (not operands or operands[0].text == "-"):
        yield name, None


def _cluster(program: _Program, letters: str) -> tuple[str, str, bool]:
    """What the short options in one word mean: a flag for code, the option that takes a value, and whether the same
    word holds that value. Empty for what there is not.
    """
    flag = ""
    for position, letter in enumerate(letters):
        rest = letters[position + 1 :]
        if letter in program.glued:
            break
        if letter in program.flag:
            flag = letter
        elif letter in program.values + program.instead or (
            letter in program.code and (not rest or rest.strip(program.code))
        ):
            return flag, letter, bool(rest)
    return flag, "", True


def _at(words: Sequence[ShellWord], at: int) -> ShellWord:
    return words[at] if at < len(words) else ShellWord()
