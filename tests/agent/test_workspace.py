"""Where the tools work: the folder itself or a sandbox, which is never left out silently."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapSandbox
from tests.llm.wire_models import scripted
from tests.support import USER_SETTINGS, Project, default_settings

from xcsh.agent import build_agent
from xcsh.agent.consent.settings import grants
from xcsh.agent.workspace import workspace_for
from xcsh.errors import UsageError
from xcsh.llm.reply import Reply, ToolCall, cut, text

SANDBOX = {USER_SETTINGS: 'sandbox = "bubblewrap"\n'}


def test_without_a_setting_the_tools_work_in_the_folder_itself(tmp_path: Path) -> None:
    # S-12
    workspace = workspace_for(str(tmp_path), default_settings(), read_only=True)
    assert isinstance(workspace, LocalWorkspace)
    assert workspace.read_only


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox exists on Linux only")
def test_a_sandbox_that_is_missing_is_an_error_that_says_what_to_install(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12, U-5
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="the sandbox needs the program bwrap, which is not installed") as caught:
        workspace_for(str(project.root), project(SANDBOX).settings, read_only=False)
    assert caught.value.hint.startswith("install bubblewrap, or set sandbox")
    assert caught.value.hint.endswith("or leave out --sandbox")


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox exists on Linux only")
def test_with_bubblewrap_the_folder_is_wrapped_and_has_no_network(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), os.environ["PATH"])))
    workspace = workspace_for(str(project.root), project(SANDBOX).settings, read_only=False)
    assert isinstance(workspace, BubblewrapSandbox)
    assert not workspace.network


def bwrap_works() -> bool:
    probe = ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(probe, check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not bwrap_works(), reason="bubblewrap is not installed, or may not make namespaces")
async def test_in_the_sandbox_commands_and_files_change_the_folder_and_nothing_else(
    project: Project, tmp_path: Path
) -> None:
    # S-12
    registry = project({**SANDBOX, "a.txt": "a\n"})
    outside = tmp_path / "outside"
    outside.write_text("before")
    wanted = (
        ToolCall("c1", "shell", cut(json.dumps({"command": f"echo in > made; echo out > {outside}"}))),
        ToolCall("c2", "write_file", cut(json.dumps({"path": "b.txt", "content": "b\n"}))),
        ToolCall("c3", "write_file", cut(json.dumps({"path": ".xcsh/x", "content": "b\n"}))),
    )
    project.path(".xcsh").mkdir()
    async with scripted(Reply(wanted), Reply((text("Done."),))) as (model, _):
        agent = build_agent(registry, model, str(project.root), allow=grants(["shell,write"]))
        async with agent.run_stream_events("go") as stream:
            async for _ in stream:
                pass
    assert project.path("made").read_text() == "in\n"
    assert outside.read_text() == "before"
    assert project.path("b.txt").read_text() == "b\n"
    assert not project.path(".xcsh/x").exists()
