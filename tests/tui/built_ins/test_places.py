"""Other folders and other sessions (S-22), over the sessions that the program itself opens."""

from __future__ import annotations

import os

from tests.llm.wire_models import until
from tests.support import Project
from tests.tui.built_ins.asked import Talk, talking

from xcsh.session.store import list_sessions

RULES = {
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
    "sub/.xcsh/rules/inner.md": "---\nalwaysApply: true\n---\nUse spaces.",
    "sub/.xcsh/commands/tidy.md": "Tidy up.",
}


def _kept(project: Project) -> list[str]:
    folder = project.home / ".local" / "state" / "xcsh" / "sessions"
    return [each.id for each in list_sessions(os.fspath(folder))]


async def _rules(talk: Talk) -> list[str]:
    return sorted(entry.rule.name for entry in talk.session.context.registry.active)


async def test_move_goes_on_with_the_same_session_and_the_rules_of_the_other_folder(project: Project) -> None:
    # S-22, C-31
    async with talking(project, tree=RULES, replies=["one", "two"]) as talk:
        await talk.type("remember this")
        first = talk.session.id
        said = await talk.type("/move sub")
        assert said.startswith(f"now in {project.root / 'sub'}: ")
        assert talk.session.id == first
        assert "inner" in await _rules(talk)
        assert [entry.command.name for entry in talk.session.context.registry.commands.active].count("tidy") == 1
        assert len(talk.session.messages) == 2
        await talk.type("and now")
        assert len(talk.session.messages) == 4
        assert await talk.type("/move ..") != ""
        assert talk.session.context.registry.environment.cwd == os.fspath(project.root)
        home = await talk.type("/move ~")
        assert home.startswith(f"now in {project.home}")
        assert len(_kept(project)) == 1


async def test_a_folder_that_is_none_leaves_the_session_untouched(project: Project) -> None:
    # S-22
    async with talking(project, tree={"file": "x"}, replies=["one"]) as talk:
        before = talk.session
        assert "is not there" in await talk.type("/move nowhere")
        assert "is no folder" in await talk.type("/move file")
        assert "is already" not in await talk.type("/move")
        assert talk.session is before


async def test_what_is_queued_goes_with_the_session(project: Project) -> None:
    # S-22, S-25
    endless = [{"text": "a beginning"}, {"delay": 60}, {"text": "never"}]
    async with talking(project, tree={"sub/x": ""}, replies=[endless]) as talk:
        await talk.streaming("go")
        await talk.conversation.submit("later", later=True)
        await until(lambda: len(talk.session.waiting) == 1)
        talk.front.answers = ["no"]
        await talk.conversation.submit("/move sub")
        await until(lambda: len(talk.front.asked) == 1)
        assert talk.session.is_streaming
        talk.front.answers = ["yes"]
        await talk.conversation.submit("/move sub")
        await until(lambda: any("now in" in said for said in talk.front.said))
        assert [entry.text for entry in talk.session.waiting] == ["later"]
        assert "1 text waiting" in talk.front.said[-1]


async def test_without_a_file_the_conversation_moves_all_the_same(project: Project) -> None:
    # S-22
    async with talking(project, "--no-session", tree=RULES, replies=["one", "two"]) as talk:
        await talk.type("remember this")
        assert "now in" in await talk.type("/move sub")
        assert len(talk.session.messages) == 2
        await talk.type("and now")
        assert len(talk.session.messages) == 4
        assert await talk.type("/new", "no") == ""
        assert len(talk.session.messages) == 4
        assert await talk.type("/new", "yes") == "a new session"
        assert talk.session.messages == []
        assert "nothing can be taken back" in await talk.type("/undo")
    assert _kept(project) == []


async def test_new_and_resume_go_to_and_fro(project: Project) -> None:
    # S-21, S-13
    async with talking(project, tree={"sub/x": ""}, replies=["one"]) as talk:
        await talk.type("the first question")
        first = talk.session.id
        assert await talk.type("/new") == f"a new session; the one before: /resume {first}"
        assert talk.session.id != first
        assert talk.session.messages == []
        said = await talk.type("/resume", first)
        assert said == f"going on with {first} (1 turn), in {project.root}"
        title, choices, _ = talk.front.asked[-1]
        assert title == "Go on with which session?"
        assert [choice.label for choice in choices] == ["the first question"]
        assert len(talk.session.messages) == 2
        assert await talk.type(f"/resume {first}") == "that is this session"
        assert "no session has the id" in await talk.type("/resume nonsense")
        assert talk.session.id == first
    assert _kept(project) == [first]  # nothing was said in the other one


async def test_a_session_that_does_not_open_leads_back_to_the_former(project: Project) -> None:
    # S-22
    async with talking(project, replies=["one"]) as talk:
        await talk.type("the first question")
        first = talk.session.id
        await talk.type("/new")
        await talk.type("the second question")
        second = talk.session.id
        folder = project.home / ".local" / "state" / "xcsh" / "sessions"
        from xcsh.session.keeping import resume_session

        other = resume_session(os.fspath(folder / f"{first}.jsonl"))
        try:
            said = await talk.type(f"/resume {first}")
        finally:
            other.file.close()
        assert "is in use" in said or "has it" in said or first in said
        assert talk.session.id == second
        assert len(talk.session.messages) == 2
        assert talk.front.sessions[-1] == second


async def test_a_session_keeps_the_model_that_was_chosen_in_it(project: Project) -> None:
    # S-21, S-13
    project.write({"other.jsonl": '{"recording": 1, "prompt": "x"}\n{"reply": [{"text": "from the other"}]}\n'})
    async with talking(project, tree={"sub/x": ""}, replies=["one"]) as talk:
        await talk.type("a question")
        first = talk.session.model_name
        assert "cannot be" in await talk.type("/model replay:nowhere") or talk.session.model_name == first
        said = await talk.type(f"/model replay:{project.root / 'other.jsonl'}")
        assert said.endswith("answers from now on")
        await talk.type("another question")
        assert talk.front.last_answer == "from the other"
        session = talk.session.id
        await talk.type("/move sub")
        assert talk.session.model_name.endswith("other.jsonl")
        await talk.type("/new")
        assert talk.session.model_name.endswith("other.jsonl")
        await talk.type(f"/resume {session}")
        assert talk.session.model_name.endswith("other.jsonl")  # before the flag, which the session began with
