"""Lists sessions by the beginnings and ends of their files, so that long ones cost no more than short ones."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple, cast

from xcsh.session.store.records import ENDING, HEADER, PROMPT, STATE, TURN, VERSION, Record, decode

_HEAD = 8_192
_TAIL = 8_192
_WORDS = 200
"""Characters of the first prompt that are kept."""
_LINE = b'\n{"t":"'


class SessionSummary(NamedTuple):
    """A session in a list. `prompt` is how its first input begins; `tokens` those of all turns, in and out.

    `problem` says in a sentence why nothing more is known, empty where all is well. Times are ISO 8601 in UTC.
    """

    id: str
    path: str
    cwd: str
    model: str
    title: str
    prompt: str
    created: str
    updated: str
    turns: int
    tokens: int
    size: int
    problem: str = ""

    def is_of(self, cwd: str) -> bool:
        """Whether the session belongs to a folder, links resolved."""
        return bool(self.cwd) and (self.cwd == cwd or os.path.realpath(self.cwd) == os.path.realpath(cwd))


def list_sessions(folder: str) -> list[SessionSummary]:
    """All sessions, the one that was last used first. A file that cannot be read is listed with its problem."""
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for entry in entries if entry.name.endswith(ENDING) and entry.is_file()]
    except OSError:
        return []
    return sorted((summarize(path) for path in paths), key=lambda each: (each.updated, each.id), reverse=True)


def summarize(path: str) -> SessionSummary:
    """One session, from the first and the last few kilobytes of its file."""
    name = os.path.basename(path).removesuffix(ENDING)
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            head = file.read(_HEAD)
            tail = _tail(file, status.st_size)
    except OSError as error:
        problem = f"it cannot be read: {(error.strerror or str(error)).lower()}"
        return SessionSummary(name, path, "", "", "", "", "", "", 0, 0, 0, problem)
    touched = datetime.fromtimestamp(status.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    header = _header(head)
    if header is None:
        problem = "its first line is damaged" if status.st_size else "it is empty"
        return SessionSummary(name, path, "", "", "", _first_words(head), "", touched, 0, 0, status.st_size, problem)
    problem = ""
    if not isinstance(header.get("v"), int) or header["v"] > VERSION:
        problem = "it was written by a later xcsh"
    about = {key: header.get(key) for key in ("cwd", "model", "title")}
    turns, tokens = _so_far(tail, about)
    cwd, model, title = (str(about[key] or "") for key in ("cwd", "model", "title"))
    return SessionSummary(
        name, path, cwd, model, title, _first_words(head), str(header.get("created") or ""),
        _last_time(tail) or str(header.get("created") or touched), turns, tokens, status.st_size, problem,
    )  # fmt: skip


def _tail(file: BinaryIO, size: int) -> bytes:
    """The end of the file, as far back as the last turn that ended, or all of a file in which none has."""
    length = _TAIL
    while True:
        start = max(0, size - length)
        file.seek(start)
        tail = file.read(size - start)
        if start == 0 or tail.rfind(_of(TURN)) >= 0:
            return tail
        length *= 8


def _of(kind: str) -> bytes:
    return _LINE + kind.encode() + b'"'


def _header(head: bytes) -> Record | None:
    record = decode(head.split(b"\n", 1)[0]).record
    return record if record and record["t"] == HEADER else None


def _so_far(tail: bytes, about: dict[str, Any]) -> tuple[int, int]:
    """Turns and tokens as the last turn counted them; brings `about` up to date."""
    at = len(tail)
    turns = tokens = 0
    while (at := tail.rfind(_of(TURN), 0, at)) >= 0:
        record = _record_at(tail, at)
        so_far = record.get("so_far") if record else None
        if isinstance(so_far, dict):
            known = cast("dict[str, Any]", so_far)
            about |= {key: known[key] for key in about if key in known}
            turns, tokens = _count(known.get("turns")), _tokens(known.get("usage"))
            break
    at = max(at, 0)
    while (at := tail.find(_of(STATE), at)) >= 0:
        record = _record_at(tail, at)
        changes = record.get("set") if record else None
        if isinstance(changes, dict):
            about |= {key: changes[key] for key in about if key in changes}
        at += 1
    return turns, tokens


def _record_at(tail: bytes, at: int) -> Record | None:
    return decode(tail[at + 1 :].split(b"\n", 1)[0]).record


def _tokens(usage: object) -> int:
    numbers = cast("dict[str, Any]", usage) if isinstance(usage, dict) else {}
    return _count(numbers.get("input_tokens")) + _count(numbers.get("output_tokens"))


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _last_time(tail: bytes) -> str:
    """When the last thing happened that is more than that the session was opened."""
    at = len(tail)
    while (at := tail.rfind(_LINE, 0, at)) >= 0:
        start = tail[at + 1 : at + 80]
        if not start.startswith(b'{"t":"open"'):
            _, found, rest = start.partition(b'"time":"')
            time = rest.partition(b'"')
            if found and time[1]:
                return time[0].decode("ascii", "replace")
    return ""


def _first_words(head: bytes) -> str:
    at = head.find(_of(PROMPT))
    if at < 0:
        return ""
    line, _, _ = head[at + 1 :].partition(b"\n")
    record = decode(line).record
    text = record.get("text") if record else _cut_text(line)
    return " ".join(text[: _WORDS * 2].split())[:_WORDS] if isinstance(text, str) else ""


def _cut_text(line: bytes) -> str:
    """The beginning of a text that goes on behind what was read; an escape that was cut through is left out."""
    _, _, text = line.partition(b',"text":"')
    raw = text.decode("ascii", "replace")[: _WORDS * 6]
    for end in range(len(raw), max(0, len(raw) - 12), -1):
        try:
            return str(json.loads(f'"{raw[:end]}"'))
        except ValueError:
            continue
    return ""
