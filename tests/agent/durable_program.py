"""A guarded agent in a DBOS workflow: python -m tests.agent.durable_program DATABASE FOLDER MODE [crash | retries].

It prints one line of JSON. `crash` ends the process in the middle of the retried request, and a second process with
the same database takes the workflow up again.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent, AgentRunResult
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.agent.stream_rules.guarded import no_any, shape
from tests.support import Project

ID = "the-workflow"
CHUNKS = 200
database, folder, mode, how = sys.argv[1:]
produced: list[str] = []
calls: list[int] = []
asked: list[str] = []


async def write(messages: list[ModelMessage], _: AgentInfo) -> AsyncGenerator[str]:
    """Breaks the rule in its sixth piece unless it was told of it; counts every piece it makes."""
    calls.append(len(messages))
    asked.append(str(messages))
    if "system-interrupt" in asked[-1]:
        if how == "crash":
            print(json.dumps({"produced": len(produced)}), flush=True)  # noqa: T201 - what the test reads
            os._exit(3)
        yield "good"
        return
    for at in range(CHUNKS):
        produced.append(str(at))
        yield "let a: any = 1 " if at == 5 else "so "
        await asyncio.sleep(0)


async def main() -> None:
    DBOS(config={"name": "xcsh", "system_database_url": f"sqlite:///{database}", "run_admin_server": False})
    rules = no_any(Project(Path(tempfile.mkdtemp(dir=folder))), f'context_mode = "{mode}"')
    steps: Any = {"retries_allowed": True, "max_attempts": 3, "interval_seconds": 0.01} if how == "retries" else {}
    durability = DBOSDurability[None](model_step_config=steps)
    agent = Agent(FunctionModel(stream_function=write), name="durable", capabilities=[rules, durability])

    @DBOS.workflow()
    async def work(prompt: str) -> AgentRunResult[str]:
        return await agent.run(prompt)

    DBOS.launch()
    try:
        if how == "recover":
            handle = await DBOS.retrieve_workflow_async(ID)
            result = await handle.get_result()
        else:
            with SetWorkflowID(ID):
                result = await work("go")
    finally:
        DBOS.destroy()
    print(  # noqa: T201 - what the test reads
        json.dumps(
            {
                "output": result.output,
                "produced": len(produced),
                "calls": len(calls),
                "requests": result.usage.requests,
                "tokens": result.usage.output_tokens,
                "runs": len({message.run_id for message in result.all_messages()}),
                "shape": shape(result.all_messages()),
                "injections": asked[-1].count("<system-interrupt ") if asked else 0,
            }
        )
    )


asyncio.run(main())
