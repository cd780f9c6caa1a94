"""The terminal application's transcript on a pseudo-terminal: a fast stream, keys meanwhile, pages of a long one."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios

from bench.measure import Line
from bench.tui_child import FEW, LINES, RATE

SHARE, STALL, KEY, PAGE = 1.5, 100.0, 100.0, 3.0
WIDTH, HEIGHT = 100, 40


def child(what: str) -> dict[str, float]:
    """The figures of bench/tui_child.py, whose terminal is read as it writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figures.json")
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": folder}
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        command = [sys.executable, "-m", "bench.tui_child", what, path]
        with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            said = _drained(ours)
            os.close(ours)
        if process.returncode:
            raise RuntimeError(f"{what}: exit {process.returncode}: {said[-2000:]!r}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def _drained(terminal: int) -> bytes:
    """Reads as fast as a terminal does: whoever writes to a slow one waits for it. Returns the last of it."""
    last = b""
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # the other side is closed
            return last
        if not piece:
            return last
        last = piece


def run() -> list[Line]:
    """The lines of this group."""
    ours, log, pages = (child(what) for what in ("ours", "log", "pages"))
    share = f"{ours['share']:.0%} of the time, `Log` {log['share']:.0%}"
    took = f"{pages['many']:.1f} ms and {pages['few']:.1f}"
    return [
        Line(f"a stream of {RATE:,} tokens a second / Textual's `Log`, which paints plain text",
             ours["share"] / log["share"], SHARE, note=share),
        Line("what the event loop does at a stretch meanwhile, the longest", ours["stall"], STALL, " ms",
             waited(ours, log, "stall")),
        Line("from a key to its repaint meanwhile, the longest", ours["key"], KEY, " ms", waited(ours, log, "key")),
        Line(f"a page of {LINES:,} lines / a page of {FEW}, medians", pages["many"] / pages["few"], PAGE, note=took),
    ]  # fmt: skip


def waited(ours: dict[str, float], log: dict[str, float], what: str) -> str:
    """The same of the floor, and what a clock says, which counts what else the machine does."""
    return f"`Log` {log[what]:.0f} ms; by the clock {ours[f'{what}_waited']:.0f} and {log[f'{what}_waited']:.0f}"
