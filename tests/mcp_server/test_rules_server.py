"""The rules and commands of a project for clients of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import PromptReference, ResourceTemplateReference, TextContent
from tests.llm.wire_models import until
from tests.support import USER_SETTINGS, Project

from xcsh.mcp.following import follow
from xcsh.mcp.server import RulesServer
from xcsh.slash.expansion import expand

TREE = {
    ".cursor/rules/style.mdc": "---\ndescription: How code looks\n---\nFour spaces.\n",
    ".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kind.\n",
    ".xcsh/rules/ts.md": "---\nglobs: src/**/*.ts\n---\nNo any.\n",
    ".xcsh/rules/ns with space.md": "---\ndescription: odd\n---\nOdd.\n",
    ".claude/commands/review.md": '---\ndescription: Review it\nargument-hint: "[path]"\n---\nReview $ARGUMENTS with care.\n',
    ".claude/commands/git/pr.md": "Open a pull request.\n",
}
ERAS = ["legacy", "auto"]


@pytest.fixture
def served(project: Project) -> RulesServer:
    return RulesServer(project(TREE))


def text_of(result: Any) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("era", ERAS)
async def test_every_addressable_rule_is_a_resource_and_is_read_as_it_stands(era: Any, served: RulesServer) -> None:
    async with Client(served.server, mode=era) as client:
        listed = (await client.list_resources()).resources
        assert {(str(each.uri), each.name, each.description) for each in listed} == {
            ("rule://style", "style", "How code looks"),
            ("rule://kind", "kind", "in force for everything"),
            ("rule://ns%20with%20space", "ns with space", "odd"),
        }
        for each in listed:
            (content,) = (await client.read_resource(str(each.uri))).contents
            assert content.text == served.catalogue.read(str(each.uri)).content  # pyright: ignore[reportAttributeAccessIssue]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "rule://{+name}"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "url", ["rule://nope", "rule://ts", "file:///etc/passwd", "rule://../../etc/passwd", "rule://"]
)
async def test_what_is_no_rule_is_an_error_that_names_the_rules(era: Any, url: str, served: RulesServer) -> None:
    async with Client(served.server, mode=era) as client:
        with pytest.raises(MCPError, match="no rule"):
            await client.read_resource(url)
        assert (await client.read_resource("rule://kind")).contents


@pytest.mark.parametrize("era", ERAS)
async def test_every_command_is_a_prompt_with_a_free_form_argument(era: Any, served: RulesServer) -> None:
    async with Client(served.server, mode=era) as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert {"review", "git:pr"} <= set(prompts)
        (argument,) = prompts["review"].arguments or []
        assert (argument.name, argument.description, argument.required) == ("arguments", "[path]", False)
        typed = 'src/a.py "two words" & more --flag=1'
        (message,) = (await client.get_prompt("review", {"arguments": typed})).messages
        assert message.content == TextContent(
            type="text", text=expand(served.catalogue.registry, f"/review {typed}").text
        )
        assert "two words & more --flag=1 with care." in str(message.content)
        assert (await client.get_prompt("git:pr")).messages[0].role == "user"
        with pytest.raises(MCPError, match="did you mean /review"):
            await client.get_prompt("reviev")


@pytest.mark.parametrize("era", ERAS)
async def test_names_complete(era: Any, served: RulesServer) -> None:
    async with Client(served.server, mode=era) as client:
        rule = ResourceTemplateReference(uri="rule://{+name}")
        found = await client.complete(rule, {"name": "name", "value": "ST"})
        assert found.completion.values == ["style"]
        none = await client.complete(PromptReference(name="review"), {"name": "arguments", "value": "x"})
        assert none.completion.values == []


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_answer_what_the_command_line_does(era: Any, served: RulesServer) -> None:
    async with Client(served.server, mode=era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"rules_for", "explain", "doctor"}
        rules = text_of(await client.call_tool("rules_for", {"path": "src/a.ts"}))
        assert "- ts: matched src/**/*.ts" in rules
        assert "No any." in rules
        assert "Be kind." in rules
        assert "Four spaces." not in rules
        assert "Cursor, project" in text_of(await client.call_tool("explain", {"name": "style"}))
        assert "files" in text_of(await client.call_tool("doctor", {}))


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("explain", {"name": "stile"}, "did you mean style"),
        ("explain", {}, "give `name`"),
        ("rules_for", {"path": 7}, "give `path`"),
        ("rules_for", {"path": " "}, "give `path`"),
    ],
)
async def test_a_wrong_call_is_told_to_the_model(
    tool: str, arguments: dict[str, object], said: str, served: RulesServer
) -> None:
    async with Client(served.server) as client:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert said in text_of(result)


async def test_a_tool_that_there_is_none_of_is_an_error_of_the_protocol(served: RulesServer) -> None:
    async with Client(served.server) as client:
        with pytest.raises(MCPError, match="rules_for, explain and doctor"):
            await client.call_tool("rm", {})


async def test_a_client_of_the_older_era_is_told_of_what_changed_and_of_nothing_else(
    project: Project, served: RulesServer
) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(message.method)

    async with Client(served.server, mode="legacy", message_handler=hear) as client:
        assert client.server_capabilities.prompts
        assert client.server_capabilities.prompts.list_changed
        await served.replace(project.discover())
        await client.list_prompts()
        assert heard == []
        await served.replace(project({".xcsh/rules/new.md": "---\ndescription: n\n---\nNew.\n"}))
        await until(lambda: heard == ["notifications/resources/list_changed"])
        await served.replace(project({".xcsh/rules/new.md": "---\ndescription: n\n---\nOther.\n"}))
        await until(lambda: heard[1:] == ["notifications/resources/updated"])
        await served.replace(project({".xcsh/commands/new.md": "x\n"}))
        await until(lambda: heard[2:] == ["notifications/prompts/list_changed"])
        assert "rule://new" in [str(each.uri) for each in (await client.list_resources()).resources]


async def test_a_client_of_the_newer_era_listens(project: Project, served: RulesServer) -> None:
    async with (
        Client(served.server) as client,
        client.listen(
            prompts_list_changed=True, resources_list_changed=True, resource_subscriptions=["rule://kind"]
        ) as changes,
    ):
        await served.replace(
            project(
                {
                    ".xcsh/rules/new.md": "---\ndescription: n\n---\nNew.\n",
                    ".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kinder.\n",
                    ".xcsh/commands/new.md": "x\n",
                }
            )
        )
        heard: set[str] = set()
        async with asyncio.timeout(10):
            async for change in changes:
                heard.add(type(change).__name__)
                if len(heard) == 3:
                    break
        assert heard == {"PromptsListChanged", "ResourcesListChanged", "ResourceUpdated"}


async def test_a_client_that_has_gone_keeps_nobody_from_hearing(project: Project, served: RulesServer) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(message.method)

    async with Client(served.server, mode="legacy"):
        pass
    async with Client(served.server, mode="legacy", message_handler=hear) as client:
        await client.list_prompts()
        await served.replace(project({".xcsh/commands/new.md": "x\n"}))
        await until(lambda: heard == ["notifications/prompts/list_changed"])


async def test_an_explanation_counts_the_findings_of_stream_rules_and_knows_commands_in_python(
    project: Project,
) -> None:
    # R-33; the findings themselves: tests/test_diagnosis.py
    project.write({"~/.xcsh/agent/commands/deploy.py": "def run(context, args): ...\n"})
    catalogue = RulesServer(project({".xcsh/rules/odd.md": "---\ncondition: '.*'\n---\nx"})).catalogue
    assert "1 finding" in str(catalogue.explain("odd"))
    assert "deploy.py" in str(catalogue.explain("/deploy"))
    assert "deploy" not in [each.name for each in catalogue.commands()]  # calling it would run code


@pytest.mark.parametrize(
    ("tool", "arguments"), [("doctor", {}), ("explain", {"name": "kind"}), ("rules_for", {"path": "src/a.ts"})]
)
async def test_a_disk_that_does_not_answer_holds_up_nobody_but_who_asked(
    tool: str, arguments: dict[str, object], served: RulesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer = threading.Event(), threading.Event()

    def read(*_: object) -> str:
        asked.set()
        return "read at last" if answer.wait(20) else "held up everybody"

    monkeypatch.setattr(served.catalogue, tool, read)
    async with Client(served.server) as client:
        waiting = asyncio.create_task(client.call_tool(tool, arguments))
        try:
            await until(asked.is_set)
            assert len((await client.list_resources()).resources) == 3
            assert (await client.read_resource("rule://kind")).contents
            assert not waiting.done()
        finally:
            answer.set()
        assert text_of(await waiting) == "read at last"


@pytest.mark.parametrize("reference", [False, True])
async def test_nothing_is_watched_where_the_setting_is_off(project: Project, *, reference: bool) -> None:
    # C-32: `discovery.watch`, which is off in the reference
    registry = project(TREE if reference else {**TREE, USER_SETTINGS: "discovery.watch = false\n"}, reference=reference)
    served = RulesServer(registry)
    async with asyncio.timeout(30):
        await follow(served)  # it ends, where a watcher would go on
    assert served.catalogue.registry is registry


async def test_every_prompt_that_is_listed_can_be_had(project: Project) -> None:
    # C-29: skills are callable only where the setting says so
    project.write({
        ".xcsh/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS",
        "~/.xcsh/agent/settings.toml": "[skills]\nenable_skill_commands = false\n",
    })  # fmt: skip
    catalogue = RulesServer(project.discover()).catalogue
    assert "s" not in [each.name for each in catalogue.commands()]
    assert all(catalogue.expand(each.name, "") is not None for each in catalogue.commands())
