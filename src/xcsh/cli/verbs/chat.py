"""`xcsh [TEXT]`: the conversation in the terminal."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from typing import TYPE_CHECKING

from xcsh.cli.terminal import INLINE, PLAIN, given_back, wanted
from xcsh.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from xcsh.cli.opening_sessions import OpeningSessions
    from xcsh.cli.terminal import Wanted

_INTERRUPTED = 130


def run(args: argparse.Namespace) -> int:
    """0 when the user leaves, 130 where SIGTERM or a lost terminal ends the conversation; the session is kept.

    UsageError: no terminal, a bad `--allow`, no such session; from a pipe also: no model. MissingExtraError: the
    packages of xcsh[agent] are not there.
    """
    from xcsh.cli.opening_sessions import OpeningSessions

    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    want = wanted(args)
    if want.mode == PLAIN:
        return _plain(args, OpeningSessions(args, needs_model=not sys.stdin.isatty()), want)
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "the interactive mode needs a terminal", 'ask one thing: xcsh -p "…"   or by lines: xcsh --plain'
        )
    return _screen(args, OpeningSessions(args, needs_model=False), want)


def _screen(args: argparse.Namespace, opening: OpeningSessions, want: Wanted) -> int:
    try:
        from xcsh.tui.app import ChatApp
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing.partition(".")[0] == "textual":
            return _plain(args, opening, want._replace(why="textual is not installed, so this is the plain mode"))
        raise MissingExtraError(f"the interactive mode needs {missing}, which is not installed") from None

    app = ChatApp(opening.open, title=lambda: opening.title, first=args.text or "", theme=want.theme)

    async def show() -> None:
        await app.run_async(inline=want.mode == INLINE, inline_no_clear=True)
        await app.closed()

    with given_back(app.action_leave) as ended:
        asyncio.run(show())
    return _outcome(app.failure, ended=bool(ended))


def _plain(args: argparse.Namespace, opening: OpeningSessions, want: Wanted) -> int:
    from xcsh.cli.output import style_of
    from xcsh.tui.plain.running import PlainMode

    if want.why:
        print(f"{want.why}.", flush=True)
    plain = PlainMode(opening.open, sys.stdin, sys.stdout, style=style_of(), environ=os.environ, first=args.text or "")
    with given_back(plain.leave, plain.interrupt) as ended:
        asyncio.run(plain.run())
    return _outcome(plain.failure, ended=bool(ended))


def _outcome(failure: Exception | None, *, ended: bool) -> int:
    if ended:
        return _INTERRUPTED
    if failure is not None:
        raise failure
    return 0
