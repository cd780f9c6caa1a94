"""Rules attached by their globs, as a pydantic-ai capability: given with the file that they are for (R-54)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic_ai import RunContext, ToolFailed
from pydantic_ai.capabilities import WrapToolExecuteHandler
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition, ToolDenied

from xcsh.agent.attachments.delivered import attach, delivered, on_its_way, was_told
from xcsh.agent.attachments.events import RulesAttachedEvent
from xcsh.agent.attachments.touched import Touch, names_in, touch_of
from xcsh.agent.capability import EventlessCapability
from xcsh.api import Registry, discover
from xcsh.model.rule import Bucket, Entry, Rule
from xcsh.parsing.globs import relative
from xcsh.surfaces.attached_rules import Given, blocks, given, held_back
from xcsh.surfaces.reach import attaching


class _Matched(NamedTuple):
    """A file of a call, by the name that is shown, and the rules whose globs match it."""

    file: str
    entries: list[Entry]


class RuleAttachments(EventlessCapability):
    """Gives a model the rules for the files it works on: `Agent(…, capabilities=[RuleAttachments(registry)])`.

    When a tool reads or changes a file that globs of `attached` or `rulebook` rules match, the next request brings
    their contents with the result of that tool. What the model still sees is not given again; what a compaction
    dropped is, at the next touch. A change of a file whose rules the model has not seen is held back: nothing is
    written, the model gets the rules and is asked to repeat the call (`rules.attach_on_write = "after"`: it is
    written, and the rules follow). `RulesAttachedEvent` tells whoever shows the run.

    Files that a shell command reads or writes, listings and searches attach nothing.

    List it before capabilities that ask for consent in a `wrap_tool_execute` of their own, so that nobody is asked
    about a change that is held back.

    It keeps no state: one instance may serve many runs at once, and an agent that is delegated to starts anew.
    """

    id: str | None = "rule-attachments"

    def __init__(self, registry: Registry, *, id: str = "rule-attachments") -> None:  # noqa: A002 - the framework's own name
        self.id = id
        self.reload(registry)

    @classmethod
    def discover(
        cls, cwd: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None
    ) -> RuleAttachments:
        """The attachments of everything that is found around a folder. Reads files: not for an event loop."""
        return cls(discover(cwd, home=home))

    def reload(self, registry: Registry) -> None:
        """Puts another registry in force, from the next tool call on. A rule that was changed is given again."""
        self._registry = registry
        self._entries = [entry for entry in registry.active if entry.bucket in (Bucket.RULEBOOK, Bucket.ATTACHED)]

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Holds back a change whose rules were not seen; else runs the call and attaches what is new."""
        del call
        touch = touch_of(tool_def, args) if self._entries and ctx.pending_messages is not None else None
        if touch is None:
            return await handler(args)
        matched = await self._matched(ctx, touch)
        if touch.changes:
            await self._hold_back(ctx, matched)
        result = await handler(args)
        if isinstance(result, ToolDenied):
            return result
        for file, entries in matched:
            if new := _without(entries, delivered(ctx.messages) | on_its_way(ctx)):
                attach(ctx, self._blocks(new, file))
                await ctx.emit(self._event(new, file, held=False))
        return result

    async def _matched(self, ctx: RunContext[Any], touch: Touch) -> list[_Matched]:
        found: list[_Matched] = []
        settings = self._registry.settings
        for path in touch.paths:
            names = await names_in(ctx.workspace, self._registry.environment, path)
            if entries := [entry for entry in self._entries if attaching(entry, names, settings) is not None]:
                found.append(_Matched(names[0], entries))
        return found

    async def _hold_back(self, ctx: RunContext[Any], matched: Iterable[_Matched]) -> None:
        """Raises ToolFailed, with all rules on their way, where one of them must be seen before the change.

        What is on its way was not seen when the call was written, so it holds back too. A change is held back once:
        if something took the rules out of the history but not the result that announced them, it goes through.
        """
        seen = delivered(ctx.messages)
        told: list[str] = []
        for file, entries in matched:
            unseen = _without(entries, seen)
            said = held_back(file, _rules(unseen))
            if not any(map(self._waits, unseen)) or was_told(ctx.messages, said):
                continue
            if new := _without(unseen, on_its_way(ctx)):
                attach(ctx, self._blocks(new, file))
            await ctx.emit(self._event(unseen, file, held=True))
            told.append(said)
        if told:
            raise ToolFailed("\n".join(told))

    def _waits(self, entry: Entry) -> bool:
        return self._registry.settings.get("rules.attach_on_write", entry.rule.origin.level) == "gate"

    def _blocks(self, entries: Iterable[Entry], file: str) -> str:
        return blocks(_rules(entries), file, self._registry.environment.cwd)

    def _event(self, entries: Iterable[Entry], file: str, *, held: bool) -> RulesAttachedEvent:
        rules = _rules(entries)
        cwd = self._registry.environment.cwd
        return RulesAttachedEvent(
            rules=tuple(rule.name for rule in rules),
            paths=tuple(relative(rule.path, cwd) for rule in rules),
            file=file,
            held_back=held,
        )


def _rules(entries: Iterable[Entry]) -> list[Rule]:
    return [entry.rule for entry in entries]


def _without(entries: Iterable[Entry], known: set[Given]) -> list[Entry]:
    return [entry for entry in entries if given(entry.rule) not in known]
