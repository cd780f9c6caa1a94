"""`xcsh acp`: the agent for editors, over the Agent Client Protocol on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import copy
import os
import signal
import sys
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from xcsh.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xcsh.acp.agent import XcshAgent
    from xcsh.cli.opening_sessions import Asked
    from xcsh.session.agent_session import AgentSession
    from xcsh.sources.mcp.entries import McpServer

_LONGEST_MESSAGE = 50 * 1024 * 1024
_WITHOUT_MODEL = (
    'or choose one with the option "Model" of this session in the editor\n'
    'or name it in the settings of the editor: "args": ["acp", "--model", "PROVIDER:NAME"]; variables go into "env" '
    "there; both count from its next start\n"
    "what needs no model works meanwhile: /rules, /doctor, /undo"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.epilog = "The editor starts it; sessions are kept as all others: xcsh sessions"
    parser.add_argument("--model", help="a model as pydantic-ai names it, or replay:FILE")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="what needs no consent: write, edit, shell, patterns",
    )
    parser.add_argument("--sandbox", choices=("none", "bubblewrap"), help="what commands of the model run in")
    parser.add_argument("--no-session", action="store_true", help="write no session down")


def run(args: argparse.Namespace) -> int:
    """Serves until the editor leaves. MissingExtraError without xcsh[agent]; UsageError: a bad `--allow`."""
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    from xcsh.agent.consent.settings import grants

    grants(args.allow)  # what is wrong with it is said before an editor waits
    try:
        from xcsh.acp.agent import XcshAgent
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the agent needs {error.name}, which is not installed") from None
    from xcsh.session.store import sessions_folder
    from xcsh.session.store.listing import list_sessions

    opener = FolderOpener(args)
    agent = XcshAgent(opener, lambda: list_sessions(sessions_folder(os.environ, args.home)))
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(agent))
    return 0


async def _serve(agent: XcshAgent) -> None:
    from acp import run_agent
    from acp.stdio import stdio_streams

    from xcsh.acp.wire import only_messages

    serving = asyncio.current_task()
    if serving is not None:
        with contextlib.suppress(NotImplementedError):  # as on Windows; elsewhere what runs is ended too
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else prints must not reach the editor
    sys.stdout = wire
    incoming, outgoing = await stdio_streams(limit=_LONGEST_MESSAGE)
    if os.name != "nt":  # there the streams go on writing to what sys.stdout is
        sys.stdout = sys.stderr
    try:
        async with only_messages(incoming, outgoing, _LONGEST_MESSAGE) as messages:
            await run_agent(agent, outgoing, messages, use_unstable_protocol=True)  # it holds session/close
    finally:
        await agent.close()


class FolderOpener:
    """Opens sessions as the arguments of the call say, each in the folder that the editor names."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args

    def __call__(
        self, cwd: str, session_id: str | None, servers: Sequence[McpServer], asked: Asked
    ) -> AbstractAsyncContextManager[AgentSession]:
        from xcsh.cli.opening_sessions import OpeningSessions

        args = copy.copy(self._args)
        args.cwd = args.folder = cwd
        args.resume, args.go_on = session_id, False
        opening = OpeningSessions(args, servers, needs_model=False, without_model=_WITHOUT_MODEL)
        return opening.open(None, asked)
