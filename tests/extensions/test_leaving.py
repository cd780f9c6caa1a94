"""A program ends although its extensions have left threads behind."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

THREADS = {
    "none": ("pass", False),
    "a thread that is no daemon": ("threading.Thread(target=time.sleep, args=(50,), daemon=False).start()", True),
    "an executor": ("await asyncio.wait({asyncio.create_task(asyncio.to_thread(time.sleep, 50))}, timeout=0.1)", True),
    "an idle executor": ("await asyncio.to_thread(time.sleep, 0)", False),
}


@pytest.mark.parametrize(("left", "held"), THREADS.values(), ids=THREADS)
def test_the_exit_waits_for_a_second_and_keeps_output_and_code(left: str, *, held: bool) -> None:
    program = (
        "import asyncio, sys, threading, time\n"
        "from xcsh.extensions.leaving import leave\n"
        "from xcsh.extensions.running import call_handler\n"
        "from xcsh.extensions.registration import CommandContext\n"
        f"async def run(context, args):\n    {left}\n"
        "asyncio.run(call_handler(run, CommandContext('', '', None, print), ''))\n"
        "print('said', end='')\nprint('noted', file=sys.stderr)\n"
        "code = leave(7)\nprint(' freely', end='')\nsys.exit(code)\n"
    )
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("said" if held else "said freely", "noted\n", 7)
    assert time.monotonic() - started < 45
