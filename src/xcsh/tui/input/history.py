"""What was typed in a project before: kept in the user's state folder, a line each, shared by all that are open."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import cast

from xcsh.sources.replacing import replace_file
from xcsh.sources.state_folder import state_folder

MOST = 1_000
MOST_LETTERS = 8_000_000
_LONGEST = 20_000
_MOST_BYTES = 2_000_000


def history_file(environ: Mapping[str, str], home: str, cwd: str) -> str:
    """Where the history of a project's folder lies."""
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, which is not needed before the first paint

    name = sha256(os.path.realpath(cwd).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(state_folder(environ, home), "history", f"{name}.jsonl")


def read_history(path: str) -> list[str]:
    """The texts of a file, oldest first, each as often as it was last said: once. A line that is none is left out."""
    try:
        return _read(path)
    except OSError:
        return []


def _read(path: str) -> list[str]:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _MOST_BYTES))
        lines = file.read().split(b"\n")
    texts: dict[str, None] = {}
    for line in lines:
        text = _text_of(line)
        if text:
            texts.pop(text, None)
            texts[text] = None
    return list(texts)[-MOST:]


def append_history(path: str, text: str, *, most_bytes: int = _MOST_BYTES) -> None:
    """Adds a text behind all others, in one write, so that several programs may do so. Raises OSError.

    A file that has grown longer than `most_bytes` is written anew with the newest; one that cannot be read stays.
    """
    if len(text) > _LONGEST:
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(descriptor, _line_of(text))
        size = os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
    if size > most_bytes:
        _shorten(path)


def _shorten(path: str) -> None:
    """Replaces the file. What another program adds in this moment may be lost, which costs a line of history.

    Raises OSError; a file that cannot be read stays as it is.
    """
    kept = _read(path)[-MOST // 2 :]
    replace_file(path, b"".join(_line_of(text) for text in kept), sync=False)


def _line_of(text: str) -> bytes:
    return json.dumps({"text": text}).encode("ascii") + b"\n"


def _text_of(line: bytes) -> str:
    try:
        value: object = json.loads(line) if line else None
    except ValueError:
        return ""
    text = cast("dict[str, object]", value).get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


class History:
    """A walk through what was typed before. What is being typed is kept and comes back behind the newest."""

    def __init__(self, texts: Sequence[str] = (), *, most_letters: int = MOST_LETTERS) -> None:
        self._most_letters = most_letters
        self._texts = list(texts)
        self._draft = ""
        self._place: int | None = None

    @property
    def texts(self) -> Sequence[str]:
        """All of them, oldest first."""
        return self._texts

    @property
    def walking(self) -> bool:
        """Whether an earlier text is being shown."""
        return self._place is not None

    def load(self, texts: Sequence[str]) -> None:
        """Takes over what was kept; what was typed meanwhile stays behind it."""
        meanwhile = self._texts
        self._texts = [text for text in texts if text not in meanwhile] + meanwhile
        self._shorten()
        self._place = None

    def add(self, text: str) -> bool:
        """A text was sent. False where it is not kept: it begins with a space, or is the newest already."""
        self._place, self._draft = None, ""
        if not text.strip() or text.startswith(" "):
            return False
        if self._texts and self._texts[-1] == text:
            return False
        if text in self._texts:
            self._texts.remove(text)
        self._texts.append(text)
        self._shorten()
        return True

    def _shorten(self) -> None:
        """Lets go of the oldest; the newest stays, however long it is."""
        left = self._most_letters
        for number, text in enumerate(reversed(self._texts)):
            left -= len(text)
            if number == MOST or (left < 0 and number):
                del self._texts[: len(self._texts) - number]
                return

    def older(self, current: str) -> str | None:
        """The text before the one that is shown; None at the oldest."""
        if self._place is None:
            self._draft, self._place = current, len(self._texts)
        if self._place == 0:
            if not self._texts:
                self._place = None
            return None
        self._place -= 1
        return self._texts[self._place]

    def newer(self) -> str | None:
        """The text after the one that is shown, at last what was being typed; None where none is shown."""
        if self._place is None:
            return None
        self._place += 1
        if self._place < len(self._texts):
            return self._texts[self._place]
        self._place = None
        return self._draft

    def leave(self) -> None:
        """What is shown was changed: it is what is being typed now."""
        self._place = None

    def search(self, wanted: str, skip: int = 0) -> str | None:
        """The newest text that begins with what is wanted, else that holds it; `skip` of them are passed over."""
        lower = wanted.lower()
        newest = self._texts[::-1]
        found = [text for text in newest if text.lower().startswith(lower)]
        found += [text for text in newest if lower in text.lower() and not text.lower().startswith(lower)]
        return found[skip] if skip < len(found) else None
