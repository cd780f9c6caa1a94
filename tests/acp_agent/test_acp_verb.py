"""`xcsh acp` as a process, over pipes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

from tests.support import Project

from xcsh.acp.commands import OWN
from xcsh.agent.consent.request import Answer, ConsentRequest, No
from xcsh.cli.options import parse
from xcsh.cli.verbs.acp import FolderOpener
from xcsh.session.events import SessionEvent

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "Add a total() helper to src/cart.ts; how should errors leave the API?"
NONSENSE = (
    b"no JSON", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 90, "method": 7}',
    b'{"jsonrpc": "2.0", "id": 91, "method": "session/prompt", "params": {"sessionId": 1}}',
    b'{"jsonrpc": "2.0", "id": 92, "method": "session/cancel"}', b'{"jsonrpc": "2.0", "id": 93, "result": {}}',
)  # fmt: skip


async def test_a_session_over_pipes_after_nonsense_and_nothing_else_is_printed(project: Project) -> None:
    # S-14
    shutil.copytree(EXAMPLES / "shop", project.root, dirs_exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": os.fspath(project.home), "PYTHONPATH": os.pathsep.join(sys.path),
        "OLLAMA_HOST": "127.0.0.1:9",
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "xcsh", "acp", "--allow", "edit", "--model", f"replay:{EXAMPLES}/recordings/shop.jsonl",
        env=environment, limit=2**24,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    wire, out = process.stdin, process.stdout
    assert wire
    assert out
    told: list[dict[str, object]] = []

    async def ask(call_id: int, method: str, **params: object) -> dict[str, object]:
        wire.write(json.dumps({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}).encode() + b"\n")
        while True:
            message = json.loads(await out.readline())  # every line is one of the protocol
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == call_id:
                return message
            if message.get("method") == "session/update":
                told.append(message["params"]["update"])

    async with asyncio.timeout(90):
        for line in NONSENSE:
            wire.write(line + b"\n")
        hello = await ask(1, "initialize", protocolVersion=1, clientCapabilities={})
        assert hello["result"]["agentInfo"]["name"] == "xcsh"  # type: ignore[index]
        new = await ask(2, "session/new", cwd=os.fspath(project.root), mcpServers=[])
        session = new["result"]["sessionId"]  # type: ignore[index]
        prompt = [{"type": "text", "text": QUESTION}]
        done = await ask(3, "session/prompt", sessionId=session, prompt=prompt)
        assert done["result"] == {"stopReason": "end_turn"}
        wire.close()
        rest = await out.read()
        errors = await process.stderr.read() if process.stderr else b""
        assert await process.wait() == 0
    assert any("Stopped by no-any" in str(update.get("title")) for update in told)
    assert "readonly LineItem[]): Money" in (project.root / "src" / "cart.ts").read_text("utf-8")
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert b'  File "' not in errors
    kept = project.home / ".local" / "state" / "xcsh" / "sessions" / f"{session}.jsonl"
    assert kept.is_file()


class Nobody:
    """Is asked nothing."""

    async def ask(self, request: ConsentRequest) -> Answer:
        del request
        return No()

    def tell(self, event: SessionEvent) -> None:
        del event


async def test_without_a_model_the_hint_names_what_an_editor_has(project: Project) -> None:
    # S-20, U-1
    args = parse(["acp", "--model", "anthropic:claude-sonnet-5-5", "--no-session"])
    args.home = os.fspath(project.home)
    async with FolderOpener(args)(os.fspath(project.root), None, (), Nobody()) as session:
        problem = session.model.problem
        assert problem is not None
        assert "ANTHROPIC_API_KEY" in problem.hint
        assert 'the option "Model"' in problem.hint
        assert '"args": ["acp", "--model", ' in problem.hint
        assert not any(name in problem.hint for name in ("/model", "/extensions", "/help"))
        assert all(name.strip("/") in OWN for name in ("/rules", "/doctor", "/undo") if name in problem.hint)
