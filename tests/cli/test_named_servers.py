"""What verbs that start no MCP server know of those that files name."""

from __future__ import annotations

import io
import json

import pytest
from tests.cli.conftest import Xcsh
from tests.support import Project

from xcsh.cli.calls import prepare_call
from xcsh.cli.output import say_finding
from xcsh.parsing.finding import Finding

SERVERS = json.dumps({"mcpServers": {"todo": {"command": "todo"}, "off": {"command": "off", "disabled": True}}})


@pytest.mark.parametrize(("name", "told"), [("todo:review", False), ("off:review", True), ("other:review", True)])
async def test_the_prompt_of_a_server_is_no_misspelt_command(
    project: Project, capsys: pytest.CaptureFixture[str], name: str, *, told: bool
) -> None:
    # C-40, S-15
    registry = project({".mcp.json": SERVERS, f".xcsh/commands/{name[:-1]}.md": "Near."})
    assert await prepare_call(f"/{name} 123", registry, io.StringIO()) is not None
    assert ("did you mean" in capsys.readouterr().err) is told


def test_expand_says_that_a_prompt_of_a_server_is_known_only_when_it_runs(xcsh: Xcsh) -> None:
    # C-40
    xcsh.project.write({".mcp.json": SERVERS})
    outcome = xcsh("expand", "/todo:review 1")
    assert (outcome.code, outcome.out) == (1, "/todo:review 1")
    assert "/todo:review is a prompt of the MCP server todo, known only when the server runs" in outcome.err
    assert "no command is named /other:review" in xcsh("expand", "/other:review 1").err


@pytest.mark.parametrize("path", [".mcp.json", ".xcsh/mcp.json", "~/.xcsh/agent/mcp.json"])
def test_doctor_reports_the_faults_of_files_of_servers(xcsh: Xcsh, path: str) -> None:
    # S-12, U-5
    xcsh.project.write({path: '{"mcpServers": {\n  "a": {"command": "x"},\n}}'})
    (finding,) = xcsh("doctor", "--json").json["diagnostics"]
    assert finding["code"] == "invalid-mcp-file"
    outcome = xcsh("doctor")
    assert "mcp.json:3:1" in outcome.out
    assert outcome.code == 1
    xcsh.project.write({path: SERVERS})
    assert xcsh("doctor").out == "nothing to report · 1 file\n"


def test_where_the_log_of_a_server_is_stands_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    # U-5
    say_finding(Finding("/p/.mcp.json").make("mcp-server-failed", None, "it did not start", hint="its log: /l/a.log"))
    assert capsys.readouterr().err.endswith("it did not start; its log: /l/a.log\n")
