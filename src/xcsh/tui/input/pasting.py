"""Long pasted texts as one line in the prompt, which is put back in full when it is sent."""

from __future__ import annotations

import re

FOLDED_LINES = 12
FOLDED_LETTERS = 2_000
_MARK = re.compile(r"\[pasted (?:[\d,]+ lines|[\d,]+ letters)(?: #\d+)?\]")

_DRIVES = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_NOTHING = "\u200b"


def drawn(line: str) -> str:
    """A line as it may be drawn while it is edited: as many letters, as wide, and none that a terminal obeys."""
    if line.isprintable():
        return line
    return re.sub("[\ud800-\udfff]", "\ufffd", _DRIVES.sub(_NOTHING, line))


_MOST_LETTERS = 8_000_000
"""So much is held of texts that stand in the prompt no more: undo may bring them back."""


class Pastes:
    """What was pasted and stands in the prompt as a mark."""

    def __init__(self, most_letters: int = _MOST_LETTERS) -> None:
        self._most = most_letters
        self._texts: dict[str, str] = {}  # the one that was pasted last at the end
        self._gone: set[str] = set()

    def fold(self, text: str, prompt: str = "") -> str:
        """The mark that stands for a long text; a short one as it is. `prompt`: what stands there, and is kept."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= FOLDED_LINES and len(text) <= FOLDED_LETTERS:
            return text
        what = f"{lines:,} lines" if lines > FOLDED_LINES else f"{len(text):,} letters"
        mark = f"[pasted {what}]"
        number = 2
        while mark in self._gone or self._texts.get(mark, text) != text:
            mark = f"[pasted {what} #{number}]"
            number += 1
        self._texts.pop(mark, None)
        self._texts[mark] = text
        self._let_go({mark, *_MARK.findall(prompt)})
        return mark

    def lost(self, text: str) -> list[str]:
        """The marks in a text that stood for something which is held no more."""
        return [mark for mark in _MARK.findall(text) if mark in self._gone]

    def _let_go(self, wanted: set[str]) -> None:
        held = sum(map(len, self._texts.values()))
        for mark in [mark for mark in self._texts if mark not in wanted]:
            if held <= self._most:
                break
            held -= len(self._texts.pop(mark))
            self._gone.add(mark)

    def unfold(self, text: str) -> str:
        """The text with everything that was folded; a mark that stands for nothing stays. Pasted marks stay too."""
        return _MARK.sub(lambda match: self._texts.get(match[0], match[0]), text)
