"""What a hook has to say to a call of a tool, and to the beginning of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from xcsh.guard.tools import CHANGING, canonical, names_a_path
from xcsh.hooks.bounds import MOST_FILES, MOST_VALUES, within_bounds
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
    if payload.kind == Event.COMPACTION:
        memory.forget()
    elif payload.kind == Event.START:
        if payload.source != _RESUMED:
            memory.forget()
        return _introduced(payload, registry, memory)
    elif payload.kind == Event.PROMPT:
        from xcsh.guard.policy import History, policy_of  # noqa: PLC0415 - only for this event

        history = History(policy_of(registry.settings))
        history.restore(memory.guard)
        history.end_turn()
        memory.guard = history.save()
        if memory.lasts and payload.kind in payload.host.context_at:
            return _introduced(payload, registry, memory)
    return Verdict()


def _introduced(payload: Payload, registry: Registry, memory: Memory) -> Verdict:
    """The rules that are always in force, once: where a session begins, else with the next prompt."""
    from xcsh.hooks.introduction import introduction  # noqa: PLC0415 - only for these events

    text = introduction(registry, payload.host)
    if not text or memory.has(text):
        return Verdict()
    memory.give([text])
    return Verdict(context=text)


def _to_call(payload: Payload, registry: Registry, memory: Memory) -> Verdict:
    arguments, values = within_bounds(payload.arguments)
    payload = payload._replace(arguments=arguments)
    patches = [file for text in _texts(payload) if is_patch(text) for file in patched_files(text)]
    paths = list(dict.fromkeys([file.path for file in patches] + _attaching_paths(payload)))
    unseen = _unseen(values, max(len(patches), len(paths)))
    del patches[MOST_FILES:], paths[MOST_FILES:]
    denial, reminded = "", ""
    tells = payload.kind in payload.host.context_at
    if (payload.kind == Event.BEFORE_TOOL or tells) and any(entry.bucket == Bucket.TTSR for entry in registry.active):
        denial, reminded = _watched(payload, registry, memory, patches)
    if denial:
        return Verdict(denial=denial, unseen=unseen)
    if not tells:
        return Verdict(unseen=unseen)
    attached = _attached(payload, registry, memory, paths)
    return Verdict(context="\n\n".join(part for part in (reminded, attached) if part), unseen=unseen)


def _unseen(values: int, files: int) -> str:
    """What of a call is not looked at, by the number of its values and files."""
    if values > MOST_VALUES:
        return f"the call has {values:,} values; beyond the first {MOST_VALUES:,} no rules were looked for"
    if files > MOST_FILES:
        return f"the call is about {files:,} files; beyond the first {MOST_FILES:,} no rules were looked for"
    return ""


def _watched(payload: Payload, registry: Registry, memory: Memory, patches: Sequence[PatchedFile]) -> tuple[str, str]:
    """Why the call must not run, and what the model is reminded of: of the stream rules that its text matches.

    Where an agent can be told more only after a call, it is reminded then; a call that has run is denied no more.
    """
    from xcsh.guard.injection import refusal, reminder  # noqa: PLC0415 - only where there are stream rules
    from xcsh.guard.stream_guard import StreamGuard  # noqa: PLC0415

    guard = StreamGuard.of(registry, tools=payload.host.tools)
    guard.restore(memory.guard)
    matches = _matches(guard, payload, patches)
    rules = {entry.rule.name: entry.rule for entry in registry.active}
    stopping = [rules[match.rule] for match in matches if match.interrupts] if payload.kind == Event.BEFORE_TOOL else []
    if stopping:
        guard.acknowledge([rule.name for rule in stopping])
        memory.guard = guard.save()
        return refusal(stopping, registry.environment.cwd), ""
    noticed = list(dict.fromkeys(match.rule for match in matches))
    if noticed and payload.kind in payload.host.context_at:
        guard.acknowledge(noticed, interrupted=False)
        memory.guard = guard.save()
        return "", reminder((rules[name] for name in noticed), registry.environment.cwd)
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


def _attached(payload: Payload, registry: Registry, memory: Memory, paths: Sequence[str]) -> str:
    """The rules for files of the call that the model has not been given yet."""
    parts: list[str] = []
    for path in paths:
        names = names_of(registry.environment, path)
        rules = list(_new_for(names, payload, registry, memory))
        if rules:
            from xcsh.surfaces.attached_rules import blocks  # noqa: PLC0415 - only where there is something to say

            parts.append(blocks(rules, names[0], registry.environment.cwd))
            memory.give(_known(rule) for rule in rules)
    if not parts:
        return ""
    from xcsh.surfaces.attached_rules import opened  # noqa: PLC0415

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


def _attaching_paths(payload: Payload) -> list[str]:
    """The files that the arguments of a call name that reads or changes them."""
    tool = canonical(payload.host.tools.get(payload.tool.lower(), payload.tool))
    return _paths(payload.arguments) if tool == "read" or tool in CHANGING else []


def _paths(arguments: Mapping[str, object]) -> list[str]:
    """The files that a call names: in its arguments, and in the edits of a list among them."""
    found: list[str] = []
    for key, value in arguments.items():
        if names_a_path(key):
            found += _strings(value)
        elif isinstance(value, list):
            edits = cast("list[object]", value)
            inner = [cast("dict[str, object]", edit) for edit in edits if isinstance(edit, dict)]
            found += [path for edit in inner for name in edit if names_a_path(name) for path in _strings(edit[name])]
    return found


def _strings(value: object) -> list[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]
