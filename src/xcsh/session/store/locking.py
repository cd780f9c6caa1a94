"""Holds a file for one process. The operating system frees it when the process ends, however it ends."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    _FAR = 0x7FFF0000
    """Where the locked byte is: behind all content, since Windows lets nobody read a locked one."""

    def lock(descriptor: int) -> bool:
        """Takes the file for this process; False where another one has it."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock(descriptor: int) -> bool:
        """Takes the file for this process; False where another one has it. Raises OSError where nothing can be locked.

        The lock belongs to the open file, so a second opening in this very process is refused as well.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
