"""Ends a program whose extensions have left threads behind that Python would wait for."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

PATIENCE = 1.0
"""Seconds that such threads have in all."""


def leave(code: int, seconds: float = PATIENCE) -> int:
    """`code`, to exit with; ends the process here, after `seconds`, where a thread would hold up its end for ever."""
    deadline = time.monotonic() + seconds
    for thread in _held_up_by():
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            os._exit(code)
    return code


def _held_up_by() -> list[threading.Thread]:
    """Threads that are no daemons, and those of executors at work, which Python waits for although they may be."""
    pools = sys.modules.get("concurrent.futures.thread")
    queues: dict[object, object] = getattr(pools, "_threads_queues", {})
    own = threading.current_thread()
    return [thread for thread in threading.enumerate() if thread is not own and (not thread.daemon or thread in queues)]
