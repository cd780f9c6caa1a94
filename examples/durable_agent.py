"""The rules of a folder in an agent that survives its process: python durable_agent.py DATABASE ID MODEL PROMPT.

DBOS keeps every step of the workflow ID in the SQLite file DATABASE. Run it again with the same ID after a crash, and
it goes on where it was: what the model has answered is not asked again.
"""

import asyncio
import sys

from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent
from pydantic_ai.durable_exec.dbos import DBOSDurability

from xcsh.agent import RuleAttachments, Rulebook, StreamRules

database, workflow_id, model, prompt = sys.argv[1:]
DBOS(config={"name": "rules", "system_database_url": f"sqlite:///{database}", "run_admin_server": False})
rules = [Rulebook.discover("."), RuleAttachments.discover("."), StreamRules.discover(".")]
agent = Agent(model, name="durable", capabilities=[*rules, DBOSDurability()])


@DBOS.workflow()
async def answer(question: str) -> str:
    return (await agent.run(question)).output


async def main() -> None:
    DBOS.launch()
    try:
        with SetWorkflowID(workflow_id):
            print(await answer(prompt))
    finally:
        DBOS.destroy()


asyncio.run(main())
