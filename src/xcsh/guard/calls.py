"""One stream that is being watched: prose, or a tool call whose path may come before or after what it writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xcsh.guard.arguments import Arguments, Piece
from xcsh.guard.tools import CHANGING, canonical, introduces, names_a_path
from xcsh.guard.watched import WatchedRule
from xcsh.guard.window import Found, Watch, Window
from xcsh.parsing.globs import relative

WatchFor = Callable[[str, str, bool], Watch]
"""The conditions for a stream, a canonical tool and raw arguments or not."""


class Hit(NamedTuple):
    """A match of a rule that is for the stream and the path."""

    rule: str
    condition: str
    start: int
    end: int
    path: str = ""
    text: str = ""


class Prose:
    """Text or thinking."""

    def __init__(self, source: str, watch: Watch) -> None:
        self.source = source
        self.tool = ""
        self._window = Window(watch)

    def feed(self, delta: str) -> list[Hit]:
        """The matches that `delta` decides."""
        return [_hit(found) for found in self._window.feed(delta)]

    def finish(self) -> list[Hit]:
        """The matches that the end decides."""
        return [_hit(found) for found in self._window.finish()]


class Call:
    """The arguments of one tool call."""

    source = "tool"

    def __init__(self, name: str, rules: dict[str, WatchedRule], watch_for: WatchFor, cwd: str) -> None:
        self.tool = canonical(name)
        self._rules = rules
        self._cwd = cwd
        self._watch = watch_for("tool", self.tool, False)
        self._arguments = Arguments()
        self._raw = Window(watch_for("tool", self.tool, True))
        self._window: Window | None = None
        self._path: list[str] = []
        self.paths: list[str] = []
        self._waiting: dict[tuple[str, bool], Found] = {}
        """By rule, and whether the raw arguments match: its first match; it fires once."""
        self._admitted: dict[tuple[str, bool], tuple[bool, int]] = {}
        """By the same: whether a path admits the rule, and how many paths were looked at for that."""

    def feed(self, delta: str) -> list[Hit]:
        """The matches that `delta`, some more of the argument JSON, decides."""
        self._wait(self._raw.feed(delta), raw=True)
        hits: list[Hit] = []
        for piece in self._arguments.feed(delta):
            hits += self._take(piece)
        return hits + self._decided()

    def introduce(self, text: str) -> list[Hit]:
        """As `feed`, of text that the call introduces, decoded already."""
        self._watch_text(text)
        return self._decided()

    def locate(self, path: str) -> list[Hit]:
        """The matches that are decided by the path of the file."""
        seen = relative(path, self._cwd)
        self.paths.append(seen)
        hits = [
            Hit(rule.name, glob, 0, 0, seen)
            for rule in self._rules.values()
            if (glob := rule.file_glob(self.tool, seen)) and self._admits(rule.name, raw=False)
        ]
        return hits + self._decided()

    def finish(self) -> list[Hit]:
        """The matches that the end decides. Those that wait for a path are none (T-5)."""
        self._close()
        self._wait(self._raw.finish(), raw=True)
        hits = self._decided()
        self._waiting.clear()
        return hits

    def _take(self, piece: Piece) -> list[Hit]:
        if self.tool not in CHANGING or introduces(piece.key):
            self._watch_text(piece.text)
            if piece.closed:
                self._close()
        if not names_a_path(piece.key):
            return []
        self._path.append(piece.text)
        if not piece.closed:
            return []
        path = "".join(self._path)
        self._path = []
        return self.locate(path)

    def _watch_text(self, text: str) -> None:
        if self._window is None:
            self._window = Window(self._watch)
        self._wait(self._window.feed(text), raw=False)

    def _close(self) -> None:
        if self._window is not None:
            self._wait(self._window.finish(), raw=False)
            self._window = None

    def _decided(self) -> list[Hit]:
        if not self._waiting:
            return []
        path = self.paths[-1] if self.paths else ""
        admitted = [key for key in self._waiting if self._admits(key[0], raw=key[1])]
        return [_hit(self._waiting.pop(key), path) for key in admitted]

    def _wait(self, found: list[Found], *, raw: bool) -> None:
        for match in found:
            self._waiting.setdefault((match.condition.rule, raw), match)

    def _admits(self, name: str, *, raw: bool) -> bool:
        """Whether the rule is for a call on the paths so far. No path is looked at twice: a call may name many."""
        admits, seen = self._admitted.get((name, raw), (False, -1))
        if not admits and seen < len(self.paths):
            known = [[path] for path in self.paths[max(seen, 0) :]] or [[]]
            admits = any(self._rules[name].admits(paths, "tool", self.tool, raw=raw) for paths in known)
            self._admitted[name, raw] = (admits, len(self.paths))
        return admits


def _hit(found: Found, path: str = "") -> Hit:
    return Hit(found.condition.rule, found.condition.source, found.start, found.end, path, found.text)
