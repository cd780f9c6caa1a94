"""discover() against a bare loop that lists the folder and reads the files, its growth, and its peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial

import xcsh
from bench.corpus import write_project
from bench.measure import Line, cpu_of_call

SMALL, LARGE = 300, 10_000
ROUNDS = 9
SMALL_RUNS = 5
"""Runs at the small size in each round; the machine may change its pace between rounds, so all sizes share them."""
RATIO, GROWTH = 5.0, 1.2
MEGABYTE = 1_000_000
PEAK = """
import sys, xcsh
registry = xcsh.discover(sys.argv[1], home=sys.argv[2])
assert registry.found == int(sys.argv[3]), registry.found
try:
    with open("/proc/self/status") as file:
        print(next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")))
except OSError:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
"""The high-water mark of the process itself: ru_maxrss also remembers the process that started it."""


def bare_loop(rules: str) -> int:
    """Lists the folder and reads every file, and no more."""
    size = 0
    with os.scandir(rules) as listing:
        for entry in listing:
            with open(entry.path, encoding="utf-8") as file:
                size += len(file.read())
    return size


def run() -> list[Line]:
    """Ratio at both sizes, cost a file at the one over the other, and memory."""
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home)
        sizes = {count: write_project(os.path.join(folder, str(count)), count) for count in (SMALL, LARGE)}
        taken = _rounds(folder, home)
        peak = _peak(os.path.join(folder, str(LARGE)), home, LARGE)
    for count, (loops, finds) in taken.items():
        loop, find = statistics.median(loops), statistics.median(finds)
        note = f"{find * 1000:.0f} ms; {1e6 * find / count:.0f} µs a file, the loop {1e6 * loop / count:.0f}"
        lines += [
            Line(f"`discover()`, {count:,} rules / bare loop, medians", find / loop, RATIO, note=note),
            Line(f"`discover()`, {count:,} rules / bare loop, minima", min(finds) / min(loops), RATIO),
        ]
    loop_growth, growth = (
        statistics.median(taken[LARGE][at]) / LARGE / (statistics.median(taken[SMALL][at]) / SMALL) for at in (0, 1)
    )
    what = f"cost of a file, {LARGE:,} rules / {SMALL} rules"
    lines.append(Line(what, growth, GROWTH, note=f"the loop's own: {loop_growth:.2f}"))
    bound = (3 * sizes[LARGE] + 30 * MEGABYTE) / MEGABYTE
    note = f"the files hold {sizes[LARGE] / MEGABYTE:.1f} MB"
    lines.append(Line(f"peak memory, {LARGE:,} rules", peak / MEGABYTE, bound, " MB", note))
    return lines


def _rounds(folder: str, home: str) -> dict[int, tuple[list[float], list[float]]]:
    """CPU seconds by size: of the loop, of discovery."""
    taken: dict[int, tuple[list[float], list[float]]] = {SMALL: ([], []), LARGE: ([], [])}
    for turn in range(-1, ROUNDS):
        for count, (loops, finds) in taken.items():
            project = os.path.join(folder, str(count))
            for _ in range(SMALL_RUNS if count == SMALL else 1):
                loop = cpu_of_call(partial(bare_loop, os.path.join(project, ".cursor", "rules")))
                find = cpu_of_call(partial(xcsh.discover, project, home=home))
                if turn >= 0:  # the first round warms up
                    loops.append(loop)
                    finds.append(find)
    return taken


def _peak(project: str, home: str, count: int) -> int:
    command = [sys.executable, "-c", PEAK, project, home, str(count)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
