"""An agent with attached rules in a DBOS workflow: python -m tests.agent.attachments.durable_attachments DATABASE FOLDER HOW.

It prints one line of JSON. `crash` ends the process when the model was asked to repeat its change, and `recover`, on
the same database and folder, takes the workflow up again.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent, AgentRunResult
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.coder import Coder
from tests.agent.attachments.attaching import TREE
from tests.support import Project

from xcsh.agent import RuleAttachments

ID = "the-workflow"
database, folder, how = sys.argv[1:]
asked: list[str] = []


async def write(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Changes a file, and again when it is asked to."""
    asked.append(str(messages))
    if "Wrote 4 chars" in asked[-1]:
        return ModelResponse([TextPart("done")])
    if "Nothing was changed yet" in asked[-1] and how == "crash":
        print(json.dumps({"blocks": asked[-1].count("Use hooks.")}), flush=True)  # noqa: T201 - what the test reads
        os._exit(3)
    arguments = json.dumps({"path": "src/Cart.tsx", "content": "new\n"})
    return ModelResponse([ToolCallPart("write_file", arguments, f"c{len(messages)}")])


async def main() -> None:
    DBOS(config={"name": "xcsh", "system_database_url": f"sqlite:///{database}", "run_admin_server": False})
    project = Project(Path(folder)) if how == "crash" else None
    if project is not None:
        project.write(TREE)
    root = Path(folder) / "project"
    attachments = RuleAttachments.discover(root, home=Path(folder) / "home")
    capabilities: list[Any] = [
        LocalWorkspace(root),
        Coder(repo_context=False, sub_agents=False),
        attachments,
    ]
    durability = DBOSDurability[None]()
    agent = Agent(FunctionModel(write), name="durable", capabilities=[*capabilities, durability])

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
    told = str(result.all_messages())
    print(  # noqa: T201 - what the test reads
        json.dumps(
            {
                "output": result.output,
                "calls": len(asked),
                "blocks": told.count("Use hooks."),
                "held": told.count("Nothing was changed yet"),
                "file": (root / "src/Cart.tsx").read_text(),
            }
        )
    )


asyncio.run(main())
