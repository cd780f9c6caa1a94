"""The light verbs on 100 rule files, as CPU time against the start of the bare interpreter."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile

from bench.corpus import write_project
from bench.measure import Line, cpu_of_child

FILES = 100
RUNS = 21
BOUND = 7.0


def run() -> list[Line]:
    """One line a verb; runs of all verbs and of the bare interpreter alternate, and the medians are compared."""
    with tempfile.TemporaryDirectory() as folder:
        project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
        os.mkdir(home)
        write_project(project, FILES)
        name = min(os.listdir(os.path.join(project, ".cursor", "rules"))).rpartition(".")[0]
        xcsh = os.path.join(os.path.dirname(sys.executable), "xcsh")
        commands = {
            "bare": [sys.executable, "-c", "pass"],
            "rules": [xcsh, "rules"],
            "explain": [xcsh, "explain", name],
            "doctor": [xcsh, "doctor"],
            "prompt": [xcsh, "prompt"],
            "read": [xcsh, "read", f"rule://{name}"],
        }
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XCSH_"))}
        environment["HOME"] = home
        for command in commands.values():
            cpu_of_child(command, environment, project)  # compiles the byte code, warms the page cache
        taken: dict[str, list[float]] = {key: [] for key in commands}
        for _ in range(RUNS):
            for key, command in commands.items():
                taken[key].append(cpu_of_child(command, environment, project))
    bare = statistics.median(taken.pop("bare"))
    return [
        Line(f"`xcsh {key}`, {FILES} rules / `python -c pass`", median / bare, BOUND, note=f"{median * 1000:.0f} ms")
        for key, median in ((key, statistics.median(values)) for key, values in taken.items())
    ]
