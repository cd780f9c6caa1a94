"""The journal of file changes in a real agent: what the harness's tools change can be taken back. Real HTTP and files."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, LocalWorkspace, on_event
from pydantic_ai.models import Model
from pydantic_ai_harness.coder import Coder
from pydantic_ai_harness.filesystem import FileChangeRequestEvent, FileSystem
from tests.llm.wire_models import answering, bodies, last_text, scripted, text_of
from tests.session.undo.journals import Journal, die, die_at, killed, outcomes, tree
from tests.support import Project

from xcsh.agent import build_agent, run_turn
from xcsh.agent.changes import journal as change_journal
from xcsh.agent.changes.file_state import FileState, state_at
from xcsh.agent.changes.journal import ChangeJournal, ChangeNotUndoableEvent
from xcsh.agent.changes.records import DONE, INTENT
from xcsh.agent.consent.settings import grants
from xcsh.llm.reply import Failure, Reply, ToolCall, WireRequest, cut, text
from xcsh.session.undo.contents import FolderKeeper, changes_of
from xcsh.session.undo.plan import Outcome

DONE_REPLY = Reply((text("Done."),))
ALLOWED = grants(["write", "shell"])


def call(tool: str, identity: str = "c1", **arguments: Any) -> ToolCall:
    return ToolCall(identity, tool, cut(json.dumps(arguments)))


def write(path: str, content: str, identity: str = "c1") -> Reply:
    return Reply((call("write_file", identity, path=path, content=content),))


def edit(path: str, **arguments: Any) -> Reply:
    return Reply((call("edit_file", path=path, **arguments),))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def coder(
    model: Model, work: Path, journal: ChangeJournal, *more: AbstractCapability[Any], **options: Any
) -> Agent[object, str]:
    options = {"repo_context": False, "sub_agents": False, **options}
    return Agent(model, capabilities=[journal, LocalWorkspace(work), Coder[object](**options), *more])


async def turn(work: Path, journal: Journal, *script: Reply | Failure, **options: Any) -> list[dict[str, Any]]:
    """One run of a coding agent over the script; the requests that it made."""
    more: Sequence[AbstractCapability[Any]] = options.pop("more", ())
    limit: dict[str, int] = {"max_file_bytes": options.pop("limit")} if "limit" in options else {}
    async with scripted(*script, DONE_REPLY) as (model, server):
        await coder(model, work, ChangeJournal(journal.keeper, **limit), *more, **options).run("go")
        return bodies(server)


def intents(journal: Journal) -> list[dict[str, Any]]:
    return [dict(data) for kind, data in journal.notes if kind == INTENT]


async def test_the_changes_of_the_products_own_agent_are_taken_back(project: Project, tmp_path: Path) -> None:
    # S-13
    registry = project({"a.txt": "one\r\ntwo\r\n"})
    before = tree(project.root)
    journal = Journal(tmp_path / "journal")
    script = [
        write("new.txt", "new\n"),
        edit("a.txt", old_text="two", new_text="2"),
        write("a.txt", "all\n"),
        edit("a.txt", old_text="all", new_text="ALL"),
    ]
    async with scripted(*script, DONE_REPLY) as (model, _):
        agent = build_agent(
            registry, model, os.fspath(project.root), allow=ALLOWED, capabilities=[ChangeJournal(journal.keeper)]
        )
        await run_turn(agent, "go", lambda _: None)
    assert tree(project.root)["a.txt"] == b"ALL\n"
    after = tree(project.root)
    assert outcomes(journal.undo(project.root)) == {"new.txt": Outcome.REMOVED, "a.txt": Outcome.RESTORED}
    assert tree(project.root) == before
    journal.redo(project.root)
    assert tree(project.root) == after


@pytest.mark.parametrize(
    "content",
    [b"a\r\nb\r\n", b"no end", b"", "ünï\n".encode(), b"\xff\xfe latin \xe9\n", b"\0binary"],
)
@pytest.mark.parametrize("name", ["plain.txt", "ünï 日本.txt", "sub/dir/x"])
async def test_a_file_that_was_written_over_comes_back_byte_for_byte(
    journal: Journal, work: Path, content: bytes, name: str
) -> None:
    (work / name).parent.mkdir(parents=True, exist_ok=True)
    (work / name).write_bytes(content)
    (work / name).chmod(0o755)
    before = tree(work)
    await turn(work, journal, write(name, "agent\n"))
    assert (work / name).read_bytes() == b"agent\n"
    assert journal.kinds() == [INTENT, DONE]
    journal.undo(work)
    assert tree(work) == before
    assert (work / name).stat().st_mode & 0o777 == 0o755


async def test_an_edit_of_several_places_is_taken_back(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"one\r\ntwo\r\nthree")
    places = [{"old_text": "one", "new_text": "1\r\n1"}, {"old_text": "1\r\n1", "new_text": "uno"}]
    await turn(work, journal, edit("a", replacements=[*places, {"old_text": "three", "new_text": "3\n"}]))
    assert (work / "a").read_bytes() == b"uno\r\ntwo\r\n3\n"
    (intent,) = intents(journal)
    assert journal.keeper.content(intent["intended"]) == b"uno\r\ntwo\r\n3\n"
    journal.undo(work)
    assert (work / "a").read_bytes() == b"one\r\ntwo\r\nthree"


async def test_parallel_calls_on_one_file_and_on_several_are_taken_back(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"one\ntwo\nthree\n")
    calls = [
        call("edit_file", f"e{n}", path="a", old_text=old, new_text=old.upper())
        for n, old in enumerate(["one", "two", "three"])
    ]
    calls += [call("write_file", f"w{n}", path=f"new{n}", content="x" * n) for n in range(5)]
    await turn(work, journal, Reply(tuple(calls)))
    assert (work / "a").read_bytes() == b"ONE\nTWO\nTHREE\n"
    (changes,) = changes_of(journal.notes)
    assert len(changes.files) == 8
    assert all(change.confirmed for change in changes.files)
    journal.undo(work)
    assert tree(work) == {"a": b"one\ntwo\nthree\n"}


async def test_a_change_is_confirmed_by_the_next_one_where_that_comes_first(
    journal: Journal, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"one\ntwo\n")
    both = threading.Event()

    def noted(kind: str, data: Mapping[str, object]) -> None:
        journal.note(kind, data)
        if journal.kinds().count(INTENT) == 2:
            both.set()

    def late(path: str, limit: int) -> FileState:
        both.wait(5)
        return state_at(path, limit)

    monkeypatch.setattr(change_journal, "state_at", late)
    calls = [call("edit_file", old, path="a", old_text=old, new_text=old.upper()) for old in ("one", "two")]
    async with scripted(Reply(tuple(calls)), DONE_REPLY) as (model, _):
        keeper = FolderKeeper(os.fspath(journal.base / "contents"), noted)
        await coder(model, work, ChangeJournal(keeper)).run("go")
    assert journal.kinds() == [INTENT, DONE, INTENT, DONE]
    (changes,) = changes_of(journal.notes)
    assert [change.confirmed for change in changes.files] == [True, True]
    journal.undo(work)
    assert (work / "a").read_bytes() == b"one\ntwo\n"


async def test_each_run_is_a_turn_of_its_own(journal: Journal, work: Path) -> None:
    await turn(work, journal, write("a", "1"))
    await turn(work, journal, write("a", "2"), write("b", "2"))
    journal.undo(work)
    assert tree(work) == {"a": b"1"}
    journal.undo(work)
    assert tree(work) == {}


async def test_folders_that_a_tool_made_go_where_they_are_empty(journal: Journal, work: Path) -> None:
    script = [
        Reply((call("create_directory", path="x/y/z"),)),
        write("x/y/z/a", "1"),
        Reply((call("create_directory", path="x/other"),)),
    ]
    async with scripted(*script, DONE_REPLY) as (model, _):
        capabilities = [LocalWorkspace(work), FileSystem[object](), ChangeJournal(journal.keeper)]
        await Agent(model, capabilities=capabilities).run("go")
    assert (work / "x" / "y" / "z" / "a").exists()
    (work / "x" / "other" / "mine").write_bytes(b"mine")
    journal.undo(work)
    assert tree(work) == {"x": None, "x/other": None, "x/other/mine": b"mine"}


async def test_changes_of_a_sub_agent_belong_to_the_turn_of_its_parent(journal: Journal, work: Path) -> None:
    def respond(request: WireRequest) -> Reply | Failure:
        messages: Any = request.body["messages"]
        texts = [text_of(message) for message in messages]
        done = sum(message["role"] == "tool" for message in messages)
        if any("write the file" in said for said in texts if said) and messages[-1]["role"] == "user":
            return write("by-child", "child\n")
        if "parent, go" in "".join(texts) and done == 0:
            return Reply((call("delegate_task", agent_name="self", task="write the file"),))
        if "parent, go" in "".join(texts) and done == 1:
            return write("by-parent", "parent\n", "c2")
        return DONE_REPLY

    async with answering(respond) as (model, server):
        agent = coder(model, work, ChangeJournal(journal.keeper), sub_agents=True)
        result = await agent.run("parent, go")
        assert tree(work) == {"by-child": b"child\n", "by-parent": b"parent\n"}, bodies(server)[-1]
    (changes,) = changes_of(journal.notes)
    assert changes.turn == result.run_id
    assert len(changes.files) == 2
    journal.undo(work)
    assert tree(work) == {}


class Refuses(AbstractCapability[Any]):
    """Consents to no change."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.meanwhile = meanwhile

    @on_event(FileChangeRequestEvent)
    async def _refuse(self, ctx: Any, event: FileChangeRequestEvent) -> None:
        del ctx
        self.meanwhile()
        event.cancel("no consent")


async def test_a_change_that_a_listener_cancels_is_not_recorded(journal: Journal, work: Path) -> None:
    # S-12
    requests = await turn(work, journal, write("a", "1"), more=[Refuses()])
    assert "no consent" in last_text(requests[-1])
    assert journal.notes == []


async def test_a_change_that_is_cancelled_after_it_was_recorded_did_not_happen(journal: Journal, work: Path) -> None:
    # S-12
    class Late(Refuses):
        get_ordering = ChangeJournal.get_ordering

    (work / "a").write_bytes(b"old")
    late = Late(meanwhile=lambda: (work / "a").write_bytes(b"user"))
    async with scripted(write("a", "1"), DONE_REPLY) as (model, _):
        await coder(model, work, ChangeJournal(journal.keeper), late).run("go")
    assert [dict(data)["happened"] for kind, data in journal.notes if kind == DONE] == [False]
    assert changes_of(journal.notes)[0].files == ()
    journal.undo(work)
    assert tree(work) == {"a": b"user"}


async def test_a_call_that_fails_leaves_nothing_to_undo(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old old")
    await turn(
        work,
        journal,
        edit("a", old_text="old", new_text="new"),
        edit("missing", old_text="a", new_text="b"),
        write("no/such/folder", "x"),
        edit("a", old_text="old old", new_text="old old"),
    )
    assert all(not change.files for change in changes_of(journal.notes))
    assert tree(work) == {"a": b"old old"}


async def test_a_link_is_undone_at_the_file_that_it_names(journal: Journal, work: Path) -> None:
    (work / "real").write_bytes(b"old")
    (work / "link").symlink_to("real")
    await turn(work, journal, write("link", "new"))
    assert (work / "real").read_bytes() == b"new"
    assert [(intent["path"], intent["link"]) for intent in intents(journal)] == [("real", "link")]
    journal.undo(work)
    assert (work / "link").is_symlink()
    assert (work / "real").read_bytes() == b"old"


async def test_a_file_above_the_limit_is_changed_and_announced_as_not_undoable(journal: Journal, work: Path) -> None:
    (work / "large").write_bytes(b"x" * 101)
    (work / "small").write_bytes(b"x" * 100)
    heard: list[ChangeNotUndoableEvent] = []

    class Hears(AbstractCapability[Any]):
        @on_event(ChangeNotUndoableEvent)
        async def _hear(self, ctx: Any, event: ChangeNotUndoableEvent) -> None:
            del ctx
            heard.append(event)

    await turn(work, journal, write("large", "1"), write("small", "1"), limit=100, more=[Hears()])
    assert [(event.path, event.reason) for event in heard] == [("large", "it is larger than 100 bytes")]
    report = journal.undo(work)
    assert outcomes(report) == {"large": Outcome.LEFT_LOST, "small": Outcome.RESTORED}
    assert "larger than 100 bytes" in report.text
    assert (work / "large").read_bytes() == b"1"


async def test_where_the_copy_cannot_be_kept_the_change_is_refused_and_the_model_told(
    journal: Journal, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: FolderKeeper, content: bytes) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(FolderKeeper, "blob", full)
    (work / "a").write_bytes(b"old")
    requests = await turn(work, journal, write("a", "new"))
    assert "No space left on device" in last_text(requests[-1])
    assert tree(work) == {"a": b"old"}
    assert journal.notes == []


async def test_a_write_that_a_full_disk_cuts_short_is_taken_back(
    journal: Journal, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old content\n")
    write_bytes = Path.write_bytes

    def cut_short(self: Path, data: bytes) -> int:
        write_bytes(self, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", cut_short)
    with pytest.raises(OSError, match="No space left"):
        await turn(work, journal, write("a", "what the agent wrote\n"))
    monkeypatch.undo()
    assert (work / "a").read_bytes() == b"what the a"
    assert journal.kinds() == [INTENT, DONE]
    journal.undo(work)
    assert tree(work) == {"a": b"old content\n"}


async def test_what_the_user_wrote_while_the_turn_went_on_is_kept(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"1\n2\n3\n4\n5\n")

    def respond(request: WireRequest) -> Reply | Failure:
        messages: Any = request.body["messages"]
        if messages[-1]["role"] == "user":
            return edit("a", old_text="1\n", new_text="one\n")
        if len(messages) < 6:
            (work / "a").write_bytes((work / "a").read_bytes() + b"mine\n")
            return edit("a", old_text="3\n", new_text="three\n")
        return DONE_REPLY

    async with answering(respond) as (model, _):
        await coder(model, work, ChangeJournal(journal.keeper)).run("go")
    assert (work / "a").read_bytes().startswith(b"one\n2\nthree\n")
    journal.undo(work)
    assert (work / "a").read_bytes().startswith(b"1\n2\n3\n4\n5\nmine\n")


async def test_what_the_shell_changes_is_not_covered(journal: Journal, work: Path) -> None:
    await turn(work, journal, Reply((call("shell", command="echo x > by-shell"),)))
    assert (work / "by-shell").read_bytes() == b"x\n"
    assert journal.notes == []


SCRIPT = [write("a", "1111"), write("new", "nnnn"), edit("b", old_text="two", new_text="2222")]


def run_agent(work: Path, keeper: FolderKeeper) -> None:
    """A run over SCRIPT, in a process that may be killed."""

    async def go() -> None:
        async with scripted(*SCRIPT, DONE_REPLY) as (model, _):
            await coder(model, work, ChangeJournal(keeper)).run("go")

    asyncio.run(go())


@pytest.fixture
def before(work: Path) -> dict[str, bytes | None]:
    """What SCRIPT changes, as it is before."""
    (work / "a").write_bytes(b"one\r\n\xff")
    (work / "b").write_bytes(b"two")
    (work / "b").chmod(0o755)
    return tree(work)


@pytest.mark.parametrize("moment", ["before the intent", "after the intent", "before the outcome", "after the outcome"])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_an_agent_that_is_killed_around_a_change_leaves_what_can_be_undone(
    journal: Journal, work: Path, before: dict[str, bytes | None], moment: str, nth: int
) -> None:
    # S-13
    kind = INTENT if "intent" in moment else DONE
    count = 0

    def dying(of: str, data: Mapping[str, object]) -> None:
        nonlocal count
        count += of == kind
        if of == kind and count == nth and moment.startswith("before"):
            die()
        journal.note(of, data)
        if of == kind and count == nth:
            die()

    assert killed(lambda: run_agent(work, FolderKeeper(os.fspath(journal.base / "contents"), dying)))
    if journal.notes:
        assert journal.undo(work).ended
    assert tree(work) == before


@pytest.mark.parametrize("written", [0, 2, 4])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_an_agent_that_is_killed_while_it_writes_leaves_what_can_be_undone(
    journal: Journal, work: Path, before: dict[str, bytes | None], written: int, nth: int
) -> None:
    # S-13
    def run() -> None:
        write_bytes, count = Path.write_bytes, 0

        def cut_short(self: Path, data: bytes) -> int:
            nonlocal count
            count += 1
            write_bytes(self, data[:written] if count == nth else data)
            if count == nth:
                die()
            return len(data)

        Path.write_bytes = cut_short
        run_agent(work, journal.keeper)

    assert killed(run)
    assert tree(work) != before
    assert journal.undo(work).ended
    assert tree(work) == before


@pytest.mark.parametrize("seed", range(20))
def test_an_agent_that_is_killed_anywhere_leaves_what_can_be_undone(
    journal: Journal, work: Path, before: dict[str, bytes | None], seed: int
) -> None:
    # S-13
    def run() -> None:
        die_at(random.Random(seed).randint(0, 80))
        run_agent(work, journal.keeper)

    killed(run)
    if journal.notes:
        assert journal.undo(work).ended
    assert tree(work) == before
    assert (work / "b").stat().st_mode & 0o777 == 0o755


async def test_a_run_that_is_cancelled_while_it_writes_can_be_undone(
    journal: Journal, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old\n")
    writing, go_on, written = threading.Event(), threading.Event(), threading.Event()
    write_bytes = Path.write_bytes

    def slow(self: Path, data: bytes) -> int:
        writing.set()
        go_on.wait(5)
        count = write_bytes(self, data)
        written.set()
        return count

    monkeypatch.setattr(Path, "write_bytes", slow)
    task = asyncio.create_task(turn(work, journal, write("a", "new\n")))
    await asyncio.to_thread(writing.wait, 5)
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(written.wait, 5)
    monkeypatch.undo()
    assert (work / "a").read_bytes() == b"new\n"
    journal.undo(work)
    assert (work / "a").read_bytes() == b"old\n"


async def test_a_change_for_which_there_is_no_consent_is_not_recorded(project: Project, journal: Journal) -> None:
    # S-12
    registry = project({"a.txt": "one\n"})
    folder = os.fspath(project.root)
    script = [write(".xcsh/settings.toml", "[consent]\n"), write("b.txt", "two\n")]
    (project.root / ".xcsh").mkdir()
    async with scripted(*script, DONE_REPLY) as (model, server):
        capabilities = [ChangeJournal(journal.keeper)]
        await run_turn(build_agent(registry, model, folder, allow=ALLOWED, capabilities=capabilities), "go", print)
        assert "nobody is here to consent" in last_text(bodies(server)[1])
    assert [intent["path"] for intent in intents(journal)] == ["b.txt"]
