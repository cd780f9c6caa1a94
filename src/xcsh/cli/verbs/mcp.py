"""`xcsh mcp`: the project's rules and commands for clients of the Model Context Protocol."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from xcsh.cli.installing import add_install_options, install, wants_install
from xcsh.cli.output import discover_for, say
from xcsh.errors import MissingExtraError

if TYPE_CHECKING:
    from xcsh.model.registry import Registry

_TOKEN = "XCSH_MCP_TOKEN"  # noqa: S105 - the name of a variable
_MOST = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument(
        "--http", type=_port, metavar="PORT", help="over HTTP on 127.0.0.1 instead of standard input and output; 0: any"
    )
    add_install_options(parser, ("claude", "cursor", "vscode", "codex", "gemini", "zed"))
    parser.epilog = f"With --http a client has to send a token: {_TOKEN}, else one that is made and said."


def run(args: argparse.Namespace) -> int:
    """Serves until the client leaves, or with --http until it is interrupted. MissingExtraError without xcsh[agent]."""
    if wants_install(args):
        from xcsh.installing.targets import MCP_TARGETS

        return install(args, "mcp", MCP_TARGETS)
    try:
        import_module("xcsh.mcp.serving")
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the server needs {error.name}, which is not installed") from None
    gc.enable()
    registry = discover_for(args, remember=True)
    try:
        asyncio.run(_serve_http(registry, args.http) if args.http is not None else _serve(registry))
    except KeyboardInterrupt:
        return 0
    return 0


async def _serve(registry: Registry) -> None:
    from xcsh.cli.unwaited import leave_readers_behind
    from xcsh.mcp.following import follow
    from xcsh.mcp.server import RulesServer
    from xcsh.mcp.serving import beside, serve_stdio

    leave_readers_behind()
    served = RulesServer(registry)
    async with beside(follow(served)):
        await serve_stdio(served)


async def _serve_http(registry: Registry, port: int) -> None:
    from xcsh.cli.unwaited import leave_readers_behind
    from xcsh.mcp.following import follow
    from xcsh.mcp.server import RulesServer
    from xcsh.mcp.serving import LOOPBACK, PATH, beside, listen, serve_http

    leave_readers_behind()
    bound = listen(port)
    token, said = token_of(os.environ)
    url = f"http://{LOOPBACK}:{bound.getsockname()[1]}{PATH}"
    say(f"serving {url}{said}", "clients send it as `Authorization: Bearer TOKEN`; Ctrl+C ends the server")
    sys.stderr.flush()
    served = RulesServer(registry)
    async with beside(follow(served)):
        await serve_http(served, bound, token)


def token_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """The token that clients need, and what is said of it: nothing of one that the user has given."""
    given = environ.get(_TOKEN, "").strip()
    if given:
        return given, ""
    import secrets

    made = secrets.token_urlsafe(32)
    return made, f"; the token is {made}"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number up to {_MOST}")
    return int(text)
