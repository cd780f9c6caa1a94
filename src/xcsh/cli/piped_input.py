"""What is asked of the model, with what is piped in; waiting for it holds nothing up."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from typing import TextIO

from xcsh.cli.failures import unreadable_input
from xcsh.errors import UsageError

_PATIENCE = 3.0
"""Seconds after which it is said that standard input is waited for, when there is something to ask anyway."""

_PAUSE = 0.02
_BLOCK = 65_536


async def whole_prompt(asked: str) -> str:
    """`asked`, and what was piped in as its context. UsageError where nothing is asked at all."""
    try:
        piped = (await _piped(waiting=not asked.strip())).strip()
    except OSError as error:
        raise unreadable_input(error) from None
    if not asked.strip() and not piped:
        raise UsageError("nothing is asked", 'xcsh -p "…"   or pipe it in: … | xcsh -p')
    if not asked.strip() or not piped:
        return piped or asked
    return f"{asked}\n\n<stdin>\n{piped}\n</stdin>"


async def _piped(*, waiting: bool) -> str:
    """Standard input to its end, where it is no terminal. A wait is said: an inherited pipe may never end."""
    source = sys.stdin
    if source is None or source.closed or source.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None under pythonw
        return ""
    buffer = getattr(source, "buffer", None)
    if buffer is None:
        return source.read()
    descriptor = _descriptor(source)
    if descriptor is None:
        return buffer.read().decode("utf-8", errors="replace")
    return (await _read(descriptor, waiting=waiting)).decode("utf-8", errors="replace")


def _descriptor(source: TextIO) -> int | None:
    """The file that can be waited for; None for a stream of another kind, and on Windows."""
    try:
        descriptor = source.fileno()
        select.select([descriptor], [], [], 0)
    except (OSError, ValueError):
        return None
    return descriptor


async def _read(descriptor: int, *, waiting: bool) -> bytes:
    """Everything to the end. A read that blocked would hold up Ctrl-C."""
    blocks: list[bytes] = []
    loop = asyncio.get_running_loop()
    until = loop.time() + _PATIENCE
    while True:
        while not select.select([descriptor], [], [], 0)[0]:
            if not waiting and loop.time() > until:
                print("waiting for the end of standard input (to go on without it: </dev/null)", file=sys.stderr)
                waiting = True
            await asyncio.sleep(_PAUSE)
        block = os.read(descriptor, _BLOCK)
        if not block:
            return b"".join(blocks)
        blocks.append(block)
        waiting = True
