"""A session that a client has opened: what happens goes out in order, what has to be asked goes to the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from acp import Client, RequestError, update_agent_message_text
from acp.helpers import update_available_commands
from acp.schema import PromptResponse

from xcsh.acp.commands import commands_of, own_command
from xcsh.acp.content import prompt_text
from xcsh.acp.history import sent_again
from xcsh.acp.options import Options, choose, options_of
from xcsh.acp.permission import answer_of, answers_to, question
from xcsh.acp.unknown_calls import about_unknown
from xcsh.acp.updates import Updates
from xcsh.agent.consent.request import Answer, ConsentRequest, No
from xcsh.errors import XcshError
from xcsh.session.agent_session import AgentSession
from xcsh.session.audience import log_failure
from xcsh.session.events import FilesReread, ModelChanged, SessionEvent, TurnAborted, TurnFailed, TurnStarted
from xcsh.session.watching import UnwatchableError, watch

OpenSession = Callable[["OpenedSession"], "AbstractAsyncContextManager[AgentSession]"]
"""Opens a session, which asks and tells the one that is given."""

_AFTER_THE_ANSWER = 0.05


class OpenedSession:
    """One session and its client. `open` returns when it is there, `close` when it has ended."""

    def __init__(self, client: Client, open_session: OpenSession, cwd: str) -> None:
        self._client = client
        self._open_session = open_session
        self._updates = Updates(cwd)
        self._outgoing: asyncio.Queue[Any] = asyncio.Queue()
        self._leave = asyncio.Event()
        self._ready: asyncio.Future[AgentSession] = asyncio.get_running_loop().create_future()
        self._life: asyncio.Task[None] | None = None
        self._failure: TurnFailed | None = None
        self._prompted = False
        self._cancelled = False
        self._choosing = 0
        self._ending: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None

    @property
    def _is_ending(self) -> bool:
        """Whether the client has cancelled the prompt that runs: nothing more may begin for it."""
        return self._prompted and self._cancelled

    @property
    def session(self) -> AgentSession:
        """The session; it has been opened."""
        return self._ready.result()

    async def open(self) -> AgentSession:
        """Opens it. Raises what stands in the way."""
        self._life = asyncio.create_task(self._live())
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """Ends what runs, and waits for everything to be written down."""
        self._leave.set()
        if self._life is not None:
            await asyncio.wait({self._life})

    async def _live(self) -> None:
        try:
            async with self._open_session(self) as session:
                session.subscribe(self.tell)
                self._ready.set_result(session)
                helping = [asyncio.create_task(work) for work in (self._send(), self._follow(session))]
                try:
                    await self._leave.wait()
                finally:
                    for task in helping:
                        task.cancel()
                    await asyncio.wait(helping)
        except Exception as error:  # noqa: BLE001 - whoever waits for the session gets it
            if self._ready.done():
                log_failure("closing a session", error)
            else:
                self._ready.set_exception(error)

    async def _send(self) -> None:
        while True:
            update = await self._outgoing.get()
            try:
                await self._client.session_update(self.session.id, update)
            except Exception as error:  # noqa: BLE001 - a client that has gone is noticed where it is read from
                log_failure("telling the client", error)
            finally:
                self._outgoing.task_done()

    async def _follow(self, session: AgentSession) -> None:
        await asyncio.sleep(_AFTER_THE_ANSWER)  # clients take updates of a session when they know of it
        self._list_commands()
        if session.context.registry.settings.get("discovery.watch") is not True:
            return
        try:
            await watch(lambda: session.context.registry, session.reload)
        except UnwatchableError as error:
            log_failure("watching the files", error)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not end in silence
            log_failure("reading the files again", error)

    def _list_commands(self) -> None:
        self._outgoing.put_nowait(update_available_commands(commands_of(self.session)))

    def tell(self, event: SessionEvent) -> None:
        """Sends what happened, behind what happened before."""
        if isinstance(event, TurnFailed):
            self._failure = event
        elif isinstance(event, TurnAborted):
            self._cancelled = True
        elif isinstance(event, TurnStarted) and self._is_ending:  # it was about to begin when it was to be ended
            self._ending = asyncio.create_task(self.session.abort())
        elif isinstance(event, FilesReread) and self._ready.done():
            self._list_commands()
        elif isinstance(event, ModelChanged) and not self._choosing:
            self._telling = asyncio.create_task(self._tell_options())
        self.put(self._updates.of(event))

    def put(self, updates: Iterable[Any]) -> None:
        """Sends updates, behind what happened before."""
        for update in updates:
            self._outgoing.put_nowait(update)

    async def send_again(self) -> None:
        """Sends what was said in the session so far, as it was sent when it happened."""
        session = self.session
        changes = session.changes.told if session.changes is not None else ()
        self.put(await sent_again(session.messages, self._updates, session.images, changes))

    async def told(self) -> None:
        """Returns when the client has been sent everything that has happened so far."""
        await self._outgoing.join()

    async def ask(self, request: ConsentRequest) -> Answer:
        """Asks the client's user. A client that does not answer as the protocol says has not agreed."""
        await self.told()
        if self._is_ending:
            return No()
        try:
            response = await self._client.request_permission(
                session_id=self.session.id, tool_call=question(request), options=answers_to(request)
            )
        except Exception as error:  # noqa: BLE001 - an error of the client's, or an answer that is none
            log_failure("asking the client", error)
            return No()
        return answer_of(response, request)

    async def prompt(self, blocks: Sequence[Any]) -> PromptResponse:
        """One turn. RequestError: there is no answer, with what to do; or a turn runs already."""
        session = self.session
        if self._prompted or session.is_streaming or session.is_compacting:
            raise RequestError.invalid_params({"reason": "a turn runs already; cancel it, or wait for its end"})
        self._prompted, self._failure, self._cancelled = True, None, False
        try:
            text = await prompt_text(blocks, session.images.attach)
            if not self._is_ending:
                await self._turn(session, text)
        except XcshError as problem:
            if not self._cancelled:
                raise refused(problem) from None
        finally:
            self._prompted = False
        await self.told()
        if self._cancelled:  # whatever else came of it
            return PromptResponse(stop_reason="cancelled")
        if self._failure is not None:
            raise RequestError(-32603, self._failure.message, {"hint": self._failure.hint})
        return PromptResponse(stop_reason="end_turn")

    async def _turn(self, session: AgentSession, text: str) -> None:
        own = own_command(text)
        if own is not None:
            said = await own[0].run(session, own[1])
            self.put([update_agent_message_text(said)] if said else [])
        else:
            if (said := about_unknown(text, session)) is not None:
                self.put([self._updates.notice(said[0], (), said[1])])
            await session.prompt(text)
            await session.wait_idle()

    async def choose(self, option: str, value: str) -> Options:
        """Sets an option, and returns all as they are then. RequestError: there is none such, or it cannot be so."""
        session = self.session
        self._choosing += 1
        try:
            await choose(session, option, value)
        except XcshError as problem:
            raise refused(problem) from None
        finally:
            self._choosing -= 1
        return await options_of(session)

    async def _tell_options(self) -> None:
        try:
            self.put([(await options_of(self.session)).update])
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not end in silence
            log_failure("looking for the options", error)

    async def cancel(self) -> None:
        """Ends the turn, in whatever state it is."""
        self._cancelled = self._prompted
        await self.session.abort()


def refused(problem: XcshError) -> RequestError:
    """What is wrong with a request, and what to do."""
    return RequestError(-32602, str(problem), {"hint": str(getattr(problem, "hint", ""))})
