"""Reads what an agent tells a hook. Whatever else stands in it is left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xcsh.errors import UsageError
from xcsh.hooks.hosts import Host, host_of

_EVENT = ("hook_event_name", "hookEventName", "hookName")


class Payload(NamedTuple):
    """One event. `kind` is of `Event`, None for one that is of no interest; `name` is the agent's word for it.

    `session` names the conversation, empty where nothing does. `cwd` is the folder of the rules. `source`: what a
    session starts from. `call` identifies a call of a tool, `arguments` are the call's.
    """

    host: Host
    kind: str | None
    name: str
    session: str
    cwd: str
    source: str = ""
    tool: str = ""
    arguments: Mapping[str, object] = {}


def read_payload(text: str, environ: Mapping[str, str], host: Host | None = None, event: str = "") -> Payload:
    """The event of a payload; of `host` and `event` where they are known, else of whom it looks like.

    UsageError for what is no JSON object. A field that is missing or of another type counts as empty.
    """
    import json  # noqa: PLC0415 - where nothing is read, nothing is paid

    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the input is no JSON: {error}", "this verb is called by an agent's hooks") from None
    if not isinstance(value, dict):
        raise UsageError("the input is no JSON object", "this verb is called by an agent's hooks")
    fields = cast("dict[str, object]", value)
    name = event or _text(fields, _EVENT)
    host = host_of(host, fields, name)
    arguments = _first(fields, host.input)
    if isinstance(arguments, str):  # Copilot gives JSON in JSON
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = {}
    session = "-".join(part for part in (_text(fields, host.session), _text(fields, ("agent_id",))) if part)
    return Payload(
        host,
        host.kind(name),
        name,
        session,
        environ.get(host.project, "") if host.project and environ.get(host.project) else _text(fields, host.folder),
        _text(fields, ("source", "trigger")),
        _text(fields, host.tool),
        cast("dict[str, object]", arguments) if isinstance(arguments, dict) else {},
    )


def _first(fields: Mapping[str, object], keys: Sequence[str]) -> object:
    return next((fields[key] for key in keys if fields.get(key)), None)


def _text(fields: Mapping[str, object], keys: Sequence[str]) -> str:
    value = _first(fields, keys)
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    return value if isinstance(value, str) else ""
