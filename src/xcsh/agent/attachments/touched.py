"""Which files a call of a tool reads or changes, and what they are called below the working folder (R-54)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, cast

from pydantic_ai.tools import ToolDefinition
from pydantic_ai.workspaces import Workspace
from pydantic_ai_harness.filesystem import FILE_SYSTEM_EVENTS

from xcsh.agent.rulebook import SCHEME
from xcsh.guard.tools import CHANGING, canonical, names_a_path
from xcsh.model.source import Environment
from xcsh.sources.filesystem import lies_in
from xcsh.surfaces.reach import names_of

_KIND = f"{FILE_SYSTEM_EVENTS}."


class Touch(NamedTuple):
    """The paths as the model wrote them, and whether the call changes the files."""

    paths: tuple[str, ...]
    changes: bool


def touch_of(tool: ToolDefinition, args: Mapping[str, object]) -> Touch | None:
    """What a call touches; None for one that neither reads nor changes a file.

    The harness's file tools are known by their kind, whatever they are named, other tools by a usual name. Listing a
    folder and searching touch no file, and what a shell command reads or writes is not known.
    """
    kind = tool.tool_kind or ""
    name = canonical(kind.removeprefix(_KIND) if kind.startswith(_KIND) else tool.name)
    if name != "read" and name not in CHANGING:
        return None
    paths = tuple(path for key, value in args.items() if names_a_path(key) for path in _paths(value))
    return Touch(paths, name in CHANGING) if paths else None


async def names_in(workspace: Workspace, environment: Environment, path: str) -> tuple[str, ...]:
    """What a file is called below the working folder, as `xcsh rules --for` takes it; empty for one outside.

    Where the workspace is another machine's, its working folder stands for the one of the rules.
    """
    if not workspace.attached:
        return names_of(environment, path)
    folder = await workspace.working_dir()
    absolute = await workspace.resolve(path)
    if _share_a_disk(folder, environment.cwd):
        return names_of(environment, absolute)
    real = await workspace.realpath(absolute)
    there = Environment(folder, environment.home, None)
    return tuple(dict.fromkeys(name for each in (absolute, real) for name in names_of(there, each)))


def _share_a_disk(folder: str, cwd: str) -> bool:
    here = os.path.realpath(cwd)
    return lies_in(folder, here) or lies_in(here, folder)


def _paths(value: object) -> list[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [path for path in values if isinstance(path, str) and path and not path.strip().startswith(SCHEME)]
