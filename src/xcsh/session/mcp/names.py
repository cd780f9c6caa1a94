"""What is offered of an MCP server's tools: names that every model takes, bounded descriptions and results."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256

from pydantic_ai.messages import BinaryContent
from pydantic_ai.tools import ToolDefinition

from xcsh.agent.consent.calls import ORIGIN
from xcsh.parsing.values import elements

MOST_TOOLS = 100
"""Tools that one server may offer; some models take no more than 128 in all."""

_LONGEST_NAME = 64
"""What the strictest providers allow."""

_LONGEST_DESCRIPTION = 2_000
_LARGEST_SCHEMA = 20_000
LONGEST_OUTPUT = 50_000
"""Characters of one result that the model is given."""

_LARGEST_BINARY = 5_000_000
_MOST_PICTURES = 10
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def plain(text: str, limit: int = _LONGEST_DESCRIPTION) -> str:
    """A server's text without what would move a cursor, turn the writing round, or is not to be seen."""
    text = _CONTROL.sub("", text[: limit * 2])
    return text if len(text) <= limit else f"{text[:limit]} …"


def tool_name(slug: str, name: str, taken: Collection[str] = ()) -> str:
    """`mcp__server__tool`, made of the characters that every model takes, and none of those that are taken."""
    wanted = f"mcp__{slug}__{_NO_NAME.sub('_', name)}"
    if len(wanted) <= _LONGEST_NAME and wanted not in taken:
        return wanted
    mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{wanted[: _LONGEST_NAME - 9]}_{mark}"


def offered(definition: ToolDefinition, name: str, origin: str) -> ToolDefinition | None:
    """The definition as the model gets it; None where its schema is too large."""
    schema = json.dumps(definition.parameters_json_schema)
    if len(schema) > _LARGEST_SCHEMA or not name.isascii():
        return None
    return replace(
        definition,
        name=name,
        description=plain(definition.description or ""),
        metadata={**(definition.metadata or {}), ORIGIN: origin},
    )


def limited(result: object, limit: int = LONGEST_OUTPUT) -> object:
    """A result as the model gets it: a long text is cut, and says so; what is too large is left out, and said."""
    items = elements(result)
    if isinstance(result, BinaryContent):
        return result if len(result.data) <= _LARGEST_BINARY else _left_out(result)
    if items is not None and any(isinstance(item, BinaryContent) for item in items):
        return _limited_parts(items, limit)
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    if len(text) <= limit:
        return result
    return f"{text[:limit]}\n[cut: these are the first {limit:,} of {len(text):,} characters]"


def _limited_parts(items: list[object], limit: int) -> list[object]:
    """Texts and pictures of one result, which share the limits."""
    parts: list[object] = []
    left, pictures = limit, 0
    for item in items:
        if isinstance(item, BinaryContent):
            pictures += 1
            parts.append(limited(item) if pictures <= _MOST_PICTURES else _left_out(item))
        elif left > 0:
            part = limited(item, left)
            parts.append(part)
            left -= len(str(part))
    return parts


def _left_out(content: BinaryContent) -> str:
    return f"[left out: {content.media_type} of {len(content.data):,} bytes]"
