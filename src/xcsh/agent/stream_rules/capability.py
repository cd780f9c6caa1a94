"""Time-travel stream rules as a pydantic-ai capability: watch, abort, inject, retry (T-8 to T-16, T-18)."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.agent import ModelRequestNode
from pydantic_ai.capabilities import AbstractCapability, AgentNode, NodeResult
from pydantic_ai.messages import ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.settings import ModelSettings

from xcsh.agent.aborted import kept_of, take_interrupted, unreported_usage, written_tokens
from xcsh.agent.capability import EventlessCapability
from xcsh.agent.stream_rules.carrying import is_durable, unpacked
from xcsh.agent.stream_rules.events import ResponseRetractedEvent, RulesTriggeredEvent
from xcsh.agent.stream_rules.guarded_model import GuardedModel
from xcsh.agent.stream_rules.remembering import due_reminders, injected, remembered, reminded, retried_for
from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.api import Registry, discover
from xcsh.guard.injection import injection, reminder
from xcsh.guard.policy import History
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.guard.tools import own_tools
from xcsh.guard.window import SHOWN
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.rule import Rule
from xcsh.parsing.globs import relative


class StreamRules(EventlessCapability):
    """Holds a model to the stream rules of a registry: `Agent(…, capabilities=[StreamRules(registry)])`.

    What the model writes is watched while it streams. Where a rule matches, the request is ended and its connection
    closed; `ResponseRetractedEvent` (unless the setting `ttsr.context_mode` is `keep`) and `RulesTriggeredEvent` are
    emitted; and the request is made again with the rule injected. The text that completed the match reaches nobody,
    and no tool of that response runs. A rule that must not interrupt is a reminder in the next request.

    Which rules fired is read from the messages of the conversation: pass `message_history`, also one that was saved
    as JSON, and `once` holds across runs. One instance may serve many runs at once. Without stream rules it does
    nothing at all.
    """

    id: str | None = "stream-rules"

    def __init__(
        self,
        registry: Registry,
        *,
        tools: Iterable[str] | Mapping[str, str] = (),
        id: str = "stream-rules",  # noqa: A002 - the framework's own name
    ) -> None:
        """`tools`: the agent's own tools, that scopes may name, or a mapping of each to the usual tool that it counts
        as: `{"save_page": "write"}`. UsageError where that is none.
        """
        self.id = id
        self._own_tools = own_tools(tools)
        self.reload(registry)

    @classmethod
    def discover(
        cls,
        cwd: str | os.PathLike[str] = ".",
        *,
        home: str | os.PathLike[str] | None = None,
        tools: Iterable[str] | Mapping[str, str] = (),
    ) -> StreamRules:
        """The stream rules of everything that is found around a folder. Reads files: not for an event loop.

        `tools` as above. Raises NotADirectoryError for what is no folder.
        """
        return cls(discover(cwd, home=home), tools=tools)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the rules, conditions that had to be disarmed included."""
        return self._guard.diagnostics

    def reload(self, registry: Registry) -> None:
        """Puts another registry in force, for the runs that start from now on."""
        settings = registry.settings
        self._cwd = registry.environment.cwd
        self._keep = settings.get("ttsr.context_mode") == "keep"
        self._guard = StreamGuard.of(registry, tools=self._own_tools)
        self._history = self._guard.history
        self._durable = False

    @property
    def has_on_event(self) -> bool:
        """Makes `agent.run()` stream, so that there is something to abort; only where there are rules to watch."""
        return bool(self._guard.rules)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """A copy for one run, that remembers what the conversation's messages say."""
        if not self._guard.rules:
            return self
        run = copy.copy(self)
        history = History(self._guard.history.policy)
        history.restore(remembered(ctx.messages))
        run._history = history  # noqa: SLF001 - a copy of this very object
        return run

    def get_model_settings(self) -> ModelSettings | None:
        """Anthropic sends the arguments of tools token by token only where it is asked to."""
        return cast("ModelSettings", {"anthropic_eager_input_streaming": True}) if self._guard.rules else None

    def get_wrapper_model(self, model: Model) -> Model | None:
        """The guard sits around the model, because under durable execution only there a request can be ended."""
        return GuardedModel(model, self._new_guard, durable=self._durable) if self._guard.rules else None

    def _new_guard(self) -> StreamGuard:
        return self._guard.sibling(self._history)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Adds the reminders that the last response earned (T-12)."""
        if not self._guard.rules:
            return request_context
        self._durable = is_durable(ctx)
        if due := [name for name in due_reminders(ctx.messages) if name in self._guard.rules]:
            request = ModelRequest([UserPromptPart(reminder(self._rules(due), self._cwd))], metadata=reminded(due))
            ctx.enqueue(request)
            self._history.acknowledge(due, interrupted=False)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Takes the interrupt out of a response that carried it through a step of durable execution (T-18)."""
        del ctx, request_context
        if (interrupt := unpacked(response)) is not None:
            raise interrupt
        return response

    async def on_node_run_error(
        self, ctx: RunContext[Any], *, node: AgentNode[Any], error: Exception
    ) -> NodeResult[Any]:
        """Turns an interrupt into the retry; every other error goes on, with a note where it befell a retry (T-16)."""
        del node
        if not isinstance(error, ResponseInterruptedError):
            if names := retried_for(ctx.messages, ctx.run_id):
                error.add_note(f"this was the request that followed the stream rule {', '.join(names)}")
            raise error
        names = list(dict.fromkeys(match.rule for match in error.matches))
        tokens = self._settle(ctx, error)
        self._history.acknowledge(names, interrupted=True)
        if not self._keep:
            await ctx.emit(ResponseRetractedEvent())
        await ctx.emit(
            RulesTriggeredEvent(
                rules=tuple(names),
                paths=tuple(relative(rule.path, self._cwd) for rule in self._rules(names)),
                matches=tuple(map(_plain, error.matches)),
                texts=tuple(map(_shown, error.matches)),
                kept=self._keep,
                written_tokens=written_tokens(error.response),
                unreported_tokens=tokens,
            )
        )
        request = ModelRequest([UserPromptPart(injection(self._rules(names), self._cwd))], metadata=injected(names))
        return ModelRequestNode(request)

    def _settle(self, ctx: RunContext[Any], error: ResponseInterruptedError) -> int:
        """Leaves of the aborted response in history and usage what belongs there; the tokens are an estimate's."""
        response = error.response
        committed = take_interrupted(ctx.messages)
        if committed is None:  # under durable execution, and without streaming, the framework saw no response
            ctx.usage.requests += 1
            if not error.counted:
                ctx.usage.incr(response.usage)
        missing = unreported_usage(response, ctx.messages)
        ctx.usage.incr(missing)
        kept = kept_of(committed or response) if self._keep else None
        if kept is not None:
            ctx.messages.append(replace(kept, run_id=ctx.run_id, conversation_id=ctx.conversation_id))
        return missing.input_tokens + missing.output_tokens

    def _rules(self, names: Iterable[str]) -> list[Rule]:
        return [self._guard.rules[name].rule for name in names]


def _plain(match: Match) -> dict[str, object]:
    return match._asdict()


def _shown(match: Match) -> str:
    """What matched, on one line. White space shrinks, so that a text that was cut off keeps room for a sign of it."""
    text = match.text or match.path
    cut = match.end - match.start > len(match.text) or len(text) > SHOWN
    return " ".join(text.split())[: SHOWN - 1] + "…" if cut else " ".join(text.split())
