"""What handlers do to the program that runs them, as a process: one line, the right exit code, and soon."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from tests.extensions.conftest import Loader
from tests.warm import WarmPrograms

from xcsh.sources.trust.deciding import trust

HEAD = "import asyncio, os, subprocess, sys, threading, time\n"
IMPORTS = ("xcsh.cli.main", "xcsh.cli.calls", "xcsh.cli.verbs.print_turn", "xcsh.extensions.running")


def trusted(load: Loader, source: str) -> dict[str, str]:
    """The environment of a program in the project, which has the source as its command `/a`."""
    load.project.write({".xcsh/commands/a.py": HEAD + source})
    trust(load.environment)
    return {**os.environ, "HOME": str(load.project.home)}


def run(load: Loader, warm: WarmPrograms, source: str) -> tuple[str, str, int]:
    """What `xcsh -p /a` writes to each stream, and its exit code."""
    env = trusted(load, source)
    started = time.monotonic()
    program = warm.start(
        "-m", "xcsh", "-p", "/a", env=env, cwd=load.project.root, imports=IMPORTS, stdin=subprocess.PIPE
    )
    done = program.ended()
    assert time.monotonic() - started < 45
    return done.stdout, done.stderr, done.returncode


def run_in_shell(load: Loader, source: str, shell: str) -> tuple[str, str, int]:
    """As `run`, in a process that nothing was loaded for, `"$0"`."""
    env = trusted(load, source)
    started = time.monotonic()
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shell}", sys.executable],
        cwd=load.project.root, env=env, input="", capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert time.monotonic() - started < 45
    return done.stdout, done.stderr, done.returncode


SUBTASK = "async def sub(): raise {0}\nasync def run(c, a):\n    {1}\n    await asyncio.sleep(0.1)"
FAILING = {
    "system exit in a thread": "def run(c, a): raise SystemExit(0)",
    "system exit": "async def run(c, a): raise SystemExit(0)",
    "generator exit": "async def run(c, a): raise GeneratorExit",
    "generator exit in a thread": "def run(c, a): raise GeneratorExit",
    "interrupt": "async def run(c, a): raise KeyboardInterrupt",
    "cancelled": "async def run(c, a): raise asyncio.CancelledError",
    "cancels itself": "async def run(c, a):\n    asyncio.current_task().cancel()\n    await asyncio.sleep(1)",
    "cancelled in a thread": "def run(c, a): raise asyncio.CancelledError",
    "awaited task exits": SUBTASK.format("SystemExit(0)", "await asyncio.create_task(sub())"),
    "task exits": SUBTASK.format("SystemExit(0)", "asyncio.create_task(sub())"),
    "task ends generators": SUBTASK.format("GeneratorExit", "asyncio.create_task(sub())"),
    "task fails": SUBTASK.format("ValueError", "asyncio.create_task(sub())"),
    "awaited task is cancelled": SUBTASK.format("asyncio.CancelledError", "await asyncio.create_task(sub())"),
    "getattr exits": "def __getattr__(name): raise SystemExit(0)",
    "getattr ends generators": "def __getattr__(name): raise GeneratorExit",
    "text exits": "class E(Exception):\n    def __str__(self): raise SystemExit(0)\ndef run(c, a): raise E",
    "text is cancelled": "class E(Exception):\n    def __str__(self): raise asyncio.CancelledError\ndef run(c, a): raise E",
    "text hangs": "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef run(c, a): raise E",
    "odd syntax error": "def run(c, a): raise SyntaxError('x', (5, 'a', [], 7))",
    "odd lines": "def run(c, a): raise SyntaxError('x', (__file__, 'a', 'b', 'c'))",
    "stops the loop": "async def run(c, a):\n    asyncio.get_running_loop().stop()\n    await asyncio.sleep(0.1)",
    "says no text": "def run(c, a): c.say(5)",
    "says no text, async": "async def run(c, a): c.say(None)",
    "returns an odd object": "class X:\n    @property\n    def __class__(self): raise SystemExit\ndef run(c, a): return X()",
    "sets standard error to nothing": "def run(c, a):\n    sys.stderr = sys.stdout = None\n    1 / 0",
    "closes its streams": "def run(c, a):\n    sys.stdout.close()\n    sys.stderr.buffer.close()\n    sys.stderr.close()\n    1 / 0",
    "closes its streams, async": "async def run(c, a):\n    sys.stdout.close()\n    sys.stderr.close()\n    1 / 0",
    "closes the first standard output": "def run(c, a):\n    sys.__stdout__.close()\n    1 / 0",
    "a thread closes them": (
        "def close():\n    sys.stdout.close()\n    sys.stderr.close()\n"
        "def run(c, a):\n    t = threading.Thread(target=close)\n    t.start()\n    t.join()\n    1 / 0"
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", FAILING.values(), ids=FAILING)
def test_a_failure_of_whatever_kind_is_one_line_and_exit_code_1(load: Loader, warm: WarmPrograms, source: str) -> None:
    out, err, code = run(load, warm, source)
    assert (out, code) == ("", 1), err
    first, second = err.splitlines()
    assert first.startswith("xcsh: ")
    assert "`/a` failed: " in first
    assert second == "  mend the command; nothing was sent"


def test_a_text_of_an_odd_class_is_a_plain_text(load: Loader, warm: WarmPrograms) -> None:
    source = (
        "class T(str):\n    def __str__(self): raise SystemExit\n    def endswith(self, *a): raise SystemExit\n"
        "def run(c, a): c.say(T('said'))\n"
    )
    assert run(load, warm, source) == ("said\n", "", 0)


LEAVING = {
    "a thread": "async def run(c, a):\n    threading.Thread(target=time.sleep, args=(50,)).start()\n    c.say('said')",
    "a deaf task": (
        "async def deaf():\n    while True:\n        try: await asyncio.sleep(0.01)\n"
        "        except asyncio.CancelledError: pass\n"
        "async def run(c, a):\n    asyncio.create_task(deaf())\n    await asyncio.sleep(0.05)\n    c.say('said')"
    ),
    "a task that blocks": (
        "async def deaf():\n    try: await asyncio.sleep(9)\n    finally: time.sleep(50)\n"
        "async def run(c, a):\n    asyncio.create_task(deaf())\n    await asyncio.sleep(0.05)\n    c.say('said')"
    ),
    "a deaf generator": (
        "async def deaf():\n    try: yield\n    finally: await asyncio.sleep(50)\n"
        "kept = deaf()\n"
        "async def run(c, a):\n    await anext(kept)\n    c.say('said')"
    ),
    "a child": "async def run(c, a):\n    subprocess.Popen(['sleep', '1'])\n    c.say('said')",
}


@pytest.mark.parametrize("source", LEAVING.values(), ids=LEAVING)
def test_the_program_ends_whatever_a_handler_leaves_behind(load: Loader, warm: WarmPrograms, source: str) -> None:
    assert run(load, warm, source) == ("said\n", "", 0)


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_what_cannot_be_written_is_an_error_and_a_reader_that_goes_is_none(load: Loader, keyword: str) -> None:
    source = f"{keyword} run(c, a):\n    for _ in range(20_000): c.say('said')"
    out, err, code = run_in_shell(load, source, '"$0" -m xcsh -p /a >/dev/full')
    assert (out, code) == ("", 1)
    assert err.startswith("xcsh: the output could not be written: No space left on device\n")
    assert len(err.splitlines()) == 2
    assert run_in_shell(load, source, '"$0" -m xcsh -p /a | head -n 1') == ("said\n", "", 0)


def test_what_is_said_after_the_end_is_shown_while_the_program_runs(load: Loader, warm: WarmPrograms) -> None:
    source = (
        "ending, spoken = threading.Event(), threading.Event()\n"
        "def late(c):\n    ending.wait(60)\n    c.say('late')\n    spoken.set()\n"
        "async def deaf():\n    try: await asyncio.sleep(9)\n    finally:\n        ending.set()\n        spoken.wait(60)\n"
        "async def run(c, a):\n    threading.Thread(target=late, args=(c,)).start()\n"
        "    asyncio.create_task(deaf())\n    await asyncio.sleep(0.05)\n    c.say('said')\n"
    )
    assert run(load, warm, source) == ("said\nlate\n", "", 0)


@pytest.mark.parametrize("read", ["subprocess.run(['cat'])", "os.read(0, 100)", "sys.stdin.read()"])
@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_standard_input_is_the_programs(load: Loader, keyword: str, read: str) -> None:
    program = (
        "import sys\nfrom xcsh.extensions.output import owned_output\n"
        "from xcsh.extensions.running import call_handler\nimport asyncio, os, subprocess\n"
        f"{keyword} run(context, args):\n    {read}\n"
        "from xcsh.extensions.registration import CommandContext\n"
        "with owned_output() as out:\n"
        "    outcome = asyncio.run(call_handler(run, CommandContext('', '', None, print), ''))\n"
        "    print(outcome, sys.stdin.isatty(), sys.stdin.buffer.read(), file=out)\n"
        "print(sys.stdin is sys.__stdin__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"piped", capture_output=True, check=False, timeout=60)
    assert done.stdout.endswith(b"False b'piped'\nTrue\n"), done
    assert b"error=None" in done.stdout


def test_what_goes_on_after_it_was_given_up_is_not_heard_any_more(load: Loader) -> None:
    program = (
        "import time\nfrom xcsh.extensions.running import call_bounded\n"
        "def loop():\n    while True:\n        try:\n            print('again')\n            time.sleep(0.001)\n"
        "        except BaseException: pass\n"
        "call_bounded(loop, 0.1)\nimport os, sys\n"
        "time.sleep(0.1)\nprint('MARK', file=sys.stderr)\ntime.sleep(0.3)\nsys.stderr.flush()\nos._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr.endswith("MARK\n")
    assert "again" in done.stderr
