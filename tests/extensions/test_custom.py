"""Custom commands: listed without running, run as they were listed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.extensions.conftest import Loader
from tests.llm.wire_models import until

from xcsh.extensions.custom import CustomCommand, run_custom_command
from xcsh.model.diagnostic import Position

NAME = ".xcsh/commands/standup.py"


def only(load: Loader, source: str) -> CustomCommand:
    (command,) = load({NAME: source}).customs.commands
    return command


def test_listing_reads_name_description_and_hint_and_runs_nothing(load: Loader, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    source = f"""
description = "Writes the " "stand-up"
argument_hint: str = "[day]"
open({str(ran)!r}, "w").close()
def run(context, args): ...
"""
    command = only(load, source)
    assert (command.name, command.description, command.argument_hint) == ("standup", "Writes the stand-up", "[day]")
    assert (command.level, command.path) == ("project", str(load.project.path(NAME)))
    assert not ran.exists()


@pytest.mark.parametrize(
    "source",
    [
        "description = open('/etc/passwd').read()",
        "description = f'{1 / 0}'",
        "description = 5",
        "description = b'bytes'",
        "def run(context, args):\n    description = 'inner'",
        "",
        "'''A docstring.'''",
        "import os\nos.description = 'x'",
        "description: str",
    ],
)
def test_a_description_that_is_no_literal_of_the_module_is_none(load: Loader, source: str) -> None:
    assert only(load, source).description == ""
    assert only(load, source).argument_hint is None


def test_the_last_literal_counts_as_it_would_when_run(load: Loader) -> None:
    assert only(load, "description = 'one'\ndescription = title = 'two'\n").description == "two"


def test_the_projects_command_shadows_the_users(load: Loader) -> None:
    tree = {NAME: "", "~/.xcsh/agent/commands/standup.py": "", "~/.xcsh/agent/commands/other.py": ""}
    customs = load(tree).customs
    assert [(each.name, each.level) for each in customs.commands] == [("standup", "project"), ("other", "user")]
    assert [(each.name, each.level) for each in customs.shadowed] == [("standup", "user")]


@pytest.mark.parametrize("source", [b"def run(:\n", b"\0", b"# coding: nonsense\n", b"\xff", b"(" * 50_000])
def test_a_file_that_is_no_python_is_skipped_with_a_finding_and_the_others_are_listed(
    load: Loader, source: bytes
) -> None:
    loaded = load({NAME: source, ".xcsh/commands/sound.py": ""})
    assert [command.name for command in loaded.customs.commands] == ["sound"]
    assert [item.reason for item in loaded.customs.skipped] == ["failed"]
    assert loaded.finding("extension-failed").path == str(load.project.path(NAME))


def test_a_syntax_error_has_its_place(load: Loader) -> None:
    finding = load({NAME: "x = 1\nx = = 1\n"}).finding("extension-failed")
    assert (finding.position, finding.message) == (
        Position(2, 5),
        "the command 'standup' failed: SyntaxError: invalid syntax",
    )


def test_names_that_cannot_be_typed_or_are_built_in_are_findings(load: Loader) -> None:
    loaded = load({".xcsh/commands/two words.py": "", ".xcsh/commands/help.py": ""})
    assert [item.code for item in loaded.diagnostics] == ["shadowed-by-builtin", "unreachable-command"]
    assert len(loaded.customs.commands) == 2


@pytest.mark.parametrize("keyword", ["def", "async def"])
async def test_a_command_gets_its_arguments_and_returns_a_text_or_nothing(load: Loader, keyword: str) -> None:
    command = only(load, f"{keyword} run(context, args):\n    return '|'.join(args) if args else None\n")
    context = load.context()
    assert (await run_custom_command(command, context, ["a b", "", "$1"])).value == "a b||$1"
    assert (await run_custom_command(command, context, [])).value is None


async def test_a_command_runs_as_it_was_listed_whatever_the_file_holds_by_then(load: Loader) -> None:
    command = only(load, "def run(context, args): return 'listed'")
    load.project.write({NAME: "def run(context, args): return 'exchanged'"})
    assert (await run_custom_command(command, load.context(), [])).value == "listed"


async def test_every_call_starts_from_a_fresh_module(load: Loader) -> None:
    command = only(load, "calls = []\ndef run(context, args):\n    calls.append(1)\n    return str(len(calls))\n")
    context = load.context()
    assert [(await run_custom_command(command, context, [])).value for _ in range(2)] == ["1", "1"]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("1 / 0", "division by zero"),
        ("def run(context, args): 1 / 0", "division by zero"),
        ("async def run(context, args): 1 / 0", "division by zero"),
        ("def run(context, args): raise SystemExit(3)", "3"),
        ("async def run(context, args): raise SystemExit(3)", "3"),
        ("def run(context, args): raise KeyboardInterrupt('no')", "no"),
        ("def run(context, args): raise StopIteration('no')", "no"),
        ("def run(context, args): return 5", "`run` returned int instead of a text or None"),
        ("async def run(context, args): return ['x']", "`run` returned list instead of a text or None"),
        ("def run(): ...", "takes 0 positional arguments but 2 were given"),
        ("async def run(): ...", "takes 0 positional arguments but 2 were given"),
        ("", "it defines no function `run(context, args)`"),
        ("import time; time.sleep(2)", "it did not end within 0.2 s"),
        ("while True: pass", "it did not end within 0.2 s"),
    ],
)
async def test_whatever_a_command_does_is_an_outcome(load: Loader, source: str, error: str) -> None:
    seconds = 0.2 if "within" in error else 30
    outcome = await run_custom_command(only(load, source), load.context(), [], seconds=seconds)
    assert outcome.value is None
    assert error in str(outcome.error)


async def test_the_bound_on_the_import_is_none_on_the_command_itself(load: Loader) -> None:
    command = only(load, "import time\ndef run(context, args):\n    time.sleep(0.6)\n    return 'done'\n")
    assert (await run_custom_command(command, load.context(), [], seconds=0.5)).value == "done"


@pytest.mark.parametrize(
    "wait",
    ["def run(c, a):\n    {0}\n    time.sleep(60)", "async def run(c, a):\n    {0}\n    await asyncio.sleep(60)"],
)
async def test_cancelling_the_caller_does_not_wait_for_the_command(load: Loader, wait: str) -> None:
    command = only(load, "import asyncio, time\n" + wait.format("c.say('begun')"))
    said: list[str] = []
    task = asyncio.create_task(run_custom_command(command, load.context(said), []))
    await until(lambda: said == ["begun"])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(30):
            await task


async def test_cancelling_the_caller_ends_an_async_command(load: Loader, tmp_path: Path) -> None:
    mark = tmp_path / "ended"
    source = f"""
import asyncio
async def run(context, args):
    try:
        context.say("begun")
        await asyncio.sleep(60)
    finally:
        open({str(mark)!r}, "w").close()
"""
    said: list[str] = []
    task = asyncio.create_task(run_custom_command(only(load, source), load.context(said), []))
    await until(lambda: said == ["begun"])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(mark.exists)  # a thread of the handler writes it


async def test_a_command_that_cancels_itself_is_a_failed_one(load: Loader) -> None:
    command = only(load, "import asyncio\nasync def run(context, args): raise asyncio.CancelledError\n")
    outcome = await run_custom_command(command, load.context(), [])
    assert isinstance(outcome.error, asyncio.CancelledError)


@pytest.mark.parametrize("keyword", ["def", "async def"])
async def test_what_a_command_says_is_heard_before_it_has_ended_in_order(load: Loader, keyword: str) -> None:
    said: list[str] = []
    command = only(load, f"{keyword} run(context, args):\n    context.say('one')\n    context.say('two')\n")
    await run_custom_command(command, load.context(said), [])
    assert said == ["one", "two"]


async def test_a_command_in_a_thread_does_not_hold_up_the_event_loop(load: Loader, tmp_path: Path) -> None:
    mark = tmp_path / "goes on"
    source = f"""
import os, time
def run(context, args):
    context.say("waits")
    for _ in range(3_000):
        if os.path.exists({str(mark)!r}):
            return "seen"
        time.sleep(0.01)
"""
    said: list[str] = []

    async def other() -> None:
        await until(lambda: said == ["waits"])
        mark.touch()

    task = asyncio.create_task(other())
    assert (await run_custom_command(only(load, source), load.context(said), [])).value == "seen"
    await task
