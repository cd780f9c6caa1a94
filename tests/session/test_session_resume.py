"""Sessions on disk (S-13): what is there again when one goes on, and what happens when the disk does not take it."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI
from tests.session.sessions import KEEP_LITTLE, calls, conversation, kept, says, slow
from tests.support import Project

from xcsh.agent.events import RulesAttached, RulesTriggered
from xcsh.llm.reply import Failure
from xcsh.session.events import CommandSaid, Notice, SessionNotSaved, TurnCompleted, TurnStarted
from xcsh.session.keeping import Kept, resume_session
from xcsh.session.store import SessionBusyError, appending

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
EDITS = frozenset({"write_file", "edit_file", "shell"})


def again(stored: Kept) -> Kept:
    return resume_session(stored.file.path)


@WIRES
async def test_a_session_goes_on_with_its_messages_and_its_queue(project: Project, wire: str) -> None:
    # S-13
    stored = kept(project)
    async with conversation(project, says("one"), slow("a long answer " * 20), wire=wire, kept=stored) as talk:
        await talk.session.prompt("first")
        turn = asyncio.ensure_future(talk.session.prompt("second"))
        await talk.streaming(2)
        await talk.session.follow_up("later")
        await talk.session.steer("soon")
        await talk.session.close()
        assert (await turn).outcome == "aborted"
    script = (says("three"), says("four"))
    async with conversation(project, *script, wire=wire, kept=again(stored)) as talk:
        assert talk.session.id == stored.file.id
        assert talk.session.queue.texts("steer") == ("soon",)
        assert talk.session.queue.texts("follow_up") == ("later",)
        await talk.session.prompt("third")
        await talk.session.wait_idle()
        assert talk.written() == ["first", "second", "third", "soon", "later"]
        assert [event.turn for event in talk.of(TurnStarted)] == [3, 4]
        check_requests(talk.server)
    resumed = again(stored)
    assert resumed.queue == ((), ())
    assert resumed.stored is not None
    assert resumed.stored.unanswered == ()
    resumed.file.close()


async def test_the_folder_and_the_model_are_known_again(project: Project) -> None:
    # S-13
    stored = kept(project)
    async with conversation(project, says("one"), kept=stored) as talk:
        await talk.session.prompt("first")
    resumed = again(stored)
    assert resumed.stored is not None
    assert (resumed.stored.cwd, resumed.stored.model) == (os.fspath(project.root), "openai-chat:fake")
    async with conversation(project, says("two"), kept=resumed, cwd=None) as talk:
        assert talk.session.context.registry.environment.cwd == os.fspath(project.root)


@WIRES
async def test_a_prompt_that_was_never_sent_is_sent_with_the_next(project: Project, wire: str) -> None:
    # S-13
    stored = kept(project)
    stored.file.prompt("unanswered")
    stored.file.close()
    async with conversation(project, says("one"), wire=wire, kept=again(stored)) as talk:
        await talk.session.prompt("next")
        assert talk.sent(0)[-1].split() == ["unanswered", "next"]
        check_requests(talk.server)


@WIRES
async def test_rules_that_fired_or_were_given_are_known_again(project: Project, wire: str) -> None:
    # S-13, T-14, R-54
    tree = {
        ".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.',
        ".xcsh/rules/python.md": "---\nglobs: ['**/*.py']\n---\nUse type hints everywhere.",
        "a.py": "x = 1\n",
    }
    breaks = says("let some more time go by, let a: any = 1")
    read = calls("read_file", {"path": "a.py"})
    stored = kept(project)
    script = (breaks, says("fixed"), read, says("read"))
    async with conversation(project, *script, tree=tree, wire=wire, kept=stored) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        assert len(talk.of(RulesTriggered)) == len(talk.of(RulesAttached)) == 1
    async with conversation(project, breaks, read, says("done"), wire=wire, kept=again(stored)) as talk:
        await talk.session.prompt("third")
        await talk.session.prompt("fourth")
        assert talk.of(RulesTriggered) == talk.of(RulesAttached) == []
        check_requests(talk.server)


async def test_a_session_that_another_one_has_is_refused(project: Project) -> None:
    # S-13
    stored = kept(project)
    with pytest.raises(SessionBusyError) as problem:
        again(stored)
    assert problem.value.pid == os.getpid()
    stored.file.close()


async def test_what_was_held_over_a_compaction_is_replayed_after_a_resume(project: Project) -> None:
    # S-4, S-13: as it was typed, not as a text for the model
    tree = {
        ".xcsh/commands/review.md": "Review $1.",
        ".xcsh/extensions/hello.py": (
            "def register(xcsh):\n    @xcsh.command('hello')\n    def hello(context, args):\n        context.say('hello')\n"
        ),
        **KEEP_LITTLE,
    }
    stored = kept(project)
    script = (says("one"), says("two"), slow("a summary that takes long " * 20))
    async with conversation(project, *script, tree=tree, kept=stored) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compaction = asyncio.ensure_future(talk.session.compact())
        await talk.streaming(3)
        for text in ("/review a.py", "/hello", "plain"):
            await talk.session.prompt(text)
        await talk.session.close()
        assert not await compaction
    async with conversation(project, *(says(str(n)) for n in range(4)), kept=again(stored)) as talk:
        await talk.session.prompt("third")
        await talk.session.wait_idle()
        assert [event.text for event in talk.of(TurnStarted)] == ["third", "Review a.py.", "plain"]
        assert talk.of(CommandSaid) == [CommandSaid("hello")]
    resumed = again(stored)
    assert resumed.stored is not None
    assert (resumed.stored.unanswered, resumed.queue) == ((), ((), ()))
    resumed.file.close()


async def test_what_was_taken_back_is_not_there_after_a_resume(project: Project) -> None:
    # S-13, S-25
    stored = kept(project)
    async with conversation(project, slow("a long answer " * 20), kept=stored) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("first"))
        await talk.streaming()
        await talk.session.follow_up("later")
        await talk.session.steer("on its way")
        assert talk.session.withdraw() == ["later"]
        await talk.session.abort()
        await turn
        assert talk.session.withdraw() == ["on its way"]
    resumed = again(stored)
    assert resumed.stored is not None
    assert (resumed.stored.unanswered, resumed.queue) == ((), ((), ()))
    resumed.file.close()


async def test_a_session_file_that_is_deleted_is_told_and_the_turn_goes_on(project: Project) -> None:
    # S-13
    stored = kept(project)
    async with conversation(project, slow("a long answer " * 3), says("two"), kept=stored) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("first"))
        await talk.streaming()
        os.unlink(stored.file.path)
        assert (await turn).outcome == "completed"
        (lost,) = talk.of(SessionNotSaved)
        assert "was deleted" in lost.message
        assert lost.hint
        assert (await talk.session.prompt("second")).text == "two"
        assert len(talk.of(SessionNotSaved)) == 1


async def test_a_full_disk_is_told_once_and_everything_is_saved_when_there_is_room(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-13: a disk cannot be filled up in a test without rights over the machine, so the system call is made to fail
    full = False
    write = os.write

    def limited(descriptor: int, data: bytes) -> int:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(appending.os, "write", limited)
    stored = kept(project)
    script = (says("one"), slow("a long answer " * 3), says("three"), says("four"), Failure(401, "no"))
    async with conversation(project, *script, kept=stored) as talk:
        await talk.session.prompt("first")
        turn = asyncio.ensure_future(talk.session.prompt("second"))
        await talk.streaming(2)
        full = True
        assert (await turn).outcome == "completed"
        assert (await talk.session.prompt("third")).text == "three"
        (lost,) = talk.of(SessionNotSaved)
        assert "no space" in lost.message.lower()
        assert lost.hint
        full = False
        assert (await talk.session.prompt("fourth")).text == "four"
        assert any("saved again" in event.text for event in talk.of(Notice))
        assert len(talk.of(TurnCompleted)) == 4
        written = talk.written()
    async with conversation(project, kept=again(stored)) as talk:
        assert talk.written() == written == ["first", "second", "third", "fourth"]


@WIRES
@pytest.mark.parametrize("when", ["at-once", "after-a-resume"])
async def test_file_changes_are_taken_back_and_the_model_is_told_once(project: Project, wire: str, when: str) -> None:
    # S-13
    stored = kept(project)
    write = calls("write_file", {"path": "new.txt", "content": "hello"})
    script = (write, says("written"), says("two"), says("three"))
    after = (says("two"), says("three"), says("four"))
    file = project.root / "new.txt"
    async with conversation(project, *script, wire=wire, kept=stored, allow=EDITS) as talk:
        await talk.session.prompt("write it")
        assert file.read_text() == "hello"
        if when == "at-once":
            report = await talk.session.undo()
            assert report is not None
            assert not file.exists()
            await talk.session.prompt("next")
            await talk.session.prompt("and on")
            assert [text.count("undid the file changes") for text in map("\n".join, map(talk.sent, (1, 2, 3)))] == [
                0,
                1,
                1,
            ]
            assert await talk.session.redo() is not None
            assert file.read_text() == "hello"
            assert await talk.session.redo() is None
            check_requests(talk.server)
            return
    async with conversation(project, kept=again(stored)) as talk:
        assert await talk.session.undo() is not None
        assert not file.exists()
        assert await talk.session.undo() is None
    async with conversation(project, *after, wire=wire, kept=again(stored)) as talk:
        await talk.session.prompt("next")
        await talk.session.prompt("and on")
        assert "\n".join(talk.sent(1)).count("undid the file changes") == 1
        check_requests(talk.server)
    async with conversation(project, *after, wire=wire, kept=again(stored)) as talk:
        assert await talk.session.redo() is not None
        assert file.read_text() == "hello"
        await talk.session.prompt("after that")
        sent = "\n".join(talk.sent(0))
        assert (sent.count("undid the file changes"), sent.count("made the file changes again")) == (1, 1)
