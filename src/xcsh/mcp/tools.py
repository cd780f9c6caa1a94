"""The tools of the server: which rules are for a file, why something is as it is, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

import mcp.types as t
from mcp.shared.exceptions import MCPError

from xcsh.mcp.catalogue import Catalogue

_INVALID = -32602
_READS = t.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def _schema(**properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TOOLS: tuple[t.Tool, ...] = (
    t.Tool(
        name="rules_for",
        title="Rules for a file",
        description="Which rules of the project are for a file, with their whole text. Ask before you change it.",
        input_schema=_schema(path={"type": "string", "description": "the file, from the project's folder or absolute"}),
        annotations=_READS,
    ),
    t.Tool(
        name="explain",
        title="Why a rule or command is as it is",
        description="Where a rule, a command (/NAME) or a rule file came from, and why it is active or is not.",
        input_schema=_schema(name={"type": "string", "description": "a rule's name, /NAME of a command, or a file"}),
        annotations=_READS,
    ),
    t.Tool(
        name="doctor",
        title="What is wrong with the rule files",
        description="Every finding about the project's rules and commands, with its place and what to do.",
        input_schema=_schema(),
        annotations=_READS,
    ),
)


def call_tool(catalogue: Catalogue, name: str, arguments: Mapping[str, object]) -> t.CallToolResult:
    """The answer of a tool, which reads files. What is wrong with a call is told to the model; MCPError for no tool."""
    if name == "doctor":
        return _said(catalogue.doctor())
    if name == "rules_for":
        path = arguments.get("path")
        return _said(catalogue.rules_for([path])) if _is_given(path) else _wrong("give `path`, the name of a file")
    if name == "explain":
        wanted = arguments.get("name")
        if not _is_given(wanted):
            return _wrong("give `name`: a rule, /NAME of a command, or a file")
        text = catalogue.explain(wanted)
        if text is not None:
            return _said(text)
        near = catalogue.nearest(wanted)
        return _wrong(f"nothing is named {wanted!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    raise MCPError(code=_INVALID, message=f"no tool is named {name!r}; there are rules_for, explain and doctor")


def _is_given(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _said(text: str) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)])


def _wrong(text: str) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)], is_error=True)
