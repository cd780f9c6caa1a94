"""Where the agent's tools work: the folder itself, or commands in a sandbox around it."""

from __future__ import annotations

import shutil
import sys

from pydantic_ai.capabilities import AbstractCapability, LocalWorkspace
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapSandbox, BubblewrapWorkspace

from xcsh.errors import UsageError
from xcsh.model.settings import Settings

BUBBLEWRAP = "bubblewrap"
_WITHOUT = 'or set sandbox = "none" in ~/.xcsh/agent/settings.toml'


def commands_in(cwd: str, settings: Settings) -> Workspace:
    """What runs a command in the folder `cwd` outside of a turn, in the sandbox where the settings ask for one.

    A command gets PATH, HOME and the locale, and no other variable. Raises UsageError as `workspace_for` does.
    """
    workspace_for(cwd, settings, read_only=False)  # refuses what cannot be
    workspace = Workspace(LocalWorkspaceBackend(cwd))
    return BubblewrapWorkspace(workspace) if settings.get("sandbox") == BUBBLEWRAP else workspace


def workspace_for(cwd: str, settings: Settings, *, read_only: bool) -> AbstractCapability[object]:
    """The workspace in the folder `cwd` that the setting `sandbox` asks for. `read_only`: no commands, no changes.

    Raises UsageError where local workspaces do not exist (Windows), and where the sandbox is asked for and is missing:
    nothing runs outside it instead.
    """
    try:
        local = LocalWorkspace[object](cwd, read_only=read_only)
    except NotImplementedError:
        hint = "on Windows, use the Windows Subsystem for Linux"
        raise UsageError("the agent's tools need a POSIX system", hint) from None
    if settings.get("sandbox") != BUBBLEWRAP:
        return local
    if sys.platform != "linux":
        raise UsageError('the sandbox "bubblewrap" exists on Linux only', f"{_WITHOUT[3:]}")
    if shutil.which("bwrap") is None:
        raise UsageError(
            "the sandbox needs the program bwrap, which is not installed",
            f"install bubblewrap, {_WITHOUT}, or leave out --sandbox",
        )
    return BubblewrapSandbox[object](local)
