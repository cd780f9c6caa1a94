"""What an editor's user can choose for a session."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest
from acp import RequestError, text_block
from tests.acp_agent.editors import editor
from tests.llm.wire_models import bodies, until
from tests.session.sessions import calls, says
from tests.support import USER_SETTINGS, Project

from xcsh.session.agent_session import AgentSession

EDITS = calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "three"})


async def opened(connection: Any, project: Project) -> tuple[str, Any]:
    await connection.initialize(protocol_version=1)
    answer = await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[])
    return answer.session_id, answer


def now(options: list[Any]) -> Mapping[str, str]:
    return {each.id: each.current_value for each in options}


@pytest.mark.parametrize("by", ["mode", "option"])
async def test_changes_of_files_are_asked_about_or_not_as_chosen(by: str, project: Project) -> None:
    # S-12
    project.write({"a.txt": "one\ntwo\n"})
    async with editor(project, EDITS, says("done"), EDITS, says("done")) as (connection, client, _):
        session, answer = await opened(connection, project)
        assert (answer.modes.current_mode_id, now(answer.config_options)["mode"]) == ("edit", "edit")
        if by == "mode":
            await connection.set_session_mode(session_id=session, mode_id="ask")
            await until(lambda: bool(client.of("config_option_update")))
            assert now(client.of("config_option_update")[-1].config_options)["mode"] == "ask"
        else:
            changed = await connection.set_config_option(session_id=session, config_id="mode", value="ask")
            assert now(changed.config_options)["mode"] == "ask"
            await until(lambda: bool(client.of("current_mode_update")))
            assert client.of("current_mode_update")[-1].current_mode_id == "ask"
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        assert len(client.questions) == 1
        project.write({"a.txt": "one\ntwo\n"})
        await connection.set_session_mode(session_id=session, mode_id="edit")
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        assert len(client.questions) == 1
        assert (project.root / "a.txt").read_text() == "one\nthree\n"


async def test_the_mode_begins_as_the_settings_say(project: Project) -> None:
    # S-12
    project.write({USER_SETTINGS: '[consent]\nedits = "ask"\n'})
    async with editor(project) as (connection, _, __):
        session, answer = await opened(connection, project)
        assert answer.modes.current_mode_id == "ask"
        again = await connection.resume_session(session_id=session, cwd=os.fspath(project.root), mcp_servers=[])
        assert (again.modes.current_mode_id, now(again.config_options)["mode"]) == ("ask", "ask")


async def test_the_mode_that_asks_says_that_patterns_go_before_it(project: Project) -> None:
    # S-12
    project.write({"a.txt": "one\ntwo\n", USER_SETTINGS: '[consent]\nedits = "ask"\nallow = ["edit_file"]\n'})
    async with editor(project, EDITS, says("done")) as (connection, client, _):
        session, answer = await opened(connection, project)
        ask = next(each for each in answer.modes.available_modes if each.id == "ask")
        assert "unless one of your patterns allows it" in ask.description
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        assert client.questions == []
        assert (project.root / "a.txt").read_text() == "one\nthree\n"


async def test_a_change_that_the_editor_did_not_make_is_told(project: Project) -> None:
    # S-11
    sessions: list[AgentSession] = []
    async with editor(project, created=sessions.append) as (connection, client, _):
        await opened(connection, project)
        sessions[0].model.think("high")
        await until(lambda: bool(client.of("config_option_update")))
        assert now(client.of("config_option_update")[-1].config_options)["thinking"] == "high"


async def test_another_model_answers_once_it_is_chosen(project: Project) -> None:
    # S-11
    heading = {"recording": 1, "prompt": "hi"}
    lines = [heading, {"reply": [{"text": "I am the other."}]}]
    file = project.root / "r.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    project.write({USER_SETTINGS: 'model = "replay:r.jsonl"\n'})
    async with editor(project, says("first")) as (connection, client, server):
        session, answer = await opened(connection, project)
        models = next(each for each in answer.config_options if each.id == "model")
        assert models.category == "model"
        assert models.options[0].value == models.current_value
        assert ("replay:r.jsonl", "the setting `model`") in [(each.value, each.description) for each in models.options]
        await connection.prompt(session_id=session, prompt=[text_block("hi")])
        changed = await connection.set_config_option(session_id=session, config_id="model", value="replay:r.jsonl")
        assert now(changed.config_options)["model"] == "replay:r.jsonl"
        await connection.prompt(session_id=session, prompt=[text_block("and you?")])
        assert client.text == "firstI am the other."
        assert len(bodies(server)) == 1


async def test_how_hard_it_thinks_is_chosen(project: Project) -> None:
    # S-11
    async with editor(project) as (connection, _, __):
        session, answer = await opened(connection, project)
        assert now(answer.config_options)["thinking"] == "default"
        changed = await connection.set_config_option(session_id=session, config_id="thinking", value="high")
        assert now(changed.config_options)["thinking"] == "high"
        changed = await connection.set_config_option(session_id=session, config_id="thinking", value="default")
        assert now(changed.config_options)["thinking"] == "default"


@pytest.mark.parametrize(
    ("option", "value"),
    [("mode", "x"), ("model", "nonsense"), ("model", "replay:none.jsonl"), ("thinking", "x"), ("x", "y")],
)
async def test_what_cannot_be_chosen_is_refused_and_nothing_changes(option: str, value: str, project: Project) -> None:
    # U-5
    async with editor(project, says("ok")) as (connection, client, _):
        session, answer = await opened(connection, project)
        with pytest.raises(RequestError):
            await connection.set_config_option(session_id=session, config_id=option, value=value)
        with pytest.raises(RequestError):
            await connection.set_session_mode(session_id=session, mode_id="x")
        again = await connection.resume_session(session_id=session, cwd=os.fspath(project.root), mcp_servers=[])
        assert now(again.config_options) == now(answer.config_options)
        await connection.prompt(session_id=session, prompt=[text_block("hi")])
        assert client.text == "ok"
