"""Threads that only read: the program ends without them, so that a disk that does not answer holds up nobody."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor


class _Unwaited(ThreadPoolExecutor):
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's
        """What has not begun never does; what runs is left to itself."""
        del wait, cancel_futures
        super().shutdown(wait=False, cancel_futures=True)


def leave_readers_behind() -> None:
    """Has the running loop end without waiting for what it has given to threads. For a program that writes nothing."""
    asyncio.get_running_loop().set_default_executor(_Unwaited())
