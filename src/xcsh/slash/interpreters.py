"""Programs that take code among their arguments, and where (C-42)."""

from __future__ import annotations

import posixpath
import re
from typing import Literal, NamedTuple

from xcsh.slash.wrappers import SHELLS


class Interpreter(NamedTuple):
    """How a program takes code. Short options are given by their letters, long ones with their dashes."""

    code: str = ""
    """Short options whose value is code."""

    flag: str = ""
    """Short options that make the first operand code."""

    values: str = ""
    """Short options with another value, in the same word or the next."""

    glued: str = ""
    """Short options whose value is the rest of their word, if there is any."""

    partly: tuple[tuple[str, str], ...] = ()
    """Short options with the pattern of what belongs to them in the rest of their word; other options may follow."""

    instead: str = ""
    """Short options that name a file of code, so that no operand is code."""

    last: str = ""
    """Short options behind whose value there are only arguments."""

    long: tuple[str, ...] = ()
    """Long options whose value is code."""

    long_values: tuple[str, ...] = ()
    """Long options with another value in the next word."""

    operands: Literal["none", "first", "all"] = "none"
    """Which operands are code, where no option gave any."""

    permutes: bool = False
    """Whether options may follow operands."""

    reads: bool = False
    """Whether it takes its input for code, where it has no operand."""


_SHELL = Interpreter(flag="c", values="oO", long_values=("--rcfile", "--init-file", "--emulate"), reads=True)
_FISH = Interpreter(code="cC", values="dDfo", long=("--command", "--init-command"), reads=True)
_PYTHON = Interpreter(
    code="c", values="WX", instead="m", last="cm", long_values=("--check-hash-based-pycs",), reads=True
)
_NODE = Interpreter(
    code="ep", values="rC", long=("--eval", "--print"), reads=True,
    long_values=("--require", "--import", "--loader", "--experimental-loader", "--conditions", "--input-type"),
)  # fmt: skip
_PERL = Interpreter(
    code="eE", values="I", glued="CDFMVimx", reads=True,
    partly=(("0", r"x[0-9A-Fa-f]+|[0-7]*"), ("l", "[0-7]*"), ("d", "t?(?:[:=].*)?")),
)  # fmt: skip
_RUBY = Interpreter(
    code="e", values="ICEr", glued="Fix", reads=True, long_values=("--encoding", "--external-encoding"),
    partly=(("0", "[0-7]*"), ("K", ".?"), ("T", "[0-9]*"), ("W", "(?::.*|[0-9]?)")),
)  # fmt: skip
_AWK = Interpreter(
    code="e", values="Fvi", instead="f", operands="first", long=("--source",),
    long_values=("--assign", "--field-separator", "--include"),
)  # fmt: skip
_SED = Interpreter(
    code="e", values="l", glued="i", instead="f", operands="first", permutes=True, long=("--expression",),
    long_values=("--line-length",),
)  # fmt: skip
_PHP = Interpreter(
    code="rBRE", values="cdz", instead="f", reads=True, long_values=("--define", "--php-ini"),
    long=("--run", "--process-code", "--process-begin", "--process-end"),
)  # fmt: skip
_POWERSHELL = Interpreter(
    reads=True, long=("-c", "-Command", "-command", "-Comm"),
    long_values=("-ExecutionPolicy", "-ep", "-ex", "-WorkingDirectory", "-wd", "-OutputFormat", "-ConfigurationName"),
)  # fmt: skip
_USER = Interpreter(
    code="c", values="gGsw", permutes=True, long=("--command", "--session-command"),
    long_values=("--group", "--supp-group", "--shell", "--whitelist-environment"),
)  # fmt: skip

_INTERPRETERS: dict[str, Interpreter] = {
    **dict.fromkeys(SHELLS, _SHELL),
    "fish": _FISH,
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), _PYTHON),
    **dict.fromkeys(("node", "bun"), _NODE),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("sed", "gsed"), _SED),
    **dict.fromkeys(("pwsh", "powershell"), _POWERSHELL),
    **dict.fromkeys(("su", "runuser"), _USER),
    "eval": Interpreter(operands="all"),
    "watch": Interpreter(values="nq", long_values=("--interval",), operands="all"),
    "perl": _PERL,
    "ruby": _RUBY,
    "php": _PHP,
    "lua": Interpreter(code="e", values="l", reads=True),
    "Rscript": Interpreter(code="e"),
    "julia": Interpreter(code="eE", values="LptJCH", long=("--eval", "--print"), reads=True),
    "osascript": Interpreter(code="e", values="l", reads=True),
    "trap": Interpreter(operands="first"),
    "ssh": Interpreter(code="o", values="BbcDEeFIiJLlmOPpQRSWw", operands="all"),
    "env": Interpreter(code="S", values="uC", long=("--split-string",)),
    "npx": Interpreter(code="c", values="p", long=("--call",), long_values=("--package",)),
    "script": Interpreter(code="c", values="EIOBTmo", permutes=True, long=("--command",)),
    "flock": Interpreter(code="c", values="wE", permutes=True, long=("--command",)),
    "entr": Interpreter(flag="s"),
    "nix-shell": Interpreter(values="pAI", permutes=True, long=("--run", "--command")),
}
_VERSION = re.compile(r"[0-9.]+\Z")


def interpreter_of(word: str) -> Interpreter | None:
    """The row of a program, by its name, in a folder and with a version as well."""
    name = posixpath.basename(word)
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(_VERSION.sub("", name))
