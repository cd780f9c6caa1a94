"""The agent of the protocol: sessions are opened, prompted, cancelled, loaded and listed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import acp
from acp import PROTOCOL_VERSION, RequestError
from acp.helpers import update_current_mode
from acp.schema import (
    AgentCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpServerStdio,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)

from xcsh import __version__
from xcsh.acp.open_session import OpenedSession, refused
from xcsh.acp.options import MODE, options_of
from xcsh.errors import XcshError
from xcsh.model.source import Level
from xcsh.session.agent_session import AgentSession
from xcsh.session.store.listing import SessionSummary
from xcsh.sources.mcp.entries import McpServer

Opener = Callable[[str, "str | None", Sequence[McpServer], OpenedSession], "AbstractAsyncContextManager[AgentSession]"]
"""Opens a session in a folder: that of an id, or a new one, with servers of the client's."""

_TITLE = 80


class XcshAgent(acp.Agent):
    """Serves one client. `list_sessions` gives what is kept."""

    def __init__(self, opener: Opener, list_sessions: Callable[[], list[SessionSummary]]) -> None:
        self._opener = opener
        self._list_sessions = list_sessions
        self._open: dict[str, OpenedSession] = {}
        self._client: acp.Client | None = None

    def on_connect(self, conn: acp.Client) -> None:
        """The client is there."""
        self._client = conn

    async def close(self) -> None:
        """Ends every session."""
        opened, self._open = list(self._open.values()), {}
        await asyncio.gather(*(each.close() for each in opened))

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, client_info: Any = None, **_: Any
    ) -> InitializeResponse:
        """What this agent can do."""
        del protocol_version, client_capabilities, client_info
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="xcsh", title="xcsh", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(embedded_context=True, image=True),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(), resume=SessionResumeCapabilities(), close=SessionCloseCapabilities()
                ),
            ),
            auth_methods=[],
        )

    async def new_session(
        self, cwd: str, additional_directories: Any = None, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> NewSessionResponse:
        """A session in a folder."""
        del additional_directories  # not announced
        opened = await self._opened(cwd, None, mcp_servers)
        modes, config = await options_of(opened.session)
        return NewSessionResponse(session_id=opened.session.id, modes=modes, config_options=config)

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: Sequence[Any] | None = None,
        additional_directories: Any = None,
        **_: Any,
    ) -> LoadSessionResponse:
        """A session that was kept goes on; what was said in it is sent again."""
        del additional_directories
        opened = await self._opened(cwd, session_id, mcp_servers)
        await opened.send_again()
        await opened.told()  # clients take the answer for the end of what was said
        modes, config = await options_of(opened.session)
        return LoadSessionResponse(modes=modes, config_options=config)

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: Any = None,
        mcp_servers: Sequence[Any] | None = None,
        **_: Any,
    ) -> ResumeSessionResponse:
        """A session that was kept goes on; the client has what was said."""
        del additional_directories
        opened = await self._opened(cwd, session_id, mcp_servers)
        modes, config = await options_of(opened.session)
        return ResumeSessionResponse(modes=modes, config_options=config)

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """Ends a session; it can be loaded again."""
        opened = self._session(session_id)
        del self._open[session_id]
        await opened.close()
        return CloseSessionResponse()

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> ListSessionsResponse:
        """What is kept, of one folder or of all, the last one first."""
        del cursor  # all come at once
        kept = await asyncio.to_thread(self._list_sessions)
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=each.id,
                    cwd=each.cwd,
                    title=(each.title or " ".join(each.prompt.split()))[:_TITLE] or None,
                    updated_at=each.updated,
                )
                for each in kept
                if each.cwd and (cwd is None or each.is_of(cwd))
            ]
        )

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        """One turn."""
        return await self._session(session_id).prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Ends the turn that runs."""
        if (opened := self._open.get(session_id)) is not None:
            await opened.cancel()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        """Whether changes are asked about."""
        opened = self._session(session_id)
        opened.put([(await opened.choose(MODE, mode_id)).update])
        return SetSessionModeResponse()

    async def set_config_option(
        self,
        config_id: str,
        session_id: str,
        value: str | bool,  # noqa: FBT001 - as the protocol's own library calls it
        **_: Any,
    ) -> SetSessionConfigOptionResponse:
        """Chooses one of the options, and answers with all as they are then."""
        opened = self._session(session_id)
        options = await opened.choose(config_id, str(value))
        if config_id == MODE:  # for what looks at modes alone
            opened.put([update_current_mode(options.modes.current_mode_id)])
        return SetSessionConfigOptionResponse(config_options=options.config)

    async def fork_session(self, *_: Any, **__: Any) -> Any:
        """Sessions have one line."""
        raise RequestError.method_not_found("session/fork")

    async def authenticate(self, *_: Any, **__: Any) -> Any:
        """Keys come from the environment."""
        raise RequestError.method_not_found("authenticate")

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """There are none."""
        del params
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """What is not known is left alone."""

    async def _opened(self, cwd: str, session_id: str | None, servers: Sequence[Any] | None) -> OpenedSession:
        if self._client is None:
            raise RequestError.internal_error({"reason": "nobody is connected"})
        _place(cwd)
        if session_id is not None and session_id in self._open:
            await self.close_session(session_id)
        given = [_server(each) for each in servers or ()]
        opened = OpenedSession(self._client, lambda asked: self._opener(cwd, session_id, given, asked), cwd)
        try:
            session = await opened.open()
        except XcshError as problem:
            raise refused(problem) from None
        self._open[session.id] = opened
        return opened

    def _session(self, session_id: str) -> OpenedSession:
        opened = self._open.get(session_id)
        if opened is None:
            raise RequestError.invalid_params({"reason": f"no session {session_id!r} is open"})
        return opened


def _place(cwd: str) -> None:
    """RequestError where a session cannot be there."""
    if not os.path.isabs(cwd) or not os.path.isdir(cwd):
        raise RequestError.invalid_params({"reason": f"{cwd!r} is no folder with an absolute path"})


def _server(given: Any) -> McpServer:
    """A server of the client's. It is the user's own: the client has been told of it."""
    if isinstance(given, McpServerStdio):
        env = tuple((each.name, each.value) for each in given.env)
        server = McpServer(given.name, "", Level.USER, "", None, "stdio")
        return server._replace(command=given.command, args=tuple(given.args), env=env)
    if getattr(given, "url", None) is None:
        raise RequestError.invalid_params({"reason": f"servers of the type {given.type!r} cannot be used"})
    headers = tuple((str(each.name), str(each.value)) for each in given.headers)
    return McpServer(given.name, "", Level.USER, "", None, given.type)._replace(url=given.url, headers=headers)
