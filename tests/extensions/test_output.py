"""Standard output belongs to the program: what extensions print does not reach it (U-2)."""
# ruff: noqa: T201 - printing is the subject

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading

import pytest
from tests.extensions.conftest import Loader

from xcsh.extensions.custom import run_custom_command
from xcsh.extensions.output import diverted, owned_output


@pytest.mark.parametrize("keyword", ["def", "async def"])
async def test_what_a_handler_prints_goes_to_standard_error(
    load: Loader, capfd: pytest.CaptureFixture[str], keyword: str
) -> None:
    source = f"import sys\n{keyword} run(context, args):\n    print('printed')\n    sys.stdout.write('written\\n')\n"
    (command,) = load({".xcsh/commands/a.py": source}).customs.commands
    await run_custom_command(command, load.context(), [])
    print("ours")
    assert capfd.readouterr() == ("ours\n", "printed\nwritten\n")


async def test_what_is_said_may_be_printed_to_standard_output(load: Loader, capfd: pytest.CaptureFixture[str]) -> None:
    (command,) = load({".xcsh/commands/a.py": "async def run(c, args): c.say('said')\n"}).customs.commands
    await run_custom_command(command, load.context()._replace(say=print), [])
    assert capfd.readouterr() == ("said\n", "")


async def test_other_tasks_and_threads_keep_standard_output_meanwhile(capfd: pytest.CaptureFixture[str]) -> None:
    inside, done = asyncio.Event(), asyncio.Event()

    async def handler() -> None:
        with diverted():
            inside.set()
            await done.wait()
            print("handler")

    task = asyncio.create_task(handler())
    await inside.wait()
    print("other task")
    thread = threading.Thread(target=print, args=("other thread",))
    thread.start()
    thread.join()
    done.set()
    await task
    assert capfd.readouterr() == ("other task\nother thread\n", "handler\n")


def test_standard_output_is_the_same_object_afterwards() -> None:
    before = sys.stdout
    with pytest.raises(ZeroDivisionError), diverted(), diverted():
        raise ZeroDivisionError
    assert sys.stdout is before


def test_owned_output_is_the_callers_alone_down_to_child_processes(capfd: pytest.CaptureFixture[str]) -> None:
    print("before")
    with owned_output() as out:
        print("data", file=out)
        print("stray")
        os.write(1, b"raw\n")
        subprocess.run(["echo", "child"], check=True)
        thread = threading.Thread(target=print, args=("thread",))
        thread.start()
        thread.join()
    print("after")
    out_text, err_text = capfd.readouterr()
    assert out_text == "before\ndata\nafter\n"
    assert sorted(err_text.split()) == ["child", "raw", "stray", "thread"]


def test_owned_output_gives_everything_back_after_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    with pytest.raises(ZeroDivisionError), owned_output() as out:  # noqa: PT012
        print("data", file=out)
        raise ZeroDivisionError
    assert sys.stdout is before
    os.write(1, b"raw\n")
    assert capfd.readouterr().out == "data\nraw\n"


def test_owned_output_works_where_standard_output_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    with owned_output() as out:
        print("data", file=out)
        print("stray")
    assert capsys.readouterr() == ("data\n", "stray\n")


# U-1, U-2: a reader that goes away is no error
def test_a_reader_that_goes_away_is_told_of_as_always() -> None:
    code = (
        "from xcsh.extensions.output import owned_output\n"
        "import sys\n"
        "try:\n"
        "    with owned_output() as out:\n"
        "        for _ in range(100_000): print('data', file=out)\n"
        "except BrokenPipeError:\n"
        "    print('told', file=sys.stderr)\n"
    )
    done = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "$0" | head -c 1', code], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("d", "told\n")
