"""CPU time of child processes and of calls, and one measured line against its bound."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, NamedTuple


class Line(NamedTuple):
    """One figure. `unit` follows it; `bound` is the most that it may be, None where it only informs."""

    what: str
    value: float
    bound: float | None = None
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the bound holds."""
        if self.bound is None:
            return ""
        return "holds" if self.value <= self.bound else "BROKEN"

    def cells(self) -> tuple[str, str, str, str, str]:
        """The line as texts: what, value, bound, verdict, note."""
        limit = "" if self.bound is None else f"≤ {self.bound:.4g}{self.unit}"
        return self.what, f"{self.value:.2f}{self.unit}", limit, self.verdict, self.note


def cpu_of_child(command: Sequence[str], environment: Mapping[str, str], folder: str, given: str = os.devnull) -> float:
    """User and system seconds of one run of `command`, which reads the file `given`; raises where it fails."""
    with open(given, "rb") as standard_input:
        return _cpu_of_child(command, environment, folder, standard_input)


def _cpu_of_child(
    command: Sequence[str], environment: Mapping[str, str], folder: str, standard_input: BinaryIO
) -> float:
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=standard_input,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    complaint = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode:
        raise RuntimeError(f"{command}: exit {child.returncode}: {complaint.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def cpu_of_call(call: Callable[[], object]) -> float:
    """CPU seconds of one call; garbage of earlier ones is collected first, the result is freed afterwards."""
    gc.collect()
    started = time.process_time()
    result = call()
    taken = time.process_time() - started
    del result
    return taken
