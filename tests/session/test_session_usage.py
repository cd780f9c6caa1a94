"""What a turn tells of file changes and of usage: diffs with counts, tokens, prices only where they are known."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.usage import RequestUsage
from tests.session.sessions import calls, conversation, kept, says
from tests.support import Project

from xcsh.agent.consent.settings import grants
from xcsh.agent.events import FileChanged, ToolReturned, UsageReported
from xcsh.session.keeping import resume_session
from xcsh.session.measuring import Used, usage_of_session, used_in, used_of_record
from xcsh.session.store.replay import add_usage

LONG = "".join(f"line {at}\n" for at in range(8_000))
"""More than the harness makes a diff of."""


@pytest.mark.parametrize("keeping", ["kept", "not kept"])
async def test_an_edit_is_told_with_its_diff_before_the_call_returns(project: Project, keeping: str) -> None:
    # S-14
    edit = calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "2\n3"})
    more = {"kept": kept(project)} if keeping == "kept" else {}
    tree = {"a.txt": "one\ntwo\n"}
    async with conversation(project, edit, says("done"), tree=tree, allow=grants(["edit"]), **more) as talk:
        await talk.session.prompt("go")
        diff = "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3"
        assert talk.of(FileChanged) == [FileChanged("a.txt", "edit", 2, 1, diff, 0, "c1")]
        names = talk.names()
        assert names.index("FileChanged") + 1 == names.index("ToolReturned")


async def test_a_new_file_is_all_added_and_a_failed_write_is_no_change(project: Project) -> None:
    # S-14
    script = (
        calls("write_file", {"path": "new.txt", "content": "a\nb\n"}),
        calls("edit_file", {"path": "new.txt", "old_text": "zzz", "new_text": "y"}),
        says("done"),
    )
    async with conversation(project, *script, allow=grants(["write", "edit"]), kept=kept(project)) as talk:
        await talk.session.prompt("go")
        change = FileChanged("new.txt", "write", 2, 0, "@@ -0,0 +1,2 @@\n+a\n+b", 0, "c1")
        assert talk.of(FileChanged) == [change]
        assert [event.failed for event in talk.of(ToolReturned)] == [False, True]


async def test_a_long_file_has_its_diff_too_where_the_session_is_kept_and_else_no_wrong_count(
    project: Project,
) -> None:
    # S-14
    edit = calls("edit_file", {"path": "a.txt", "old_text": "line 7000\n", "new_text": "new\n"})
    for more in ({"kept": kept(project)}, {}):
        async with conversation(
            project, edit, says("done"), tree={"a.txt": LONG}, allow=grants(["edit"]), **more
        ) as talk:
            await talk.session.prompt("go")
            (change,) = talk.of(FileChanged)
        if more:
            assert (change.added, change.removed, change.left) == (1, 1, 0)
            assert "-line 7000\n+new" in change.diff
        else:
            assert (change.added, change.removed, change.left) == (None, None, None)


async def test_each_response_tells_what_the_turn_used_and_an_unknown_price_is_none(project: Project) -> None:
    # S-14
    read = calls("list_files", {})
    async with conversation(project, read, says("done"), window=50_000) as talk:
        await talk.session.prompt("go")
        first, last = talk.of(UsageReported)
        assert (first.requests, last.requests) == (1, 2)
        assert 0 < first.input_tokens < last.input_tokens
        assert last.cost is None
        assert last.context_window == 50_000
        assert 0 < last.context_tokens < last.input_tokens
        whole = talk.session.usage
        assert (whole.requests, whole.input_tokens, whole.cost) == (2, last.input_tokens, None)


async def test_the_window_of_a_model_that_is_known_is_told(project: Project) -> None:
    # S-14
    async with conversation(project, says("done"), wire="anthropic") as talk:
        await talk.session.prompt("go")
        (told,) = talk.of(UsageReported)
        assert told.context_window
        assert told.context_window >= 200_000


def test_a_history_with_one_response_of_unknown_price_has_none() -> None:
    # S-14
    def answer(cost: str | None) -> ModelResponse:
        usage = RequestUsage(input_tokens=10, output_tokens=2, cost=Decimal(cost) if cost else None)
        return ModelResponse([TextPart("a")], usage=usage)

    ask = ModelRequest([UserPromptPart("q")])
    assert used_in([ask, answer("0.5"), ask, answer("0.25")]).cost == 0.75
    assert used_in([ask, answer("0.5"), ask, answer(None)]).cost is None
    assert usage_of_session(used_in([]), [], None) == UsageReported(0, 0, 0, None, 0, None)


@pytest.mark.parametrize("cost", [0.25, None])
def test_the_price_of_a_session_is_known_where_that_of_every_turn_is(cost: float | None) -> None:
    # S-14: as its file sums it up
    total: dict[str, int | float] = {}
    turns = [Used(2, 100, 10, 0.5), Used(), Used(1, 50, 5, cost)]
    for turn in turns:
        add_usage(total, turn.record)
    expected = Used(3, 150, 15, None if cost is None else 0.75)
    assert used_of_record(total) == turns[0].plus(turns[1]).plus(turns[2]) == expected
    assert used_of_record({"requests": 1, "input_tokens": 9}).cost is None  # of a turn that did not say


async def test_a_session_that_goes_on_has_used_what_its_turns_did(project: Project) -> None:
    # S-13, S-14: also what a stream rule took out of the history
    stored = kept(project)
    tree = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}
    script = (says("let some more time go by, let a: any = 1 and on and on"), says("let a: A = 1"))
    async with conversation(project, *script, tree=tree, kept=stored) as talk:
        await talk.session.prompt("go")
        before = talk.session.usage
        last = talk.of(UsageReported)[-1]
        assert (before.input_tokens, before.output_tokens) == (last.input_tokens, last.output_tokens)
        assert before.output_tokens > used_in(talk.session.messages).output_tokens
    resumed = resume_session(stored.file.path)
    async with conversation(project, kept=resumed) as talk:
        assert talk.session.usage == before


async def test_what_calls_did_to_files_is_told_again_when_a_session_goes_on(project: Project) -> None:
    # S-13, S-14
    stored = kept(project)
    edit = calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "2\n3"})
    async with conversation(
        project, edit, says("done"), tree={"a.txt": "one\ntwo\n"}, allow=grants(["edit"]), kept=stored
    ) as talk:
        await talk.session.prompt("go")
        told = talk.of(FileChanged)
    resumed = resume_session(stored.file.path)
    resumed.file.note("diff", {"path": "odd"})
    async with conversation(project, kept=resumed) as talk:
        assert talk.session.changes is not None
        assert talk.session.changes.told == told
