"""docs/events.md, and the shapes of the events in the schema: both from the unions of events themselves."""

from __future__ import annotations

import inspect
import json
import os
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from xcsh.agent import events as of_the_turn
from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.session.events import EVENTS, event_json, event_name

SCHEMA = os.path.join(os.path.dirname(of_the_turn.__file__), os.pardir, "schemas", "output.schema.json")
SCHEMA = os.path.normpath(SCHEMA)
_TURN = set(get_args(of_the_turn.TurnEvent))
_SIMPLE: Mapping[object, dict[str, object]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    object: {},
    Diagnostic: {"$ref": "#/$defs/diagnostic"},
}
_WORDS: Mapping[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    object: "anything",
    Diagnostic: "finding",
}
_SAMPLES: Mapping[str, object] = {
    "added": 1,
    "arguments": {"path": "src/cart.ts"},
    "attempt": 2,
    "call_id": "call_1",
    "context_tokens": 9_120,
    "context_window": 200_000,
    "cost": 0.0213,
    "content": "export interface Cart {}",
    "delay": 1.5,
    "diagnostics": (
        Diagnostic("command-failed", "error", "ValueError: no", "/work/.xcsh/commands/tidy.py", Position(4, 1)),
    ),
    "diff": "@@ -1,2 +1,2 @@\n export interface Cart {\n-  total: any\n+  total: Money",
    "file": "src/cart.ts",
    "follow_ups": ("and test it",),
    "hint": "wait a moment and try again",
    "input_tokens": 812,
    "left": 0,
    "message": "the provider answered HTTP 429 for fake: slow down",
    "name": "read_file",
    "operation": "edit",
    "output_tokens": 96,
    "path": "src/cart.ts",
    "paths": (".xcsh/rules/no-any.md",),
    "reason": "HTTP 529: overloaded",
    "removed": 1,
    "requests": 2,
    "rules": ("no-any",),
    "stage": "extension-commands",
    "steering": ("only the types",),
    "text": "Look at src.",
    "tokens": 52_000,
    "tokens_after": 9_000,
    "tokens_before": 52_000,
    "turn": 1,
    "typed": "/review src",
    "written_tokens": 41,
}
_DEFAULTS: Mapping[object, object] = {str: "…", int: 1, float: 1.0, bool: False, object: "…"}
"""What an example shows of a field whose name has no sample: a new event needs no entry here."""

_HEAD = """\
# Events

{note}

What a session tells whoever shows it: the sinks of `session.subscribe`, the readers of `session.events()`, and each
line of `xcsh -p --output jsonl` but the last ([headless.md](headless.md)). The union is closed: there are no others.
The [schema](../src/xcsh/schemas/output.schema.json) has their shapes under `event`, and that of the last line under
`result`. A line is the event's fields under their names, after `type`, which is its name in snake case.

More fields and more events may come with later versions; what is not known is best ignored.

An answer that is discarded is followed by `message_retracted`; what came since the last `message_completed` no longer
counts then. Of a whole message `message_completed` has the text, so that deltas need not be collected.
"""


def events_page(note: str) -> str:
    """docs/events.md."""
    lines = [_HEAD.format(note=note)]
    groups = (
        ("Of the session", [event for event in EVENTS if event not in _TURN]),
        ("Of a turn", [event for event in EVENTS if event in _TURN]),
    )
    for title, events in groups:
        lines += [f"## {title}", ""]
        lines += [f"- [{event_name(event)}](#{event_name(event)})" for event in events] + [""]
    for _, events in groups:
        for event in events:
            lines += [*_described(event), ""]
    return "\n".join(lines)


def _described(event: type[Any]) -> list[str]:
    """One event: what it means, its fields, a line of it."""
    lines = [f"### {event_name(event)}", "", inspect.getdoc(event) or "", ""]
    fields = get_type_hints(event)
    if fields:
        lines += ["| field | is |", "|---|---|"]
        lines += [f"| `{name}` | {_in_words(hint)} |" for name, hint in fields.items()] + [""]
    return [*lines, "```json", json.dumps(event_json(_sample(event, "")), ensure_ascii=False), "```"]


def _in_words(hint: object) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        return f"a list; each: {_in_words(inner[0])}"
    if origin is dict:
        return "an object"
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (Union, types.UnionType):
        return " or ".join("nothing (`null`)" if each is type(None) else _in_words(each) for each in inner)
    return "an object of " + ", ".join(f"`{name}` ({_in_words(each)})" for name, each in get_type_hints(hint).items())


def _sample(hint: object, name: str) -> Any:
    if name in _SAMPLES:
        return _SAMPLES[name]
    if hint in _DEFAULTS:
        return _DEFAULTS[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        return (_sample(inner[0], ""),)
    if origin is dict:
        return {}
    if origin is Literal:
        return inner[0]
    if origin in (Union, types.UnionType):
        return _sample(inner[0], "")
    make: Callable[..., Any] = hint  # type: ignore[assignment]
    return make(**{field: _sample(each, field) for field, each in get_type_hints(hint).items()})


def schema_text() -> str:
    """The schema's file, with the events as they are in the code."""
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    schema["$defs"]["event"] = {
        "description": "A line of xcsh -p --output jsonl but the last. Generated; docs/events.md says more.",
        "oneOf": [_shape(event) for event in EVENTS],
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _shape(event: type[Any]) -> dict[str, object]:
    summary = (inspect.getdoc(event) or "").split("\n\n", 1)[0].replace("\n", " ")
    fields = {name: _typed(hint) for name, hint in get_type_hints(event).items()}
    return {
        "title": event_name(event),
        "description": summary,
        "type": "object",
        "properties": {"type": {"const": event_name(event)}, **fields},
        "required": ["type", *fields],
        "additionalProperties": False,
    }


def _typed(hint: object) -> dict[str, object]:
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        return {"type": "array", "items": _typed(inner[0])}
    if origin is dict:
        return {"type": "object"}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [{"type": "null"} if each is type(None) else _typed(each) for each in inner]}
    fields = {name: _typed(each) for name, each in get_type_hints(hint).items()}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
