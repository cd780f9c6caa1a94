"""Commands that include something, from the command line: shown by `expand` and `trust`, run by `-p` (C-42)."""

from __future__ import annotations

import json
import re

import pytest
from tests.cli.conftest import Xcsh
from tests.cli.turns import Turn, says

from xcsh.cli.main import main

COMMAND = ".claude/commands/about.md"
TEXT = "State: !`printf '%s' \"$1\"` of @plan.md @nobody"


# C-42, SEC-03: the refusal, what to do, the trust, and the pattern; each as it is printed
def test_what_a_command_runs_needs_trust_and_consent_and_each_refusal_says_how(
    turn: Turn, capsys: pytest.CaptureFixture[str]
) -> None:
    def trusts(option: str) -> str:
        assert main(["-C", str(turn.project.root), "trust", option]) == 0
        return capsys.readouterr().out

    turn.project.write({COMMAND: TEXT, "plan.md": "The plan."})
    call = "/about it's"
    assert turn(says("ok"), prompt=call) == 1
    assert "xcsh: /about runs commands, and its text has not been trusted\n" in turn.err
    assert "xcsh trust" in turn.err
    assert "runs printf '%s' \"$1\"\n    includes plan.md\n" in trusts("--yes")
    assert turn(says("ok"), prompt=call) == 1
    (pattern,) = set(re.findall(r"--allow '(include\(about [0-9a-f]{16}\))'", turn.err))
    assert turn(says("ok"), prompt=call, options=("--allow", pattern)) == 0
    assert turn.out == "ok\n"
    assert "/about ran `printf '%s' \"${argument_1}\"`: exit code 0" in turn.err
    assert "/about includes plan.md, about 2 tokens" in turn.err
    turn.project.write({COMMAND: f"{TEXT}!"})
    assert turn(says("ok"), prompt=call, options=("--allow", pattern)) == 1
    (held,) = json.loads(trusts("--json"))["texts"]
    assert (held["accepted"], held["purpose"]) == (False, "includes")


# C-42: "expand: nothing run"
def test_expand_shows_what_would_be_run_and_included_and_does_neither(xcsh: Xcsh) -> None:
    xcsh.project.write({COMMAND: "!`touch made $1` @plan.md", "plan.md": "The plan."})
    outcome = xcsh("expand", "/about it's")
    assert outcome.out == "!`touch made it's` @plan.md"
    assert "runs argument_1='it'\"'\"'s' sh -c 'touch made \"${argument_1}\"'" in outcome.err
    assert "plan.md" in outcome.err
    assert xcsh("expand", "/about it's", "--json").json["includes"] == [
        {"kind": "shell", "text": 'touch made "${argument_1}"', "arguments": {"argument_1": "it's"}},
        {"kind": "file", "text": "plan.md", "arguments": {}},
    ]
    assert not (xcsh.project.root / "made").exists()
