"""What a hook has to say to a call of a tool, and to the beginning of a conversation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from xcsh.guard.tools import CHANGING, canonical, names_a_path
from xcsh.hooks.hosts import Event, Verdict
from xcsh.hooks.memory import Memory
from xcsh.hooks.patches import PatchedFile, is_patch, patched_files
from xcsh.hooks.payload import Payload
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.surfaces.reach import attaching, names_of

if TYPE_CHECKING:
    from xcsh.guard.stream_guard import Match, StreamGuard

_RESUMED = "resume"
_CALL = "call"


def answer(payload: Payload, registry: Registry, memory: Memory) -> Verdict:
    """What is to be said to an event; `memory` is changed to what the model knows afterwards."""
    if payload.kind in (Event.BEFORE_TOOL, Event.AFTER_TOOL):
        return _to_call(payload, registry, memory)
    if payload.kind == Event.PROMPT:
        from xcsh.guard.policy import History, policy_of  # noqa: PLC0415 - only for this event

        history = History(policy_of(registry.settings))
        history.restore(memory.guard)
        history.end_turn()
        memory.guard = history.save()
    elif payload.kind == Event.COMPACTION:
        memory.forget()
    elif payload.kind == Event.START:
        if payload.source != _RESUMED:
            memory.forget()
        from xcsh.hooks.introduction import introduction  # noqa: PLC0415 - only for this event

        return Verdict(context=introduction(registry, payload.host))
    return Verdict()


def _to_call(payload: Payload, registry: Registry, memory: Memory) -> Verdict:
    patches = [file for text in _texts(payload) if is_patch(text) for file in patched_files(text)]
    denial, reminded = "", ""
    if payload.kind == Event.BEFORE_TOOL and any(entry.bucket == Bucket.TTSR for entry in registry.active):
        denial, reminded = _watched(payload, registry, memory, patches)
    if denial:
        return Verdict(denial=denial)
    if payload.kind not in payload.host.context_at:
        return Verdict()
    attached = _attached(payload, registry, memory, patches)
    return Verdict(context="\n\n".join(part for part in (reminded, attached) if part))


def _watched(payload: Payload, registry: Registry, memory: Memory, patches: Sequence[PatchedFile]) -> tuple[str, str]:
    """Why the call must not run, and what the model is reminded of: of the stream rules that its text matches."""
    from xcsh.guard.injection import refusal, reminder  # noqa: PLC0415 - only where there are stream rules
    from xcsh.guard.stream_guard import StreamGuard  # noqa: PLC0415

    guard = StreamGuard.of(registry)
    guard.restore(memory.guard)
    matches = _matches(guard, payload, patches)
    rules = {entry.rule.name: entry.rule for entry in registry.active}
    stopping = [rules[match.rule] for match in matches if match.interrupts]
    if stopping:
        guard.acknowledge([rule.name for rule in stopping])
        memory.guard = guard.save()
        return refusal(stopping, registry.environment.cwd), ""
    noticed = [rules[match.rule] for match in matches]
    if noticed and payload.kind in payload.host.context_at:
        guard.acknowledge([rule.name for rule in noticed], interrupted=False)
        memory.guard = guard.save()
        return "", reminder(noticed, registry.environment.cwd)
    return "", ""


def _matches(guard: StreamGuard, payload: Payload, patches: Sequence[PatchedFile]) -> list[Match]:
    if not patches:
        import json  # noqa: PLC0415

        text = json.dumps(payload.arguments, ensure_ascii=False)
        found = guard.feed("tool", text, call=_CALL, tool=payload.tool)
        return found + guard.end("tool", call=_CALL)
    found: list[Match] = []
    for number, file in enumerate(patches):
        call = f"{_CALL}{number}"
        found += guard.locate(file.path, call=call, tool="edit")
        found += guard.introduce(file.added, call=call, tool="edit")
        found += guard.end("tool", call=call)
    return found


def _attached(payload: Payload, registry: Registry, memory: Memory, patches: Sequence[PatchedFile]) -> str:
    """The rules for the files of the call that the model has not been given yet."""
    tool = canonical(payload.tool)
    paths = [file.path for file in patches]
    if tool == "read" or tool in CHANGING:
        paths += [path for key, value in payload.arguments.items() if names_a_path(key) for path in _strings(value)]
    parts: list[str] = []
    for path in paths:
        names = names_of(registry.environment, path)
        rules = list(_new_for(names, payload, registry, memory))
        if rules:
            from xcsh.agent.attachments.text import blocks  # noqa: PLC0415 - only where there is something to say

            parts.append(blocks(rules, names[0], registry.environment.cwd))
            memory.give(_known(rule) for rule in rules)
    if not parts:
        return ""
    from xcsh.agent.attachments.text import opened  # noqa: PLC0415

    return opened("\n".join(parts))


def _new_for(names: Sequence[str], payload: Payload, registry: Registry, memory: Memory) -> Iterable[Rule]:
    for entry in registry.active:
        if attaching(entry, names, registry.settings) is None or not _is_foreign(entry, payload):
            continue
        if not memory.has(_known(entry.rule)):
            yield entry.rule


def _is_foreign(entry: Entry, payload: Payload) -> bool:
    return entry.rule.origin.provider not in payload.host.reads


def _known(rule: Rule) -> str:
    return f"{rule.name}\n{rule.content}"


def _texts(payload: Payload) -> Iterable[str]:
    return (text for value in payload.arguments.values() for text in _strings(value))


def _strings(value: object) -> list[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [os.fspath(each) for each in values if isinstance(each, str) and each]
