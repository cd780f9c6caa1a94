"""Where the tools work: the folder itself or a sandbox, which is never left out silently."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapSandbox
from tests.support import USER_SETTINGS, Project

from xcsh.agent.workspace import workspace_for
from xcsh.errors import UsageError
from xcsh.model.settings import default_settings

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


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox exists on Linux only")
def test_with_bubblewrap_the_folder_is_wrapped_and_has_no_network(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12
    if shutil.which("bwrap") is None:
        (tmp_path / "bwrap").write_text("#!/bin/sh\n")
        (tmp_path / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    workspace = workspace_for(str(project.root), project(SANDBOX).settings, read_only=False)
    assert isinstance(workspace, BubblewrapSandbox)
    assert not workspace.network
