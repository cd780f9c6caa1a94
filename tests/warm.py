"""Programs in processes of their own that need not load the heavy packages again: each is forked by a warm process."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[1]
A_TURN = (
    "xcsh.cli.main", "xcsh.cli.calls", "xcsh.cli.verbs.print_turn", "xcsh.agent.building", "xcsh.session.creating",
    "xcsh.cli.kept_session", "xcsh.cli.piped_input", "xcsh.cli.turn_ending", "xcsh.cli.turn_output", "xcsh.llm.opening",
    "pydantic_ai.models.openai", "pydantic_ai.providers.openai", "openai.resources.chat.chat",
    "genai_prices.data", "anyio._backends._asyncio", "jiter",
)  # fmt: skip
"""What `xcsh -p` loads, where its model speaks the OpenAI wire."""


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class WarmProcess:
    """A program that runs. `stdin`, `stdout` and `stderr` are the test's ends of its pipes; wait for its end."""

    def __init__(
        self, report: int, stdin: IO[bytes] | None, stdout: IO[bytes] | None, stderr: IO[bytes] | None
    ) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self._report = open(report, "rb", buffering=0)  # noqa: SIM115 - closed at its end
        self.pid = int(self._line(180))  # the warm process may be loading, on a machine that has much to do
        self.returncode: int | None = None

    def _line(self, timeout: float) -> bytes:
        line = b""
        until = time.monotonic() + timeout
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._report], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise TimeoutError(f"nothing came within {timeout} seconds")
            if not (more := self._report.read(1)):
                raise EOFError("the warm process is gone")
            line += more
        return line

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self, timeout: float = 60) -> int:
        """The exit code; a signal's number, negative. Kills a program that takes longer, and raises TimeoutError."""
        if self.returncode is None:
            try:
                self.returncode = int(self._line(timeout))
            except TimeoutError:
                self.send_signal(signal.SIGKILL)
                raise
            finally:
                self._report.close()
        return self.returncode

    def ended(self, timeout: float = 60) -> Ended:
        """Its exit code and all of its output, when it has ended."""
        said: dict[IO[bytes], bytes] = {}
        pipes = [pipe for pipe in (self.stdout, self.stderr) if pipe is not None and not pipe.closed]
        readers = [Thread(target=lambda pipe=pipe: said.__setitem__(pipe, pipe.read())) for pipe in pipes]
        if self.stdin is not None:
            self.stdin.close()
        for reader in readers:
            reader.start()
        code = self.wait(timeout)
        for reader in readers:
            reader.join()
        for pipe in pipes:
            pipe.close()
        out, err = (said.get(pipe, b"").decode() if pipe is not None else "" for pipe in (self.stdout, self.stderr))
        return Ended(code, out, err)


class WarmPrograms:
    """The warm process, which starts with the first program."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._template: subprocess.Popen[bytes] | None = None

    def _started(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            fd = theirs.fileno()
            env = {**os.environ, "PYTHONUNBUFFERED": ""}
            command = [sys.executable, "-m", "tests.warm_template", str(fd)]
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            self._template = subprocess.Popen(command, cwd=ROOT, env=env, pass_fds=[fd], **streams)
            theirs.close()
        return self._control

    def start(
        self,
        *arguments: str | os.PathLike[str],
        env: Mapping[str, str],
        cwd: str | os.PathLike[str] | None = None,
        imports: Sequence[str] = (),
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.PIPE,
        stderr: int | IO[bytes] = subprocess.PIPE,
    ) -> WarmProcess:
        """Runs `python ARGUMENTS`, which are `-m MODULE …` or `FILE …`; `imports` are what it would load slowly."""
        control = self._started()
        theirs: list[int] = []
        ours: list[IO[bytes] | None] = []
        given: list[int] = []
        for number, stream in enumerate((stdin, stdout, stderr)):
            if stream == subprocess.PIPE:
                reading, writing = os.pipe()
                theirs.append(writing if number else reading)
                ours.append(open(reading if number else writing, "rb" if number else "wb"))  # noqa: SIM115
            else:
                ours.append(None)
                if isinstance(stream, int):
                    theirs.append(os.open(os.devnull, os.O_RDWR))
                else:
                    given.append(len(theirs))
                    theirs.append(stream.fileno())
        report, reporting = os.pipe()
        request = {
            "arguments": [os.fspath(argument) for argument in arguments],
            "env": dict(env),
            "cwd": os.fspath(cwd or os.getcwd()),
            "imports": list(imports),
        }
        socket.send_fds(control, [json.dumps(request).encode() + b"\n"], [*theirs, reporting])
        for at, fd in enumerate(theirs):
            if at not in given:
                os.close(fd)
        os.close(reporting)
        return WarmProcess(report, *ours)

    def close(self) -> None:
        if self._control is not None and self._template is not None:
            self._control.close()
            self._template.wait(30)
