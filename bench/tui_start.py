"""The application's first screen on a pseudo-terminal, against the smallest program of the same framework."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence

from bench.corpus import write_project
from bench.measure import Line

FILES, RUNS = 100, 11
FIRST_SCREEN = 2.0
PATIENCE = 60.0
HELLO = """\
from textual.app import App
from textual.widgets import Static

class Hello(App):
    def compose(self):
        yield Static("Hello, world")

Hello().run()
"""
RECORDING = '{"recording": 1}\n{"reply": [{"text": "never asked"}]}\n'


def seconds_until(wanted: bytes, command: Sequence[str], environment: Mapping[str, str], folder: str) -> float:
    """Seconds from the start of a program until it has written some bytes to its terminal; then it is killed."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        os.chdir(folder)
        os.execve(command[0], list(command), dict(environment))
    seen = b""
    try:
        while wanted not in seen:
            ready, _, _ = select.select([terminal], [], [], PATIENCE)
            block = _read(terminal) if ready else b""
            if not block:
                raise RuntimeError(f"{command}: {wanted!r} did not come: {seen[-500:]!r}")
            seen += block
        return time.perf_counter() - started
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the program has ended
        return b""


def run() -> list[Line]:
    """Minima of runs that alternate: of the smallest program, of the application, and of its open session."""
    with tempfile.TemporaryDirectory() as folder:
        project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
        os.mkdir(home)
        write_project(project, FILES)
        for name, text in (("hello.py", HELLO), ("recording.jsonl", RECORDING)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        xcsh = os.path.join(os.path.dirname(sys.executable), "xcsh")
        chat = [xcsh, "--no-session", "--model", f"replay:{os.path.join(folder, 'recording.jsonl')}"]
        programs: dict[str, tuple[list[str], bytes]] = {
            "hello": ([sys.executable, os.path.join(folder, "hello.py")], b"Hello"),
            "screen": (chat, b"Enter send"),
            "session": (chat, b"replay:"),
            "plain": ([*chat, "--plain"], b"Ready."),
        }
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        taken: dict[str, list[float]] = {key: [] for key in programs}
        for _ in range(RUNS):
            for key, (command, wanted) in programs.items():
                taken[key].append(seconds_until(wanted, command, environment, project))
    hello, screen, session, plain = (min(values) for values in taken.values())
    note = f"{screen * 1000:.0f} ms, {FILES} rules"
    return [
        Line("first screen / a bare Textual program", screen / hello, FIRST_SCREEN, note=note),
        Line("from the start to an open session", session * 1000, unit=" ms", note="text typed before waits for it"),
        Line("the same in plain mode", plain * 1000, unit=" ms"),
    ]
