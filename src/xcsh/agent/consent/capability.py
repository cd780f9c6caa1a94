"""Consent as a pydantic-ai capability: asks before a command runs, a file changes, or a foreign tool does anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

from pydantic_ai import RunContext, SkipToolExecution, ToolDenied
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, WrapToolExecuteHandler, on_event
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai_harness.filesystem import READ_ONLY_TOOL_NAMES, FileChangeRequestEvent, FileSystem
from pydantic_ai_harness.shell import Shell

from xcsh.agent.capability import EventlessCapability
from xcsh.agent.consent.calls import of_change, of_command, of_tool, question_of_change
from xcsh.agent.consent.events import asked_event, given_event
from xcsh.agent.consent.one_at_a_time import Turn
from xcsh.agent.consent.patterns import Request, parse_pattern
from xcsh.agent.consent.permissions import ALLOW, ASK, REFUSE, Decision, Permissions, why_asked
from xcsh.agent.consent.refusals import not_done
from xcsh.agent.consent.request import Always, Answer, Ask, ConsentRequest, No, Once
from xcsh.agent.rulebook import Rulebook
from xcsh.errors import UsageError

Keep = Callable[[str], object]
"""Writes a pattern down for good; called in a thread. Raises UsageError where it cannot."""


_STRICTEST_FIRST = (REFUSE, ASK, ALLOW)


class _Call:
    """A call that needs a decision. `refused`: what the model is told instead of the tool's own words."""

    __slots__ = ("announces", "refused", "turn")

    def __init__(self, turn: Turn, *, announces: bool = True) -> None:
        """`announces`: it is decided on when it announces the change of a file."""
        self.turn = turn
        self.announces = announces
        self.refused = ""


_CALL: ContextVar[_Call | None] = ContextVar("xcsh_consent_call", default=None)


class Consent(EventlessCapability):
    """Asks before anything that needs consent: `Agent(…, capabilities=[…, Consent(permissions, ask)])` (S-12).

    Commands of the harness's `Shell`, changes of its `FileSystem`, and every tool that is neither of those nor among
    `harmless`. What `permissions` allows or refuses is not asked about. `ask` gets one question at a time, in the order
    of the calls; it is cancelled where the run is. Without `ask`, what would be asked about is refused. `keep` writes
    down the pattern of an answer `Always`; `tell` gets a line for everything that was refused without asking.

    One instance may serve many runs at once, and then asks for one after the other as well.
    """

    id: str | None = "consent"

    def __init__(
        self,
        permissions: Permissions,
        ask: Ask | None = None,
        *,
        keep: Keep | None = None,
        harmless: Iterable[str] = (),
        tell: Callable[[str], None] | None = None,
        id: str = "consent",  # noqa: A002 - the framework's own name
    ) -> None:
        self.id = id
        self.permissions = permissions
        self._ask = ask
        self._keep = keep
        self._harmless = frozenset(harmless)
        self._tell = tell
        self._queue: list[Turn] = []

    def get_ordering(self) -> CapabilityOrdering:
        """Inside of everything else, so that nothing changes what was consented to."""
        return CapabilityOrdering(position="innermost")

    def offers(self, tool: str) -> bool:
        """Whether a call of a tool that needs consent can come to anything."""
        return self._ask is not None or self.permissions.names(tool)

    async def settle(self, request: Request, shown: ConsentRequest) -> str:
        """Asks about something that is no call of a tool, such as starting a server that a project names.

        Empty where it may go ahead, else why not, in words.
        """
        turn = Turn(self._queue)
        try:
            await turn.wait()
            return await self._settle((request,), shown, None)
        finally:
            turn.end()

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Takes the call's place among those that wait to be decided."""
        del call
        waiting = None
        if not self._is_harmless(ctx, tool_def):
            waiting = _Call(Turn(self._queue), announces=isinstance(_owner(ctx, tool_def), FileSystem))
        token = _CALL.set(waiting)
        try:
            result = await handler(args)
        finally:
            _CALL.reset(token)
            if waiting is not None:
                waiting.turn.end()
        return ToolDenied(waiting.refused) if waiting is not None and waiting.refused else result

    async def before_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        """Decides on commands and foreign tools. A change of a file is decided on when its diff is known."""
        waiting = _CALL.get()
        if waiting is None:
            return args
        await waiting.turn.wait()
        if waiting.announces:
            return args  # holds its turn until it announces the change, or ends without one
        if isinstance(_owner(ctx, tool_def), Shell):
            request, shown = of_command(args, call.tool_call_id)
        else:
            request, shown = of_tool(tool_def, args, call.tool_call_id)
        refused = await self._settle((request,), shown, ctx)
        waiting.turn.end()
        if refused:
            raise SkipToolExecution(ToolDenied(refused))
        return args

    @on_event(FileChangeRequestEvent)
    async def _decide_on_change(self, ctx: RunContext[Any], event: FileChangeRequestEvent) -> None:
        """Decides on a change of a file by its name and by the name of the file that is really behind it."""
        current = _CALL.get()
        waiting = current if current is not None and current.announces else _Call(Turn(self._queue))
        try:
            await waiting.turn.wait()
            requests = await of_change(ctx, event, self.permissions.steering)
            why = next((text for text in map(self._why_asked, requests) if text), "")
            shown = question_of_change(requests, why, event)
            waiting.refused = await self._settle(requests, shown, ctx)
        finally:
            waiting.turn.end()
        if waiting.refused:
            event.cancel(waiting.refused)

    def _is_harmless(self, ctx: RunContext[Any], tool_def: ToolDefinition) -> bool:
        owner = _owner(ctx, tool_def)
        if isinstance(owner, FileSystem):
            return tool_def.name in READ_ONLY_TOOL_NAMES
        if isinstance(owner, Shell):
            return "command" not in (tool_def.parameters_json_schema.get("properties") or {})
        return isinstance(owner, Rulebook) or tool_def.name in self._harmless

    def _why_asked(self, request: Request) -> str:
        return "" if self.permissions.decide(request).verdict == ALLOW else why_asked(request)

    def _decide(self, requests: Sequence[Request]) -> Decision:
        """The strictest decision on any of them."""
        decisions = [self.permissions.decide(request) for request in requests]
        return min(decisions, key=lambda decision: _STRICTEST_FIRST.index(decision.verdict))

    async def _settle(self, requests: Sequence[Request], shown: ConsentRequest, ctx: RunContext[Any] | None) -> str:
        decision = self._decide(requests)
        if decision.verdict == ALLOW:
            return ""
        if decision.denied or decision.verdict != ASK or self._ask is None:
            return self._refuse(decision, requests, shown)
        if ctx is not None:
            await ctx.emit(asked_event(shown))
        answer = await self._ask(shown)
        if shown.once and not isinstance(answer, No):
            answer = Once()
        problem = await self._apply(answer, requests)
        if ctx is not None:
            await ctx.emit(given_event(shown.tool, answer, problem))
        if not isinstance(answer, No):
            return ""
        more = (
            f": {answer.reason}" if answer.reason else ". Do not try the same in another way; ask what to do instead."
        )
        return f"The user said no{more}"

    def _refuse(self, decision: Decision, requests: Sequence[Request], shown: ConsentRequest) -> str:
        if decision.denied:
            line = f"Refused without asking: {decision.reason}. Do not try another way."
        else:
            line = not_done(requests[0], shown, decision.reason)
        if self._tell is not None:
            self._tell(line)
        return line

    async def _apply(self, answer: Answer, requests: Sequence[Request]) -> str:
        """Remembers the answer; says what of it could not be done."""
        if isinstance(answer, Once | No):
            return ""
        try:
            if answer.pattern:
                self.permissions.grant(parse_pattern(answer.pattern), always=isinstance(answer, Always))
            else:
                for request in requests:
                    self.permissions.grant_request(request)
            if isinstance(answer, Always) and self._keep is not None:
                await asyncio.to_thread(self._keep, answer.pattern)
        except UsageError as error:
            return f"{error}; {error.hint}" if error.hint else str(error)
        return ""


def _owner(ctx: RunContext[Any], tool_def: ToolDefinition) -> AbstractCapability[Any] | None:
    """The capability that brought a tool. A name alone is no proof: a server may call its tool `write_file`."""
    return ctx.capabilities.get(tool_def.capability_id or "")
