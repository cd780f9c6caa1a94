"""What was said and done: to be copied, written to a file, made shorter, taken back."""

from __future__ import annotations

import asyncio
import json
import os
import re

from xcsh.errors import UsageError
from xcsh.session.store import StoredSession, read_session, sessions_folder
from xcsh.session.store.markdown import markdown_of
from xcsh.session.store.records import ENDING
from xcsh.session.store.shapes import session_shape
from xcsh.session.undo.report import UndoReport
from xcsh.surfaces.layout import plural
from xcsh.tui.built_ins.call import Call
from xcsh.tui.built_ins.places import is_kept
from xcsh.tui.front_end import Choice

_BLOCK = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_UNDO, _REDO = "undo", "redo"


async def compact(call: Call) -> str:
    """What becomes of it is told as it happens."""
    await call.session.compact(call.rest or None)
    return ""


async def undo(call: Call) -> str:
    """Shows what would be taken back, and asks."""
    return await _take_back(call, _UNDO)


async def redo(call: Call) -> str:
    """Shows what would be made again, and asks."""
    return await _take_back(call, _REDO)


async def copy(call: Call) -> str:
    """The last answer, or one block of code of it."""
    answer = call.front.last_answer
    if not answer:
        return "there is no answer yet"
    if not call.rest:
        call.front.copy(answer)
        return f"copied: the last answer, {plural(len(answer), 'character')}"
    blocks = [match["code"] for match in _BLOCK.finditer(answer)]
    number = int(call.rest) if call.rest.isascii() and call.rest.isdigit() and len(call.rest) < 5 else 0  # noqa: PLR2004
    if not 1 <= number <= len(blocks):
        has = f"the last answer has {plural(len(blocks), 'block')} of code" if blocks else "it has no block of code"
        return f"{has}\ntype: /copy N, or /copy for all of the answer"
    call.front.copy(blocks[number - 1])
    return f"copied: block {number} of {len(blocks)}, {plural(blocks[number - 1].count(chr(10)), 'line')}"


async def export(call: Call) -> str:
    """Writes the conversation to a file; what is there already is replaced only by the user's leave."""
    path, there = await asyncio.to_thread(_place, call)
    if there and not await call.agreed(
        f"{path} is there already", "replace it", "leave it as it is", detail="what it holds now is gone then"
    ):
        return "nothing was written"
    text = await asyncio.to_thread(_page, call, as_json=path.endswith(".json"))
    try:
        await asyncio.to_thread(_write, path, text, new=not there)
    except OSError as error:
        why = "it is there already by now" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise UsageError(f"{path}: {why}", "name a file that can be written: /export FILE") from None
    return f"written: {path}"


async def _take_back(call: Call, what: str) -> str:
    changes = call.session.changes
    if changes is None:
        return "this session is written down nowhere, so that nothing can be taken back"
    if call.session.is_streaming:
        return "a turn is running; end it first, with Esc"
    redo = what == _REDO
    foreseen = await changes.foreseen(redo=redo)
    if foreseen is None:
        return "there is no undo to take back" if redo else "no turn has changed a file"
    about = "\n".join(each.text for each in foreseen)
    title = "Make these changes again?" if redo else "Take back what the last turn changed?"
    choices = (Choice("", "leave it as it is"), Choice(what, "make them again" if redo else "take it back"))
    if await call.front.choose(title, choices, about=about) != what:
        return "nothing was changed"
    report: UndoReport | None = await (call.session.redo() if redo else call.session.undo())
    return report.text if report is not None else "nothing was changed"


def _place(call: Call) -> tuple[str, bool]:
    """The file that is meant, and whether it is there. UsageError where its folder is not."""
    name = call.rest or f"session-{call.session.id}.md"
    if name.startswith("~" + os.sep):
        name = call.environment.home + name[1:]
    path = os.path.normpath(os.path.join(call.environment.cwd, name))
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(f"there is no folder {os.path.dirname(path)}", "name another file: /export FILE")
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", "name a file: /export FILE")
    return path, os.path.lexists(path)


def _page(call: Call, *, as_json: bool) -> str:
    session = call.session
    if is_kept(call):
        folder = sessions_folder(os.environ, call.environment.home)
        stored = read_session(os.path.join(folder, session.id + ENDING))
    else:
        waiting = tuple(entry.text for entry in session.waiting)
        stored = StoredSession(
            session.id, "", call.environment.cwd, session.model_name, "", "", "", session.messages, (), waiting, (), {},
            (), 0, {}, (),
        )  # fmt: skip
    return json.dumps(session_shape(stored), indent=2) + "\n" if as_json else markdown_of(stored)


def _write(path: str, text: str, *, new: bool) -> None:
    with open(path, "x" if new else "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)
