"""`xcsh hook` at a call of a tool, as CPU time against the start of the bare interpreter."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile

from bench.corpus import write_project
from bench.measure import Line, cpu_of_child

RULES = 100
STREAM_RULES = 10
RUNS = 21
BOUND = 8.0
_CONTENT = "export const total = (items: readonly LineItem[]): Money => items.reduce(add, ZERO)\n" * 40
_CALLS: dict[str, dict[str, object]] = {
    "a file is written, no stream rule matches": {"content": _CONTENT},
    "a stream rule denies it": {"content": f"{_CONTENT}const broken: forbidden3 = 1\n"},
}


def run() -> list[Line]:
    """A line for a call that runs and for one that is denied."""
    with tempfile.TemporaryDirectory() as folder:
        project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
        os.mkdir(home)
        write_project(project, RULES - STREAM_RULES)
        os.makedirs(os.path.join(project, ".xcsh", "rules"))
        for number in range(STREAM_RULES):
            with open(os.path.join(project, ".xcsh", "rules", f"no-{number}.md"), "w", encoding="utf-8") as file:
                file.write(f'---\ncondition: ": forbidden{number}\\\\b"\n---\nNever use forbidden{number}.\n')
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XCSH_"))}
        environment["HOME"] = home
        bare = [sys.executable, "-c", "pass"]
        hook = [os.path.join(os.path.dirname(sys.executable), "xcsh"), "hook", "--for", "claude"]
        floor: list[float] = []
        taken: dict[str, list[float]] = {name: [] for name in _CALLS}
        for number in range(RUNS + 1):
            floor.append(cpu_of_child(bare, environment, project))
            for name, arguments in _CALLS.items():
                event = _event(folder, project, f"{len(name)}-{number}", arguments)
                taken[name].append(cpu_of_child(hook, environment, project, event))
    usual = statistics.median(floor[1:])
    return [
        Line(
            f"`xcsh hook`, {RULES} rules, {name} / `python -c pass`",
            median / usual,
            BOUND,
            note=f"{median * 1000:.0f} ms",
        )
        for name, median in ((name, statistics.median(values[1:])) for name, values in taken.items())
    ]


def _event(folder: str, project: str, session: str, arguments: dict[str, object]) -> str:
    path = os.path.join(folder, "event.json")
    event = {
        "session_id": session, "cwd": project, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": os.path.join(project, "src", "a.ts"), **arguments},
    }  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        json.dump(event, file)
    return path
