"""Where this program keeps what it remembers by itself: sessions, histories, what hooks have told, the crash log."""

from __future__ import annotations

import os
from collections.abc import Mapping


def state_folder(environ: Mapping[str, str], home: str) -> str:
    """`xcsh` in XDG_STATE_HOME; a relative one counts as none, as its specification asks."""
    state = environ.get("XDG_STATE_HOME", "")
    return os.path.join(state if os.path.isabs(state) else os.path.join(home, ".local", "state"), "xcsh")
