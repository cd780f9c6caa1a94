"""What a call of a tool wants to do: as a request to decide on, and as a question to show."""

from __future__ import annotations

import json
import posixpath
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai_harness.filesystem import FileChangeRequestEvent

from xcsh.agent.consent.patterns import EDIT_FILE, SHELL, WRITE_FILE, Request
from xcsh.agent.consent.permissions import why_asked
from xcsh.agent.consent.request import THE_MODEL, ConsentRequest
from xcsh.agent.consent.steering_files import NONE, from_its_name_on, working_base
from xcsh.agent.consent.suggestions import suggested_patterns

ORIGIN = "xcsh_origin"
"""Key of a tool's metadata that says where the tool is from, for the question: `.mcp.json of this project`."""


def of_command(args: dict[str, Any], call_id: str) -> tuple[Request, ConsentRequest]:
    """A command of the shell."""
    command = str(args.get("command", ""))
    request = Request(SHELL, command)
    notes = ("it goes on in the background, after the answer too",) if args.get("mode") == "background" else ()
    return request, ConsentRequest(
        SHELL, why_asked(request), command=command, notes=notes, patterns=suggested_patterns(request), call_id=call_id
    )


def of_tool(tool_def: ToolDefinition, args: dict[str, Any], call_id: str) -> tuple[Request, ConsentRequest]:
    """A call of a tool that is none of xcsh's own."""
    written = json.dumps(args, ensure_ascii=False, default=str)
    request = Request(tool_def.name, written, foreign=True)
    origin = str((tool_def.metadata or {}).get(ORIGIN) or THE_MODEL)
    return request, ConsentRequest(
        tool_def.name, why_asked(request), arguments=written, origin=origin,
        patterns=suggested_patterns(request), call_id=call_id,
    )  # fmt: skip


async def of_change(
    ctx: RunContext[Any], event: FileChangeRequestEvent, steering: frozenset[str] = NONE
) -> tuple[Request, Request]:
    """The change by the name that was given, and by that of the file which is really behind it."""
    tool = EDIT_FILE if event.operation == "edit" else WRITE_FILE
    folder = working_base(await ctx.workspace.realpath(await ctx.workspace.working_dir()))
    named = posixpath.join(event.root_dir, event.path)
    real = await ctx.workspace.realpath(named)
    return _request_of(tool, named, folder, steering), _request_of(tool, real, folder, steering)


def question_of_change(requests: tuple[Request, Request], why: str, event: FileChangeRequestEvent) -> ConsentRequest:
    """The question about a change. A pattern is suggested only where the name is the file's own."""
    named, real = requests
    notes = ("the diff is cut: the change is longer",) if event.truncated else ()
    if event.operation == "create_directory":
        notes += ("it makes a folder",)
    if named != real:
        notes += (f"{named.argument} is a link to {real.argument}",)
    patterns = suggested_patterns(named) if named == real else ()
    return ConsentRequest(
        named.tool, why, path=named.argument, diff=event.diff, notes=notes, patterns=patterns,
        call_id=event.tool_call_id or "",
    )  # fmt: skip


def _request_of(tool: str, path: str, folder: str, steering: frozenset[str]) -> Request:
    relative = posixpath.relpath(path, folder)
    outside = relative.split("/")[0] == ".."
    named = path if outside else from_its_name_on(folder, relative, steering)
    return Request(tool, named, outside, steering=steering)
