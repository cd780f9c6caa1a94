"""Which editor the user has, and how it is told a line and to wait."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from xcsh.errors import UsageError

_GIT_SECONDS = 5
_FALLBACKS = ("sensible-editor", "nano", "vim", "nvim", "vi", "micro", "emacs", "notepad.exe")
SET_ONE = "set the variable VISUAL or EDITOR to your editor"

_TERMINAL = ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "mg", "joe", "jed", "ne", "kak", "micro")
_CODE = ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf")
_JETBRAINS = ("idea", "pycharm", "webstorm", "goland", "clion", "phpstorm", "rubymine", "rider", "rustrover")
_PLUS = (*_TERMINAL, "emacsclient", "sensible-editor", "gvim", "mvim", "gedit", "bbedit", "xed", "pluma")
_GOTO = _CODE
_COLON = ("hx", "helix", "zed", "zeditor", "subl", "sublime_text", "atom", "pulsar")
_DASH_LINE = (*_JETBRAINS, "kate", "mate")
_WAIT = {
    **dict.fromkeys((*_CODE, *_COLON[2:], *_JETBRAINS, "gedit", "mate", "bbedit", "xed", "pluma"), "--wait"),
    **dict.fromkeys(("gvim", "mvim"), "--nofork"),
    "kate": "--block",
}
"""Editors with a window of their own, and what makes them return only when the file is closed."""


class Editor(NamedTuple):
    """An editor as it is called, without a file."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The program's name, by which its spelling of a line is known."""
        return os.path.basename(self.words[0].replace("\\", "/")).lower().removesuffix(".exe").removesuffix(".cmd")

    @property
    def has_a_window(self) -> bool:
        """Whether it needs no terminal."""
        return self.name in _WAIT or self.name.startswith("notepad")

    def call(self, path: str, line: int = 1, *, wait: bool = False) -> list[str]:
        """The words that open a file at a line, where its way of saying that is known.

        `wait`: they return when the file is closed, also where the editor has a window of its own.
        """
        words = list(self.words)
        flag = _WAIT.get(self.name)
        if wait and flag and not {flag, flag[1:3]} & set(words):
            words.append(flag)
        if line <= 1:
            return [*words, path]
        if self.name in _PLUS:
            return [*words, f"+{line}", path]
        if self.name in _GOTO:
            return [*words, "--goto", f"{path}:{line}"]
        if self.name in _COLON:
            return [*words, f"{path}:{line}"]
        if self.name in _DASH_LINE:
            return [*words, "--line", str(line), path]
        return [*words, path]


def find_editor(environ: Mapping[str, str], *, home: str = "") -> Editor:
    """$VISUAL, else $EDITOR, else git's core.editor of the user, else one that most systems have. May start git.

    UsageError, one sentence, where there is none and where the one that is named is not installed. A repository's own
    core.editor is not asked: it may be somebody else's.
    """
    search = environ.get("PATH")
    for variable in ("VISUAL", "EDITOR"):
        if value := environ.get(variable, "").strip():
            return _installed(value, f"${variable}", search)
    if value := _git_editor(environ, home):
        return _installed(value, "git's core.editor", search)
    for name in _FALLBACKS:
        if shutil.which(name, path=search):
            return Editor((name,))
    raise UsageError("there is no editor here", SET_ONE)


def _installed(value: str, named_by: str, search: str | None) -> Editor:
    try:
        words = shlex.split(value, posix=os.name != "nt")
    except ValueError:
        words = []
    if not words:
        raise UsageError(f"{named_by} is no command: {value}", SET_ONE)
    words[0] = os.path.expanduser(words[0])
    if shutil.which(words[0], path=search) is None:
        raise UsageError(f"the editor {words[0]}, which {named_by} names, is not installed", SET_ONE)
    return Editor(tuple(words))


def _git_editor(environ: Mapping[str, str], home: str) -> str:
    git = shutil.which("git", path=environ.get("PATH"))
    if git is None:
        return ""
    try:
        asked = subprocess.run(  # noqa: S603 - a fixed call
            [git, "config", "--global", "--get", "core.editor"],
            env=dict(environ),
            cwd=home or None,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return asked.stdout.strip()
