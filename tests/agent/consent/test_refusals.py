"""What a refusal without anybody to ask says: what was refused, on one line, and how to allow it."""

from __future__ import annotations

import pytest

from xcsh.agent.consent.patterns import COMMAND, INCLUDE, SHELL, Request
from xcsh.agent.consent.refusals import not_done
from xcsh.agent.consent.request import ConsentRequest


@pytest.mark.parametrize(
    ("request_", "shown", "begins", "ends"),
    [
        (
            Request(SHELL, "npm test |\n tail -3"), ConsentRequest(SHELL, "", command="npm test |\n tail -3"),
            "Not done: `npm test | tail -3`: why, ", "to allow the whole shell: --allow shell",
        ),
        (
            Request("edit_file", "/etc/x\x1b[2J", outside=True), ConsentRequest("edit_file", "", path="/etc/x\x1b[2J"),
            "Not done: `/etc/x", "since it lies outside of the working folder",
        ),
        (
            Request(COMMAND, "review 0123"),
            ConsentRequest(COMMAND, "", arguments="shell(git status:*), write_file", patterns=("command(review 0123)",)),
            "Not done: `/review` asks for shell(git status:*), write_file: why, ", "--allow 'command(review 0123)'",
        ),
        (
            Request(INCLUDE, "a 01"),
            ConsentRequest(INCLUDE, "", command="sh -c $1", patterns=("include(a 01)",), once=True),
            "Not done: `/a` runs `sh -c $1`: why, ", "a call of which you know the arguments: --allow 'include(a 01)'",
        ),
        (
            Request("mcp__a__b", "{}", foreign=True), ConsentRequest("mcp__a__b", "", arguments="{}"),
            "Not done: `mcp__a__b {}`: why, ", "To allow it: --allow mcp__a__b",
        ),
        (
            Request(SHELL, "echo " + "x" * 9_000), ConsentRequest(SHELL, "", command="echo " + "x" * 9_000),
            f"Not done: `echo {'x' * 74}…`: why, ", "To allow it: --allow shell",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_what_was_refused_on_one_line(
    request_: Request, shown: ConsentRequest, begins: str, ends: str
) -> None:
    # S-12, U-5
    line = not_done(request_, shown, "why")
    assert line.isprintable()
    assert line.startswith(begins)
    assert line.endswith(ends)
