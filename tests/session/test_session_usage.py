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
from xcsh.session.measuring import usage_of_history

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
    assert usage_of_history([ask, answer("0.5"), ask, answer("0.25")], None).cost == 0.75
    assert usage_of_history([ask, answer("0.5"), ask, answer(None)], None).cost is None
    assert usage_of_history([], None) == UsageReported(0, 0, 0, None, 0, None)
