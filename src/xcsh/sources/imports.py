"""Puts the files that a context file names with `@path` into its text (R-60).

A line that is nothing but an import becomes the file's text; a mention in a sentence stays as it is, and the file
follows at the end. What stands in code is no import, nor is a word that no file is called by: `@scope/package` and
addresses are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xcsh.parsing.block import find_regular
from xcsh.sources.filesystem import ReadRefusedError, lies_in, read_bytes

DEEPEST = 5
_MOST = 200
_MOST_MENTIONS = 5_000
_MENTION = re.compile(r"(?<![^\s(])@((?:\\ |[^\s`'\"<>()\[\],;])+)")
_ALONE = re.compile(r"[ \t]*(?:[-*][ \t]+)?@(?:\\ |\S)+[ \t]*\Z")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKS = ".,:!?"
"""What ends a sentence or a part of it, and is no part of a path there."""
_PLAINLY_A_PATH = ("./", "../", "~/", "/")
_GLOBS = re.compile(r"^globs[ \t]*:", re.MULTILINE)


class Mention(NamedTuple):
    """Where the top file names what is imported: line and column from 1, the `@` included, and a length."""

    line: int
    column: int
    length: int


Problem = Callable[[Mention, str, str], None]
"""Takes the place in the top file, the path as it was written, and why it is not read."""


class Imported(NamedTuple):
    """A file that was imported and says itself for which files it is: a rule of its own, not a part of the text."""

    path: str
    text: str


class Roots(NamedTuple):
    """Real folders that may be imported from, the home that `~/` stands for, and the most bytes of one text."""

    allowed: Sequence[str]
    home: str
    most: int


class Expansion:
    """One context file with its imports.

    `known` are real paths of files that the prompt says anyway: a line that imports one is dropped. Afterwards `files`
    are the real paths that were put in, `conditional` the files that are rules of their own.
    """

    def __init__(self, roots: Roots, known: Callable[[str], bool], problem: Problem) -> None:
        self._roots = roots
        self._known = known
        self._problem = problem
        self._size = 0
        self._reals: dict[str, str] = {}
        self._targets: dict[tuple[str, str], str | None] = {}
        self.files: list[str] = []
        self.conditional: list[Imported] = []

    def expand(self, path: str, text: str) -> str:
        """The text of the file at `path` with everything that it imports."""
        self._size = len(text)
        self.files.append(os.path.realpath(path))
        return self._expanded(path, text, 0, None)

    def _expanded(self, path: str, text: str, depth: int, top: Mention | None) -> str:
        """The text with its imports; `top` is the mention in the top file that led here, None in that file itself."""
        lines: list[str] = []
        appended: list[str] = []
        fence = ""
        for number, content in enumerate(text.split("\n"), 1):
            mark = _FENCE.match(content)
            if mark and (not fence or (mark[1].startswith(fence) and not content[mark.end() :].strip())):
                fence = "" if fence else mark[1]
            elif not fence and "@" in content:
                found = self._of_line(path, content, depth, top or Mention(number, 0, 0))
                if found and _ALONE.match(content):
                    lines.extend(inner for _, inner in found if inner)
                    continue
                appended += (f"Contents of {name}:\n\n{inner}" for name, inner in found if inner)
            lines.append(content)
        return "\n\n".join(["\n".join(lines).rstrip("\n"), *appended]) if appended else "\n".join(lines)

    def _of_line(self, path: str, content: str, depth: int, top: Mention) -> list[tuple[str, str]]:
        """Paths as they are written and texts of the imports of one line; an empty text for what is said anyway."""
        bare = _CODE_SPAN.sub(lambda match: " " * len(match[0]), content) if "`" in content else content
        found: list[tuple[str, str]] = []
        for match in _MENTION.finditer(bare):
            written = match[1].replace("\\ ", " ")
            bounds = match.start() + 1, len(match[0].rstrip(_MARKS))
            place = Mention(top.line, *bounds) if depth == 0 else top
            target = self._known_target(path, written, place)
            if target is not None and (text := self._read(target, written, depth, place)) is not None:
                found.append((written.rstrip(_MARKS), text))
        return found

    def _real(self, target: str) -> str:
        if target not in self._reals:
            self._reals[target] = os.path.realpath(target)
        return self._reals[target]

    def _known_target(self, path: str, written: str, place: Mention) -> str | None:
        """The same as `_target`, asked once for each mention of one folder, and for so many mentions at most."""
        key = (os.path.dirname(path), written)
        if key not in self._targets:
            if len(self._targets) == _MOST_MENTIONS:
                self._problem(place, written, f"more than {_MOST_MENTIONS:,} mentions")
            within = len(self._targets) < _MOST_MENTIONS
            self._targets[key] = self._target(path, written, place) if within else None
        return self._targets[key]

    def _target(self, path: str, written: str, place: Mention) -> str | None:
        """The absolute path of a file that may be read; None where there is none."""
        for name in dict.fromkeys((written, written.rstrip(_MARKS))):
            expanded = self._roots.home + name[1:] if name.startswith("~/") else name
            target = os.path.normpath(os.path.join(os.path.dirname(path), expanded))
            if not _is_file(target):
                continue
            real = self._real(target)
            if any(lies_in(real, root) for root in self._roots.allowed):
                return target
            self._problem(place, written, f"it leads to {real}, outside the project")
            return None
        if written.startswith(_PLAINLY_A_PATH) or written.rstrip(_MARKS).endswith(".md"):
            self._problem(place, written.rstrip(_MARKS), "there is no such file")
        return None

    def _read(self, target: str, written: str, depth: int, place: Mention) -> str | None:
        real = self._real(target)
        if self._known(real) or real in self.files:
            return ""
        if depth >= DEEPEST or len(self.files) >= _MOST:
            limit = f"{DEEPEST} levels deep" if depth >= DEEPEST else f"{_MOST} files"
            self._problem(place, written, f"more than {limit}")
            return None
        try:
            data = read_bytes(real, self._roots.most - min(self._size, self._roots.most))
        except ReadRefusedError as problem:
            self._problem(place, written, problem.message)
            return None
        if b"\0" in data:
            self._problem(place, written, "it is no text")
            return None
        self.files.append(real)
        self._size += len(data)
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        block = find_regular(text)
        if block is not None and _GLOBS.search(block.text):
            self.conditional.append(Imported(target, text))
            return ""
        body = text[block.body_start :] if block is not None else text
        return self._expanded(target, body.strip("\n"), depth + 1, place)


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # no system has such a path
        return False
