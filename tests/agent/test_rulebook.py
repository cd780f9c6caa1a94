"""The rulebook as a capability, over real HTTP on both wires."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai_harness.coder import Coder
from tests.llm.wire_models import ANTHROPIC, OPENAI, bodies, last_text, scripted, system_of, text_of, tool_names
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project

from xcsh.agent import Rulebook
from xcsh.api import Registry, render_prompt
from xcsh.llm.reply import Reply, ToolCall, cut, text

ALWAYS = ".xcsh/rules/house.md"
LISTED = ".xcsh/rules/api-errors.md"
TREE = {
    ALWAYS: "---\nalwaysApply: true\n---\nUse tabs.",
    LISTED: "---\ndescription: How errors leave the API\n---\nline 1\nline 2\nline 3",
}


@pytest.fixture(params=[OPENAI, ANTHROPIC])
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def calls(tool: str, *, call_id: str = "c1", **arguments: Any) -> Reply:
    return Reply((ToolCall(call_id, tool, cut(json.dumps(arguments))),))


def says(content: str) -> Reply:
    return Reply((text(content),))


def with_files(registry: Registry, root: Path) -> list[Any]:
    return [LocalWorkspace(root, read_only=True), Coder(repo_context=False, sub_agents=False), Rulebook(registry)]


async def test_the_rules_are_in_the_system_prompt_of_anybodys_agent(project: Project, wire: str) -> None:
    #
    registry = project(TREE)
    async with scripted(says("ok"), wire=wire) as (model, server):
        await Agent(model, instructions="Be kind.", capabilities=[Rulebook(registry)]).run("hi")
    system = system_of(bodies(server)[0])
    assert render_prompt(registry).text in system
    assert "Use tabs." in system
    assert "Read rule://<name> when working in matching domain" in system
    assert system.startswith("Be kind.")


async def test_an_empty_registry_adds_nothing_to_the_system_prompt(project: Project) -> None:
    #
    async with scripted(says("ok")) as (model, server):
        await Agent(model, instructions="Be kind.", capabilities=[Rulebook(project({}))]).run("hi")
    assert system_of(bodies(server)[0]) == "Be kind."


async def test_read_file_reads_a_rule_from_the_registry_and_not_from_the_file_system(
    project: Project, wire: str
) -> None:
    #
    registry = project(TREE)
    project.path(LISTED).write_text("changed on disk after discovery")
    async with scripted(calls("read_file", path="rule://api-errors"), says("ok"), wire=wire) as (model, server):
        await Agent(model, capabilities=with_files(registry, project.root)).run("hi")
    assert last_text(bodies(server)[1]) == "line 1\nline 2\nline 3"


async def test_a_rule_url_with_dots_and_slashes_reaches_no_file(project: Project) -> None:
    #
    registry = project(TREE)
    project.write({"secret.txt": "s3cret"})
    async with scripted(calls("read_file", path="rule://../secret.txt"), says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(registry, project.root)).run("hi")
    answer = last_text(bodies(server)[1])
    assert "s3cret" not in answer
    assert "available: api-errors, house" in answer


async def test_files_are_still_read_as_files(project: Project) -> None:
    #
    registry = project(TREE)
    project.write({"src/a.ts": "let a = 1\n"})
    async with scripted(calls("read_file", path="src/a.ts"), says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(registry, project.root)).run("hi")
    assert "let a = 1" in last_text(bodies(server)[1])


async def test_a_part_of_a_rule_is_read_by_lines_as_of_a_file(project: Project) -> None:
    #
    async with scripted(calls("read_file", path="rule://api-errors", offset=1, limit=1), says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(project(TREE), project.root)).run("hi")
    assert last_text(bodies(server)[1]).strip() == "line 2"


async def test_an_unknown_name_is_told_to_the_model_with_the_names_and_the_run_goes_on(
    project: Project, wire: str
) -> None:
    # more often than any retry budget allows
    wrong = [calls("read_file", call_id=f"c{at}", path="rule://nope") for at in range(8)]
    async with scripted(*wrong, says("I give up"), wire=wire) as (model, server):
        result = await Agent(model, capabilities=with_files(project(TREE), project.root)).run("hi")
    assert result.output == "I give up"
    assert all("available: api-errors, house" in last_text(body) for body in bodies(server)[1:])


async def test_a_stream_rule_cannot_be_read_and_the_model_is_told_why(project: Project) -> None:
    #
    tree = {**TREE, ".xcsh/rules/no-any.md": '---\ncondition: ": any"\n---\nNo any.'}
    async with scripted(calls("read_file", path="rule://no-any"), says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(project(tree), project.root)).run("hi")
    assert "the bucket ttsr, which is not addressable" in last_text(bodies(server)[1])
    assert "No any." not in json.dumps(bodies(server))


async def test_an_agent_without_read_file_gets_read_rule(project: Project, wire: str) -> None:
    #
    replies = (calls("read_rule", url="rule://api-errors"), calls("read_rule", call_id="c2", url="nope"), says("ok"))
    async with scripted(*replies, wire=wire) as (model, server):
        await Agent(model, capabilities=[Rulebook(project(TREE))]).run("hi")
    first, second, third = bodies(server)
    assert tool_names(first) == ["read_rule"]
    assert last_text(second) == "line 1\nline 2\nline 3"
    assert "'nope' is no rule URL" in last_text(third)


async def test_an_agent_with_read_file_gets_no_second_tool_and_is_told_that_it_reads_rules(project: Project) -> None:
    #
    async with scripted(says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(project(TREE), project.root)).run("hi")
    body = bodies(server)[0]
    assert "read_rule" not in tool_names(body)
    described = next(tool["function"] for tool in body["tools"] if tool["function"]["name"] == "read_file")
    assert "rule://" in described["description"]


async def test_context_files_reach_the_model_once(project: Project) -> None:
    #
    registry = project({"AGENTS.md": "Marker of the context file."})
    async with scripted(says("ok")) as (model, server):
        await Agent(model, capabilities=with_files(registry, project.root)).run("hi")
    assert json.dumps(bodies(server)[0]).count("Marker of the context file.") == 1


async def test_a_reload_leaves_the_bytes_of_the_prefix_and_appends_what_changed(project: Project, wire: str) -> None:
    #
    rulebook = Rulebook(project(TREE))
    async with scripted(says("one"), says("two"), says("three"), wire=wire) as (model, server):
        agent = Agent(model, instructions="Be kind.", capabilities=[rulebook])
        first = await agent.run("first")
        project.write({ALWAYS: "---\nalwaysApply: true\n---\nUse spaces."})
        rulebook.reload(project.discover())
        second = await agent.run("second", message_history=first.all_messages())
        await agent.run("third", message_history=second.all_messages())
    one, two, three = bodies(server)
    assert system_of(one) == system_of(two) == system_of(three)
    assert "Use tabs." in system_of(two)
    assert "Use spaces." not in system_of(two)
    for earlier, later in ((one, two), (two, three)):
        told = [text_of(message) for message in later["messages"]]
        assert told[: len(earlier["messages"])] == [text_of(message) for message in earlier["messages"]]
    appended = json.dumps(two["messages"][len(one["messages"]) :])
    assert "Use spaces." in appended
    assert json.dumps(three["messages"]).count("Use spaces.") == 1


async def test_a_reload_in_the_middle_of_a_run_is_appended_to_the_next_request(project: Project) -> None:
    #
    rulebook = Rulebook(project(TREE))

    def reload() -> str:
        project.write({ALWAYS: "---\nalwaysApply: true\n---\nUse spaces."})
        rulebook.reload(project.discover())
        return "reloaded"

    async with scripted(calls("reload"), says("ok")) as (model, server):
        await Agent(model, tools=[reload], capabilities=[rulebook]).run("go")
    one, two = bodies(server)
    assert system_of(one) == system_of(two)
    assert "Use spaces." in json.dumps(two["messages"][len(one["messages"]) :])


async def test_a_reload_reaches_reading_at_once(project: Project) -> None:
    #
    rulebook = Rulebook(project(TREE))
    project.write({LISTED: "---\ndescription: d\n---\nnew text"})
    rulebook.reload(project.discover())
    async with scripted(calls("read_rule", url="rule://api-errors"), says("ok")) as (model, server):
        await Agent(model, capabilities=[rulebook]).run("hi")
    assert last_text(bodies(server)[1]) == "new text"


async def test_without_stable_prompts_the_instructions_are_edited(project: Project) -> None:
    # prompt.stable = false
    rulebook = Rulebook(project({**TREE, USER_SETTINGS: "prompt.stable = false"}))
    async with scripted(says("one"), says("two")) as (model, server):
        agent = Agent(model, capabilities=[rulebook])
        first = await agent.run("first")
        project.write({ALWAYS: "---\nalwaysApply: true\n---\nUse spaces."})
        rulebook.reload(project.discover())
        await agent.run("second", message_history=first.all_messages())
    assert "Use spaces." in system_of(bodies(server)[1])
    assert "Use tabs." not in json.dumps(bodies(server)[1])


async def test_two_rulebooks_of_one_agent_say_the_rules_once(project: Project) -> None:
    #
    registry = project(TREE)
    async with scripted(says("ok")) as (model, server):
        await Agent(model, capabilities=[Rulebook(registry), Rulebook(registry)]).run("hi")
    assert json.dumps(bodies(server)[0]).count("Use tabs.") == 1


async def test_a_folder_is_enough_to_make_a_rulebook(project: Project) -> None:
    #
    project.write({**TREE, PROJECT_SETTINGS: ""})
    rulebook = Rulebook.discover(project.root, home=project.home)
    assert "Use tabs." in render_prompt(rulebook.registry).text
