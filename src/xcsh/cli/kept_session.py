"""Which session a turn goes on with, and where it is written down."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse

    from xcsh.session.keeping import Kept


class Past(NamedTuple):
    """A session to go on with: its file, its folder, and the model that it had."""

    path: str
    cwd: str
    model: str


def past_of(args: argparse.Namespace) -> Past | None:
    """The session that `--continue` or `--resume` means; None for a new one. UsageError where there is none."""
    if not args.go_on and args.resume is None:
        return None
    from xcsh.session.store import read_session, resolve_session, sessions_folder
    from xcsh.session.store.folder import LATEST

    folder = sessions_folder(os.environ, args.home)
    path = resolve_session(folder, LATEST, cwd=args.cwd) if args.go_on else resolve_session(folder, args.resume)
    stored = read_session(path)
    return Past(path, stored.cwd, stored.model)


def keep(args: argparse.Namespace, past: Past | None, cwd: str, model: str) -> Kept | None:
    """The session's file, locked; None with `--no-session`. SessionBusyError where another process has it."""
    if past is None and args.no_session:
        return None
    from xcsh.session.keeping import keep_session, resume_session
    from xcsh.session.store import sessions_folder

    if past is None:
        return keep_session(sessions_folder(os.environ, args.home), cwd, model)
    kept = resume_session(past.path)
    if model != past.model or cwd != past.cwd:
        kept.file.state(model=model, cwd=cwd)
    return kept
