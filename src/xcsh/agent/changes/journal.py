"""Keeps what files held before the agent changed them, as a pydantic-ai capability, so that it can be undone."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from pydantic_ai import CapabilityEvent, RunContext
from pydantic_ai.capabilities import (
    CapabilityOrdering,
    WrapToolExecuteHandler,
    on_event,
)
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai_harness.filesystem import FileChangeRequestEvent

from xcsh.agent.capability import EventlessCapability
from xcsh.agent.changes.announced import Announced, look_before, outcome
from xcsh.agent.changes.file_diff import FileDiffEvent, file_diff
from xcsh.agent.changes.file_state import FileState, state_at
from xcsh.agent.changes.records import CREATE_DIRECTORY, DONE, INTENT, MAX_FILE_BYTES, ChangeKeeper
from xcsh.agent.consent.capability import Consent


@dataclass(kw_only=True)
class ChangeNotUndoableEvent(CapabilityEvent, namespace="xcsh", name="change_not_undoable"):
    """A change goes ahead of which nothing can be taken back. `path` is below the folder `root_dir`."""

    path: str
    root_dir: str
    reason: str


class _Call:
    """A call of a tool that is running: its arguments, the turn it belongs to, and the changes that it announced."""

    __slots__ = ("announced", "args", "keeper", "turn")

    def __init__(self, keeper: ChangeKeeper, turn: str, args: dict[str, Any]) -> None:
        self.keeper = keeper
        self.turn = turn
        self.args = args
        self.announced: list[Announced] = []


_RUNNING: ContextVar[_Call | None] = ContextVar("xcsh_running_call", default=None)


class ChangeJournal(EventlessCapability):
    """Writes down every change of a file before it goes through: `Agent(…, capabilities=[ChangeJournal(keeper)])`.

    Before a tool of the harness changes a file, the file's content is kept and the intent recorded; afterwards, what
    became of it. Changes of sub-agents that have the same journal belong to the turn of their parent: the `turn` of a
    record is the `run_id` of the outermost run. A change that a listener cancels is not recorded, or recorded as one
    that did not happen, whatever the order of the listeners.

    Where the content cannot be kept because it is too large or cannot be read, the change goes ahead and
    `ChangeNotUndoableEvent` is emitted. Where the keeper fails, as on a full disk, the change is refused: the model
    gets the reason. What a call did to texts is told as `FileDiffEvent`. Commands of the shell are not covered. One
    instance may serve many runs of one conversation.
    """

    id: str | None = "change-journal"

    def __init__(
        self,
        keeper: ChangeKeeper,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        id: str = "change-journal",  # noqa: A002 - the framework's own name
    ) -> None:
        """`max_file_bytes`: of a larger file the content is not kept."""
        self.id = id
        self._keeper = keeper
        self._limit = max_file_bytes
        self._open: dict[str, Announced] = {}

    def get_ordering(self) -> CapabilityOrdering | None:
        """Innermost: it hears of a change after everybody who may cancel it, and sees the arguments as they are run."""
        return CapabilityOrdering(position="innermost", wrapped_by=[Consent])

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Runs the call, and afterwards records what became of the changes that it announced.

        A call that is cancelled may still be writing, in a thread of its own: its changes stay open until the file is
        looked at again.
        """
        del call, tool_def
        running = _Call(self._keeper, self._turn(ctx), args)
        token = _RUNNING.set(running)
        try:
            result = await handler(args)
        except Exception:
            await self._settle(running, succeeded=False)
            raise
        finally:
            _RUNNING.reset(token)
        await self._settle(running, succeeded=True)
        await self._tell(ctx, running)
        return result

    @on_event(FileChangeRequestEvent)
    async def _before_change(self, ctx: RunContext[Any], event: FileChangeRequestEvent) -> None:
        """Keeps what is there and records the intent, or cancels the change where that fails."""
        if event.cancelled:
            return
        running = _RUNNING.get()
        args = running.args if running is not None and running.keeper is self._keeper else {}
        ref = ctx.workspace.ref
        local = ref is not None and ref.provider == "local"
        try:
            change = await asyncio.to_thread(look_before, event, args, self._keeper, self._limit, local=local)
            self._close_earlier(change)
            self._keeper.record(INTENT, change.fields(self._turn(ctx)))
        except OSError as error:
            why = error.strerror or str(error)
            event.cancel(f"the copy that undoing needs could not be kept: {why}; tell the user to see to that first")
            return
        if change.real:
            self._open[change.real] = change
            if running is not None:
                running.announced.append(change)
        if change.lost:
            await ctx.emit(ChangeNotUndoableEvent(path=event.path, root_dir=event.root_dir, reason=change.lost))

    def _turn(self, ctx: RunContext[Any]) -> str:
        """The outermost run: the one whose call of a tool this run works for, if there is one."""
        running = _RUNNING.get()
        if running is not None and running.keeper is self._keeper:
            return running.turn
        return ctx.run_id or ""

    def _close_earlier(self, change: Announced) -> None:
        """Records what became of an earlier change of the same file, before this one hides it.

        The tools change a file one after the other, so that what is there now is what the earlier change left.
        """
        earlier = self._open.pop(change.real, None)
        if earlier is not None:
            self._record(earlier, change.before, succeeded=None)

    async def _settle(self, running: _Call, *, succeeded: bool) -> None:
        for change in running.announced:
            now = await asyncio.to_thread(state_at, change.real, self._limit)
            # Another call may have announced a change of the same file meanwhile, and closed this one.
            if self._open.get(change.real) is change:
                del self._open[change.real]
                self._record(change, now, succeeded=succeeded)

    async def _tell(self, ctx: RunContext[Any], running: _Call) -> None:
        """Tells what a call that succeeded did to the texts of files."""
        for change in running.announced:
            before = b"" if change.before.sha256 is None else change.before.content
            operation = change.event.operation
            if change.event.cancelled or operation == CREATE_DIRECTORY or before is None or change.intended is None:
                continue
            diff = await asyncio.to_thread(file_diff, before, change.intended)
            await ctx.emit(FileDiffEvent(path=change.event.path, operation=operation, **diff._asdict()))

    def _record(self, change: Announced, now: FileState, *, succeeded: bool | None) -> None:
        try:
            done = outcome(change, now, self._keeper, self._limit, succeeded=succeeded)
            if done is not None:
                self._keeper.record(DONE, done)
        except OSError:
            # The intent is recorded, with what was to be written. That is enough to undo it.
            return
