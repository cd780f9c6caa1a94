"""Where sessions lie, and which of them a person means."""

from __future__ import annotations

import os
from collections.abc import Mapping

from xcsh.nearest import did_you_mean, nearest
from xcsh.session.store.errors import UnknownSessionError
from xcsh.session.store.listing import list_sessions
from xcsh.session.store.records import ENDING
from xcsh.sources.state_folder import state_folder

LATEST = "latest"
_SHOWN = 5


def sessions_folder(environ: Mapping[str, str], home: str) -> str:
    """The folder of all sessions."""
    return os.path.join(state_folder(environ, home), "sessions")


def resolve_session(folder: str, prefix_or_id: str, *, cwd: str | None = None) -> str:
    """The path of the session with this id, of the only one whose id starts so, or of the `latest` one of `cwd`.

    Raises UnknownSessionError, a UsageError, that names ids that are near.
    """
    if prefix_or_id == LATEST:
        return _latest(folder, cwd)
    ids = session_ids(folder)
    found = [prefix_or_id] if prefix_or_id in ids else [each for each in ids if each.startswith(prefix_or_id)]
    if len(found) == 1 and prefix_or_id:
        return os.path.join(folder, found[0] + ENDING)
    if found and prefix_or_id:
        shown = ", ".join(found[-_SHOWN:]) + (" …" if len(found) > _SHOWN else "")
        raise UnknownSessionError(
            f"{len(found)} sessions start with {prefix_or_id!r}", f"type more of the id; the last ones: {shown}"
        )
    raise UnknownSessionError(f"no session has the id {prefix_or_id!r}", _near(prefix_or_id, ids))


def session_ids(folder: str) -> list[str]:
    """The ids of all sessions, oldest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name.removesuffix(ENDING) for name in names if name.endswith(ENDING))


def _latest(folder: str, cwd: str | None) -> str:
    for summary in list_sessions(folder):
        if cwd is None or summary.is_of(cwd):
            return summary.path
    where = "" if cwd is None else f" of {cwd}"
    raise UnknownSessionError(f"there is no session{where} yet", "see: xcsh sessions --all")


def _near(wanted: str, ids: list[str]) -> str:
    near = nearest(wanted, ids, most=3) or [each for each in reversed(ids) if wanted and wanted in each][:3]
    return did_you_mean(near, "see: xcsh sessions --all")
