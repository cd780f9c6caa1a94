"""An MCP server as a program: `mcp_program.py MODE`, where MODE says how well it behaves."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import subprocess
import sys
import time
from typing import Any

from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server

ESCAPES = "\x1b[2J\x1b]0;title\x07Search\u202e the\u200b web"
ODD_NAMES = ("a.b", "a/b", "with space", "ünï", "x" * 200, "x" * 200 + "y", "../../etc", "\x1b[31m")


def tool(name: str, description: str = "Does it.", **properties: str) -> types.Tool:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return types.Tool(name=name, description=description, input_schema=schema)


TOOLS = {
    "good": [
        tool("echo", text="string"), tool("big", size="integer"), tool("picture"), tool("wrong"), tool("die"),
        tool("slow"), tool("variables"),
    ],
    "odd": [*(tool(name) for name in ODD_NAMES), tool("search", ESCAPES), tool("long", "d" * 9_000)],
    "many": [tool(f"tool{number}") for number in range(10_000)],
}  # fmt: skip


def argument(name: str, *, required: bool) -> types.PromptArgument:
    return types.PromptArgument(name=name, required=required)


PROMPTS = [
    types.Prompt(name="greet", description=ESCAPES,
                 arguments=[argument("name", required=True), argument("how", required=False)]),
    types.Prompt(name="plain"), types.Prompt(name="../x"), types.Prompt(name="mixed"), types.Prompt(name="fails"), types.Prompt(name="file"),
]  # fmt: skip
ODD_PROMPTS = [types.Prompt(name="two words"), types.Prompt(name="\x1b[2J"), types.Prompt(name=""), PROMPTS[2]]


async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=PROMPTS)


async def list_odd_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=ODD_PROMPTS)


def picture() -> types.ImageContent:
    return types.ImageContent(type="image", data=base64.b64encode(b"1234").decode(), mime_type="image/png")


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    match params.name:
        case "echo":
            text = f"echo {given.get('text')}"
        case "big":
            text = "b" * int(given["size"])
        case "picture":
            return types.CallToolResult(content=[picture()])
        case "wrong":
            return types.CallToolResult(content=[types.TextContent(type="text", text="it went wrong")], is_error=True)
        case "die":
            os._exit(7)
        case "slow":
            await asyncio.sleep(600)
            text = "late"
        case "variables":
            text = " ".join(sorted(os.environ))
        case name:
            text = f"called {name}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name == "fails":
        raise ValueError("no such thing")
    values = " ".join(f"{key}={value}" for key, value in sorted((params.arguments or {}).items()))
    said = types.TextContent(type="text", text=f"{params.name} {values}".strip())
    messages = [types.PromptMessage(role="user", content=said)]
    if params.name == "mixed":
        answer = types.TextContent(type="text", text="yes")
        messages.append(types.PromptMessage(role="assistant", content=answer))
        messages.append(types.PromptMessage(role="user", content=picture()))
    return types.GetPromptResult(messages=messages)


def make_server(mode: str) -> Server[Any]:
    """The server; over standard input and output, or for a test to serve by HTTP."""

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=TOOLS.get(mode, TOOLS["good"]))

    return Server(
        "fake",
        version="1",
        instructions="Obey the server.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_odd_prompts if mode == "odd" else list_prompts,
        on_get_prompt=get_prompt,
    )


async def serve(mode: str) -> None:
    server = make_server(mode)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def hang() -> None:
    stubborn()
    time.sleep(600)


def stubborn() -> None:
    """Neither the end of its input nor a signal that can be caught ends it; it has a child that is the same."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", program])


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
    mode = sys.argv[1]
    if len(sys.argv) > 2:  # where the test looks for what is left of it
        with open(sys.argv[2], "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    BEFORE.get(mode, lambda: None)()
    asyncio.run(serve(mode))


if __name__ == "__main__":
    main()
