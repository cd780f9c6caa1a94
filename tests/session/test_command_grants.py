"""What `allowed-tools` and `model` of a command do to its turn, and to no other (C-41). Real commands, real HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic_ai.models import Model
from tests.llm.wire_models import bodies, scripted
from tests.session.sessions import Conversation, conversation, says
from tests.support import Project

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Always, Answer, Ask, ConsentRequest, No, Once
from xcsh.agent.consent.settings import permissions_of
from xcsh.api import Registry
from xcsh.errors import UsageError
from xcsh.llm.reply import Reply, ToolCall
from xcsh.session.events import Notice

COMMAND = "---\nallowed-tools: Bash(touch:*), Read\n---\nTouch it."
TOUCH = Reply((ToolCall("c1", "shell", (json.dumps({"command": "touch made"}),)),))


class Asked:
    """Answers what is asked about, and remembers it."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.questions: list[ConsentRequest] = []
        self.kept: list[str] = []

    async def __call__(self, request: ConsentRequest) -> Answer:
        self.questions.append(request)
        return self._answers.pop(0) if self._answers else No()

    def consent(self, registry: Registry) -> Consent:
        return Consent(permissions_of(registry, asks=True), self, keep=self.kept.append)


def made(project: Project) -> Path:
    return project.root / "made"


async def test_a_command_of_the_user_needs_no_asking_for_its_tools_in_its_turn_alone(project: Project) -> None:
    # C-41
    asked = Asked()
    tree = {"~/.claude/commands/touch.md": COMMAND}
    script = (TOUCH, says("done"), TOUCH, says("not done"))
    async with conversation(project, *script, tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/touch")
        assert made(project).exists()
        assert asked.questions == []
        made(project).unlink()
        await talk.session.prompt("and again")
    assert [question.command for question in asked.questions] == ["touch made"]
    assert not made(project).exists()


async def test_a_command_of_the_project_is_asked_about_once_for_all_that_it_grants(project: Project) -> None:
    # C-41, S-12: the question shows the tools and the file, and what was consented to is this text of it
    asked = Asked(Once())
    tree = {".claude/commands/touch.md": COMMAND}
    async with conversation(project, TOUCH, says("done"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/touch")
    (question,) = asked.questions
    assert question.tool == "command"
    assert question.arguments == "shell(touch:*)"
    assert question.origin == str(project.root / ".claude" / "commands" / "touch.md")
    assert made(project).exists()


async def test_who_refuses_a_projects_command_its_tools_is_asked_about_each_call(project: Project) -> None:
    # C-41, S-12
    asked = Asked(No(), No())
    tree = {".claude/commands/touch.md": COMMAND}
    async with conversation(project, TOUCH, says("not done"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/touch")
        assert talk.of(Notice) == [Notice("allowed-tools of /touch do not count in this turn")]
    assert [question.tool for question in asked.questions] == ["command", "shell"]
    assert not made(project).exists()


async def test_consent_to_a_command_for_good_ends_where_its_text_or_its_tools_change(project: Project) -> None:
    # C-41, S-12
    kept: list[str] = []
    other_tools = COMMAND.replace("touch:*", "touch made")
    for body, questions in ((COMMAND, 1), (COMMAND, 0), (COMMAND + " Twice.", 1), (other_tools, 1)):
        project.write({".claude/commands/touch.md": body})
        asked: list[ConsentRequest] = []

        async def always(request: ConsentRequest, asked: list[ConsentRequest] = asked) -> Answer:
            asked.append(request)
            return Always(request.patterns[0])

        def consent(registry: Registry, always: Ask = always) -> Consent:
            return Consent(permissions_of(registry, list(kept), asks=True), always, keep=kept.append)

        async with conversation(project, TOUCH, says("done"), consent=consent) as talk:
            await talk.session.prompt("/touch")
        assert [question.tool for question in asked] == ["command"] * questions
        assert made(project).exists()
    assert len(set(kept)) == 3


async def test_where_nobody_can_be_asked_a_projects_command_grants_nothing(project: Project) -> None:
    # C-41, S-12: and with the pattern that is named it does
    tree = {".claude/commands/touch.md": COMMAND}
    lines: list[str] = []

    def consent(registry: Registry) -> Consent:
        return Consent(permissions_of(registry), tell=lines.append)

    async with conversation(project, says("no shell"), tree=tree, consent=consent) as talk:
        await talk.session.prompt("/touch")
        assert "shell" not in json.dumps([tool["function"]["name"] for tool in bodies(talk.server)[0]["tools"]])
    assert "--allow 'command(touch " in lines[0]


@asynccontextmanager
async def other(name: str) -> AsyncGenerator[Model]:
    if name != "openai:small":
        raise UsageError(f"no model is named {name}")
    async with scripted(says("from the small one")) as (model, _):
        yield model


@pytest.mark.parametrize(("wanted", "answer"), [("openai:small", "from the small one"), ("tiny", "from the first")])
async def test_a_command_has_its_turn_answered_by_the_model_that_it_names(
    project: Project, wanted: str, answer: str
) -> None:
    # C-41: one that cannot be used is said, and the session's answers
    tree = {"~/.claude/commands/ask.md": f"---\nmodel: {wanted}\n---\nAnswer."}
    script = (says("from the first"), says("from the first"))
    async with conversation(project, *script, tree=tree, open_model=other) as talk:
        assert (await talk.session.prompt("/ask")).text == answer
        assert (await talk.session.prompt("and you?")).text == "from the first"
        assert _notices(talk) == [
            "/ask wants the model 'tiny'" if wanted == "tiny" else "/ask is answered by openai:small"
        ]


def _notices(talk: Conversation) -> list[str]:
    return [event.text.split(",")[0] for event in talk.of(Notice)]
