"""`xcsh mcp` over its pipes: how long a rule takes to be read, and how long after a save the clients hear of it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.corpus import write_project
from bench.measure import Line

RULES = 100
READS = 200
SAVES = 10
QUIET = 100
READ_BOUND, CHANGED_BOUND = 2.0, 300.0
_BETWEEN = 0.4
"""Seconds between two saves: the server looks at the files once more after it has told of a change."""


class _Server:
    """A process and its pipes."""

    def __init__(self, project: str, home: str) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XCSH_"))}
        program = os.path.join(os.path.dirname(sys.executable), "xcsh")
        self._process = subprocess.Popen(
            [program, "-C", project, "mcp"],
            env={**environment, "HOME": home},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "b", "version": "1"})
        self._write({"method": "notifications/initialized"})

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message."""
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; notices before it are left out."""
        self._write({"id": 1, "method": method, "params": params})
        while "id" not in (message := self.receive()):
            pass
        return message["result"]

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def _served() -> Iterator[tuple[_Server, str]]:
    with tempfile.TemporaryDirectory() as folder:
        project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
        os.mkdir(home)
        write_project(project, RULES)
        os.makedirs(os.path.join(project, ".xcsh", "rules"))
        server = _Server(project, home)
        try:
            yield server, project
        finally:
            server.close()


def run() -> list[Line]:
    """A line for a read and one for a save."""
    with _served() as (server, project):
        uri = server.ask("resources/list")["resources"][0]["uri"]
        reads: list[float] = []
        for _ in range(READS):
            begun = time.perf_counter()
            server.ask("resources/read", uri=uri)
            reads.append(time.perf_counter() - begun)
        heard: list[float] = []
        for number in range(SAVES):
            time.sleep(_BETWEEN if number else 2.0)  # the watch begins beside the server
            begun = time.perf_counter()
            with open(os.path.join(project, ".xcsh", "rules", f"new-{number}.md"), "w", encoding="utf-8") as file:
                file.write("---\ndescription: new\n---\nNew.\n")
            while server.receive().get("method") != "notifications/resources/list_changed":
                pass
            heard.append(time.perf_counter() - begun)
    return [
        Line(
            f"`resources/read`, {RULES} rules, median of {READS}",
            statistics.median(reads) * 1000,
            READ_BOUND,
            " ms",
            f"slowest {max(reads) * 1000:.1f} ms",
        ),
        Line(
            f"`list_changed` after a save, {RULES} rules, median of {SAVES}",
            statistics.median(heard) * 1000,
            CHANGED_BOUND,
            " ms",
            f"slowest {max(heard) * 1000:.0f} ms",
        ),
    ]
