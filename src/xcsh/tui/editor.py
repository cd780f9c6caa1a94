"""Opens the user's own editor, on a file or on a text, and hands the terminal to it meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Mapping, Sequence
from types import FrameType
from typing import NamedTuple, Protocol

from xcsh.errors import UsageError
from xcsh.tui.known_editors import SET_ONE, find_editor


class Screen(Protocol):
    """Whatever draws on the terminal: an application of Textual."""

    def suspend(self) -> contextlib.AbstractContextManager[None]:
        """Gives the terminal away and takes it back."""
        ...

    def batch_update(self) -> contextlib.AbstractContextManager[None]:
        """Draws nothing meanwhile."""
        ...


class Edited(NamedTuple):
    """A text after an editor had it, and what went wrong: then the text is the one that was given, unless another was
    saved.
    """

    text: str
    problem: str = ""


async def open_in_editor(
    screen: Screen | None, path: str, line: int = 1, *, environ: Mapping[str, str], wait: bool = False
) -> str:
    """Opens a file until the editor is left; what went wrong in one sentence, empty where nothing did.

    An editor in the terminal has it for itself, whatever the `screen` on it would draw; None is a plain terminal. One
    with a window leaves the screen as it is, and `wait` says whether to wait for it.
    """
    try:
        editor = await asyncio.to_thread(find_editor, environ)
    except UsageError as problem:
        return f"{problem}; {problem.hint}"
    call = editor.call(path, line, wait=wait)
    try:
        if editor.has_a_window:
            code = await _run(call, environ, in_terminal=False)
        else:
            with _terminal_given_away(screen):
                code = await _run(call, environ, in_terminal=True)
    except _NoTerminalError:
        return f"{editor.name} needs the terminal, which cannot be handed over here; {SET_ONE}, one with a window"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return f"{editor.name} could not be started: {reason.lower()}"
    return f"{editor.name} ended with exit code {code}" if code else ""


async def edit_text(screen: Screen | None, text: str, *, environ: Mapping[str, str], suffix: str = ".md") -> Edited:
    """Has a text edited and returns it. What cannot be read again stays where it was saved, which `problem` names.

    The line end that editors put at the end of a file is taken off again.
    """
    try:
        folder = tempfile.mkdtemp(prefix="xcsh-")
    except OSError as error:
        return Edited(text, f"there is no place for a temporary file: {_reason(error)}")
    path = os.path.join(folder, f"prompt{suffix}")
    try:
        await asyncio.to_thread(_write, path, text)
    except OSError as error:
        await _remove(folder)
        return Edited(text, f"the text cannot be written to {path}: {_reason(error)}")
    problem = await open_in_editor(screen, path, environ=environ, wait=True)
    try:
        edited = await asyncio.to_thread(_read, path)
    except FileNotFoundError:
        await _remove(folder)
        return Edited(text, "the editor has left no file, so the text is as it was")
    except OSError as error:
        return Edited(text, f"the text is as it was: what was saved cannot be read ({_reason(error)}); it is in {path}")
    except UnicodeError:
        return Edited(text, f"the text is as it was: what was saved is no UTF-8; it is in {path}")
    await _remove(folder)  # and not where the application ends meanwhile: then the file is all that there is
    if not text.endswith("\n"):
        edited = edited.removesuffix("\n")
    return Edited(edited, problem)


async def _remove(folder: str) -> None:
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _write(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(text)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
        return file.read().replace("\r\n", "\n")


_UNTIL_IT_ENDS = 1.0
"""Seconds that an editor has to end in when the application does."""


class _NoTerminalError(Exception):
    """The application has no terminal that it could hand over."""


async def _run(call: Sequence[str], environ: Mapping[str, str], *, in_terminal: bool) -> int:
    """The exit code. The event loop goes on, so that a turn that runs is not held up."""
    silent = None if in_terminal else subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*call, env=dict(environ), stdin=silent, stdout=silent, stderr=silent)
    try:
        return await process.wait()
    except asyncio.CancelledError:  # the application ends: nothing may hold its terminal
        if in_terminal and process.returncode is None:
            process.terminate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_UNTIL_IT_ENDS):
                    await process.wait()
        raise


@contextlib.contextmanager
def _terminal_given_away(screen: Screen | None) -> Generator[None]:
    """The screen draws nothing, reads no keys and is not ended by Ctrl+C, until it has the terminal again."""
    with _interrupts_taken():
        if screen is None:
            yield
            return
        from textual.app import SuspendNotSupported  # noqa: PLC0415 - a plain terminal needs no Textual

        failure: BaseException | None = None
        try:
            with screen.batch_update(), screen.suspend():
                try:
                    yield
                except BaseException as error:  # noqa: BLE001 - the terminal comes back first, which `suspend` forgets
                    failure = error
        except SuspendNotSupported:
            raise _NoTerminalError from None
        if failure is not None:
            raise failure


@contextlib.contextmanager
def _interrupts_taken() -> Generator[None]:
    """Ctrl+C is for the editor. A handler, since a signal that is ignored would be so in the editor too."""
    before = signal.signal(signal.SIGINT, _nothing)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _nothing(_: int, __: FrameType | None) -> None:
    """The signal is somebody else's."""
