"""What stands in a transcript, one below the other: each entry paints itself, and some fold or open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.strip import Strip

from xcsh.agent.events import FileChanged
from xcsh.surfaces.layout import plural
from xcsh.tui.transcript.blocks import Block
from xcsh.tui.transcript.diff_lines import diff_lines
from xcsh.tui.transcript.painter import GUTTER, Painter, visible_text, with_links

_MOST_RESULT_LINES = 200
_SHOWN = 160
_READ = "read_file"
_CHARACTERS_PER_TOKEN = 4


class RuleAt(NamedTuple):
    """A rule that a notice names: its name, and its file as it was told."""

    name: str
    path: str


class Entry:
    """One entry. `spaced`: an empty line stands before it. `folds`: its first line folds it in and out."""

    spaced = True
    folds = False
    unfolded = False
    rules: Sequence[RuleAt] = ()

    def __init__(self) -> None:
        self.strips: list[Strip] | None = None  # as they were painted last
        self.height = 1
        self.measured = False  # whether the height is that of the present width
        self.guessed = False  # whether it is a guess of it

    @property
    def plain(self) -> str:
        """The text, for people who cannot see it."""
        raise NotImplementedError

    @property
    def is_focusable(self) -> bool:
        """Whether Enter does something with it."""
        return self.folds or bool(self.rules)

    @property
    def hint(self) -> str:
        """What Enter does."""
        if self.rules:
            return "Enter: open the rule"
        return f"Enter: {'fold' if self.unfolded else 'unfold'}"

    def body(self, painter: Painter) -> list[Strip]:
        """Its lines."""
        raise NotImplementedError

    def paint(self, painter: Painter) -> list[Strip]:
        """Its lines, remembered until something changes."""
        if self.strips is None:
            link = painter.style("link")
            lines = [with_links(line, link) for line in self.body(painter)]
            self.strips = [*([Strip([])] if self.spaced else []), *lines]
            self.height = len(self.strips)
            self.measured = True
        return self.strips

    def estimate(self, width: int) -> None:
        """A guess of the height, before it is painted for this width."""
        self.strips, self.measured = None, False
        text = self.plain if self.unfolded or not self.folds else ""
        lines = sum(1 + len(line) // max(20, width) for line in text.split("\n"))
        self.height = lines + self.spaced
        self.guessed = True

    def changed(self) -> None:
        """It is to be painted again."""
        self.strips, self.measured = None, False


class Said(Entry):
    """What the user said."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    @property
    def plain(self) -> str:
        return f"you  {visible_text(self.text)}"

    def body(self, painter: Painter) -> list[Strip]:
        return painter.text("you", self.text, "user", label_style="user")


class Answered(Entry):
    """A block of an answer. `is_first`: of the message."""

    def __init__(self, block: Block, *, is_first: bool) -> None:
        super().__init__()
        self.block = block
        self.is_first = is_first
        self.spaced = block.spaced or is_first

    @property
    def plain(self) -> str:
        return visible_text(self.block.source)

    def body(self, painter: Painter) -> list[Strip]:
        label = "model" if self.is_first else ""
        return painter.markdown(label, self.block.shown, label_style="model")


class Thought(Entry):
    """The model's reasoning, folded to a line that says how long it is."""

    folds = True

    def __init__(self, text: str, *, is_over: bool) -> None:
        super().__init__()
        self.text = text
        self.is_over = is_over

    @property
    def head(self) -> str:
        """The line. The tokens are an estimate."""
        size = f"~{plural(max(1, len(self.text) // _CHARACTERS_PER_TOKEN), 'token')}"
        return f"thought for {size}" if self.is_over else f"thinking … {size}"

    @property
    def plain(self) -> str:
        return f"{_sign(self)} {self.head}" + (f"\n{visible_text(self.text)}" if self.unfolded else "")

    def body(self, painter: Painter) -> list[Strip]:
        lines = [painter.line((f"{_sign(self)} {self.head}", "muted"))]
        if self.unfolded:
            lines += painter.text("", self.text.strip(), "muted", indent=2)
        return lines


class Called(Entry):
    """A call of a tool: a line of what it does, with what it did to files; unfolded, the diffs and the result."""

    folds = True

    def __init__(self, line: str, name: str, call_id: str) -> None:
        super().__init__()
        self.line = line
        self.name = name
        self.call_id = call_id
        self.changes: list[FileChanged] = []
        self.result: str | None = None
        self.failed = False
        self.held_back = False
        self.spaced = False

    def is_change_of(self, file: str) -> bool:
        """Whether it may change this file."""
        return self.name != _READ and self.line.endswith(f" {file}")

    @property
    def waits(self) -> bool:
        """Whether it did nothing since the model is to read rules first."""
        return self.held_back and self.failed

    @property
    def summary(self) -> str:
        """What became of it, for the end of its line."""
        if self.waits:
            return "held back"
        if self.failed:
            return "failed"
        if self.result is None:
            return "…"
        counts = [f"+{one.added} −{one.removed}" for one in self.changes if one.added is not None]
        return "  ".join(counts)

    @property
    def plain(self) -> str:
        parts = [f"{_sign(self)} {self.line}  {self.summary}".rstrip()]
        if self.failed and self.result and not self.waits:
            parts.append(f"  {self.name} failed: {one_line(self.result)}")
        if self.unfolded:
            parts += [visible_text(change.diff) for change in self.changes]
            parts.append(visible_text(self.result or ""))
        return "\n".join(parts)

    def body(self, painter: Painter) -> list[Strip]:
        pieces = [(f"{_sign(self)} ", "muted"), (self.line, "tool")]
        if self.failed or self.result is None:
            pieces.append((f"  {self.summary}", "failed" if self.failed and not self.waits else "muted"))
        else:
            for change in self.changes:
                if change.added is not None:
                    pieces += [(f"  +{change.added}", "added"), (f" −{change.removed}", "removed")]
        lines = [painter.line(*pieces)]
        if self.unfolded:
            for change in self.changes:
                lines += diff_lines(change, painter)
            if self.result is not None and not (self.changes and not self.failed):
                lines += _cut_text(self.result, painter)
        elif self.failed and self.result and not self.waits:
            lines += painter.text("", one_line(self.result), "failed", indent=2)
        return lines


class Note(Entry):
    """A notice, with a sign where it has one. `style`: one of the transcript's. `rules`: those that it is about."""

    def __init__(self, text: str, style: str = "muted", *, sign: str = "", rules: Sequence[RuleAt] = ()) -> None:
        super().__init__()
        self.text = text
        self.style = style
        self.sign = sign
        self.rules = rules

    @property
    def plain(self) -> str:
        text = visible_text(self.text)
        return f"{self.sign} {text}" if self.sign else text

    def body(self, painter: Painter) -> list[Strip]:
        return painter.text(self.sign, self.text, self.style, indent=GUTTER if self.sign else 0)


def one_line(text: str) -> str:
    """A text on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _sign(entry: Entry) -> str:
    return "▾" if entry.unfolded else "▸"


def _cut_text(text: str, painter: Painter) -> list[Strip]:
    """The result of a tool, of which only the beginning may be wanted."""
    lines = text.rstrip("\n").split("\n")
    shown = painter.text("", "\n".join(lines[:_MOST_RESULT_LINES]), "muted", indent=2)
    if len(lines) > _MOST_RESULT_LINES:
        left = plural(len(lines) - _MOST_RESULT_LINES, "more line")
        shown.append(painter.line((f"… {left}; the model was given all of them", "muted"), indent=2))
    return shown
