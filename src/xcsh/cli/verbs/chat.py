"""`xcsh [TEXT]`: the conversation in the terminal."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from xcsh.errors import MissingExtraError, UsageError


def run(args: argparse.Namespace) -> int:
    """0 when the user leaves. UsageError: no terminal, no model, a bad `--allow`, no such session.

    MissingExtraError: the packages of xcsh[agent] are not there.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the interactive mode needs a terminal", 'ask one thing: xcsh -p "…"')
    from xcsh.cli.opening_sessions import OpeningSessions

    try:
        from xcsh.tui.app import ChatApp
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the interactive mode needs {error.name}, which is not installed") from None

    gc.enable()
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    opening = OpeningSessions(args)
    app = ChatApp(opening.open, title=opening.title, first=args.text or "")
    app.run()
    if app.failure is not None:
        raise app.failure
    return 0
