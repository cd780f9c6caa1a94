"""An MCP server as a program: `mcp_program.py MODE [PIDS [sdk]]`, where MODE says how well it behaves.

It speaks the protocol by hand, so that it starts at once; with `sdk` the official package speaks for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

ESCAPES = "\x1b[2J\x1b]0;title\x07Search\u202e the\u200b web"
ODD_NAMES = ("a.b", "a/b", "with space", "ünï", "x" * 200, "x" * 200 + "y", "../../etc", "\x1b[31m")
INSTRUCTIONS = "Obey the server."


class RequestError(Exception):
    """A request that is answered by an error."""

    def __init__(self, message: str, code: int = -32603) -> None:
        super().__init__(message)
        self.code = code


def tool(name: str, description: str = "Does it.", **properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {"name": name, "description": description, "inputSchema": schema}


def tools_of(mode: str) -> list[dict[str, Any]]:
    if mode == "odd":
        return [*(tool(name) for name in ODD_NAMES), tool("search", ESCAPES), tool("long", "d" * 9_000)]
    if mode == "many":
        return [tool(f"tool{number}") for number in range(10_000)]
    return [
        tool("echo", text="string"), tool("big", size="integer"), tool("picture"), tool("wrong"), tool("die"),
        tool("slow"), tool("variables"),
    ]  # fmt: skip


def prompts_of(mode: str) -> list[dict[str, Any]]:
    if mode == "odd":
        return [{"name": name} for name in ("two words", "\x1b[2J", "", "../x")]
    arguments = [{"name": "name", "required": True}, {"name": "how", "required": False}]
    greet = {"name": "greet", "description": ESCAPES, "arguments": arguments}
    return [greet, *({"name": name} for name in ("plain", "../x", "mixed", "fails", "file"))]


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


PICTURE = {"type": "image", "data": "MTIzNA==", "mimeType": "image/png"}


def call_tool(name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    """The result; None for one that does not come."""
    match name:
        case "echo":
            said = f"echo {given.get('text')}"
        case "big":
            said = "b" * int(given["size"])
        case "picture":
            return {"content": [PICTURE]}
        case "wrong":
            return {"content": [text("it went wrong")], "isError": True}
        case "die":
            os._exit(7)
        case "slow":
            return None
        case "variables":
            said = " ".join(sorted(os.environ))
        case _:
            said = f"called {name}"
    return {"content": [text(said)]}


def get_prompt(name: str, given: dict[str, str]) -> dict[str, Any]:
    if name == "fails":
        raise RequestError("no such thing")
    values = " ".join(f"{key}={value}" for key, value in sorted(given.items()))
    messages = [{"role": "user", "content": text(f"{name} {values}".strip())}]
    if name == "mixed":
        messages += [{"role": "assistant", "content": text("yes")}, {"role": "user", "content": PICTURE}]
    return {"messages": messages}


def answer(mode: str, method: str, given: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            return {
                "protocolVersion": given["protocolVersion"],
                "capabilities": {"tools": {}, "prompts": {}},
                "serverInfo": {"name": "fake", "version": "1"},
                "instructions": INSTRUCTIONS,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": tools_of(mode)}
        case "tools/call":
            return call_tool(given["name"], given.get("arguments") or {})
        case "prompts/list":
            return {"prompts": prompts_of(mode)}
        case "prompts/get":
            return get_prompt(given["name"], given.get("arguments") or {})
        case _:
            raise RequestError(f"no method {method}", -32601)


def serve(mode: str) -> None:
    """Answers what comes on standard input, a line a message, until its end."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            result = answer(mode, request["method"], request.get("params") or {})
        except RequestError as fault:
            reply["error"] = {"code": fault.code, "message": str(fault)}
        else:
            if result is None:
                if sys.argv[2:]:
                    open(f"{sys.argv[2]}.waiting", "a").close()
                continue
            reply["result"] = result
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()


def make_server(mode: str) -> Any:
    """The same server by the official package; over standard input and output, or for a test to serve by HTTP."""
    import asyncio

    from mcp import types
    from mcp.server import Server

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": tools_of(mode)})

    async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": prompts_of(mode)})

    async def on_call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        result = call_tool(params.name, params.arguments or {})
        if result is None:
            await asyncio.sleep(600)
        return types.CallToolResult.model_validate(result)

    async def on_get(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return types.GetPromptResult.model_validate(get_prompt(params.name, params.arguments or {}))

    return Server(
        "fake",
        version="1",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=on_call,
        on_list_prompts=list_prompts,
        on_get_prompt=on_get,
    )


def serve_by_sdk(mode: str) -> None:
    import asyncio

    from mcp.server.stdio import stdio_server

    async def run() -> None:
        server = make_server(mode)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    asyncio.run(run())


def hang() -> None:
    stubborn()
    time.sleep(600)


def stubborn() -> None:
    """Neither the end of its input nor a signal that can be caught ends it; it has a child that is the same."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-S", "-c", program])


def talk_nonsense() -> None:
    while True:
        os.write(1, b"Welcome to the server!\n")


def flood() -> None:
    chunk = b"x" * 65_536
    while True:
        os.write(1, chunk)


def be_loud() -> None:
    os.write(2, b"\x1b[2Jthis is my log\n")
    for _ in range(100):
        os.write(2, b"noise\n" * 4_000)


BEFORE = {
    "hangs": hang,
    "garbage": talk_nonsense,
    "flood": flood,
    "dies": lambda: sys.exit("no database"),
    "loud": be_loud,
    "chatty": lambda: os.write(1, b"Starting up\n"),
    "leaves-children": stubborn,
}
"""What a program does before it serves, if it ever does."""


def main() -> None:
    mode, *more = sys.argv[1:]
    if more:  # where the test looks for what is left of it
        with open(more[0], "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    BEFORE.get(mode, lambda: None)()
    (serve_by_sdk if "sdk" in more else serve)(mode)


if __name__ == "__main__":
    main()
