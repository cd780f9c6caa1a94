"""The call that agents make is read as any other, and without what reads options."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

import pytest
from tests.support import Project

from xcsh.cli.event_call import event_call
from xcsh.cli.options import parse
from xcsh.hooks.hosts import HOSTS
from xcsh.installing.targets import HOOK_TARGETS

AGENTS = [host.id for host in HOSTS]
CALLS = [
    *(["hook", "--for", agent] for agent in AGENTS),
    *(["hook", "--for", agent, "--event", "preToolUse"] for agent in AGENTS),
]
OTHERS = [
    ["hook"], ["hook", "--for"], ["hook", "--for", "nobody"], ["hook", "--for", "claude", "--event"],
    ["hook", "--for", "claude", "--event", "--yes"], ["hook", "--for", "claude", "--yes"], ["hook", "--for=claude"],
    ["hook", "--for", "claude", "--install", "claude"], ["-C", ".", "hook", "--for", "claude"], ["rules"], [],
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_the_call_of_an_event_is_read_as_the_parser_reads_it(call: list[str]) -> None:
    # U-1
    event = event_call(call)
    assert event is not None
    assert vars(event) == vars(parse(call))


@pytest.mark.parametrize("call", OTHERS, ids=" ".join)
def test_any_other_call_is_left_to_the_parser(call: list[str]) -> None:
    # U-1
    assert event_call(call) is None


@pytest.mark.parametrize("agent", HOOK_TARGETS)
def test_every_line_that_is_installed_is_such_a_call(agent: str) -> None:
    # U-1
    text = HOOK_TARGETS[agent].install("", "hooks.json", ["xcsh"])
    lines = [shlex.split(line.removesuffix(" || exit 0")) for line in re.findall(r'"(xcsh hook [^"]*)"', text)]
    assert lines
    assert [line for line in lines if event_call(line[1:]) is None] == []


def test_an_event_is_answered_without_the_parser_of_options(project: Project) -> None:
    # U-1
    event = json.dumps({"session_id": "s", "cwd": str(project.root), "hook_event_name": "PreToolUse"})
    code = (
        "import sys; from xcsh.cli.main import main; code = main(['hook', '--for', 'claude']);"
        "sys.exit(code or ('argparse' in sys.modules) * 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=event.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
