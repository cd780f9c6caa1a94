"""An agent under the stream rules of the folder that it runs in: python guarded_agent.py MODEL PROMPT."""

import asyncio
import sys

from pydantic_ai import Agent, AgentRunResultEvent

from xcsh.agent import RulesTriggeredEvent, StreamRules


async def main(agent: Agent, prompt: str) -> None:
    async with agent.run_stream_events(prompt) as events:
        async for event in events:
            if isinstance(event, RulesTriggeredEvent):
                print("stopped by", *event.rules)
            elif isinstance(event, AgentRunResultEvent):
                print(event.result.output)


rules = StreamRules.discover(".")
asyncio.run(main(Agent(sys.argv[1], capabilities=[rules]), sys.argv[2]))
