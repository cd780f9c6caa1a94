"""A journal of changes on disk, changes written to it as the agent's tools make them, and processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from xcsh.agent.changes.file_state import missing_folders, state_at
from xcsh.agent.changes.records import DONE, INTENT
from xcsh.session.undo.contents import FolderKeeper
from xcsh.session.undo.plan import Outcome
from xcsh.session.undo.report import UndoReport
from xcsh.session.undo.taking_back import redo_last, undo_last
from xcsh.session.undo.turn_changes import Note

LIMIT = 20 * 1024 * 1024


class Journal:
    """Notes as JSON lines in a file, and contents beside it. Opened again it has what was written before."""

    def __init__(self, base: Path, *, sync: bool = True) -> None:
        self.base = base
        self.sync = sync
        self.path = base / "notes.jsonl"
        base.mkdir(exist_ok=True)
        self.keeper = FolderKeeper(os.fspath(base / "contents"), self.note)

    def note(self, kind: str, data: Mapping[str, object]) -> None:
        line = json.dumps([kind, data], ensure_ascii=False).encode() + b"\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
            if self.sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @property
    def notes(self) -> list[Note]:
        """The notes that are whole."""
        lines = self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else []
        return [(kind, data) for kind, data in map(json.loads, lines)]

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.notes]

    def undo(self, folder: Path) -> UndoReport:
        report = undo_last(self.notes, os.fspath(folder), self.keeper)
        assert report is not None
        return report

    def redo(self, folder: Path) -> UndoReport:
        report = redo_last(self.notes, os.fspath(folder), self.keeper)
        assert report is not None
        return report


def change(
    journal: Journal, folder: Path, name: str, content: bytes | None, turn: str = "t1", *, confirm: bool = True
) -> None:
    """Writes a file as a tool of the agent does, in place, and writes that down as the agent's journal does.

    Folders on the way are made; None as `content` records the intent to write, and writes nothing.
    """
    path = folder / name
    before = state_at(os.fspath(path), LIMIT)
    intended = b"never written" if content is None else content
    missing = missing_folders(os.fspath(folder), name)
    if before.content is not None:
        journal.keeper.blob(before.content)
    after = journal.keeper.blob(intended)
    identity = uuid.uuid4().hex
    fields: dict[str, object] = {
        "id": identity,
        "turn": turn,
        "root": os.path.realpath(folder),
        "path": name,
        "link": None,
        "operation": "write",
        "before": before.sha256,
        "mode": before.mode,
        "intended": after,
        "folders": missing,
        "lost": "",
    }
    journal.keeper.record(INTENT, fields)
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if confirm:
        mode = state_at(os.fspath(path), LIMIT).mode
        happened = content is not None and before.content != content
        done = {"id": identity, "happened": happened, "after": after, "mode": mode, "folders": missing}
        journal.keeper.record(DONE, done)


def outcomes(report: UndoReport) -> dict[str, Outcome]:
    return {item.path: item.outcome for item in report.items}


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its content, every folder with None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def killed(work: Callable[[], object]) -> bool:
    """Runs `work` in a process of its own; whether that was killed. It fails the test where `work` raised."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the work raised an error"
    return False


def die() -> None:
    """Ends this process as a power failure does: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


_CALLS = ("open", "write", "fsync", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod", "replace")


def die_at(step: int) -> None:
    """From now on counts this process's calls that touch files, and kills it right before the one of that number."""
    left = step

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **more: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                die()
            return call(*args, **more)

        return run

    for name in _CALLS:
        original = getattr(os, name)
        replacement = counted(original)
        if original in os.supports_dir_fd:
            os.supports_dir_fd.add(replacement)
        setattr(os, name, replacement)
