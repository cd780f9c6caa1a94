"""A program with extensions in it, as a process: it ends when it should, and with its own exit code."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from tests.extensions.conftest import Loader

from xcsh.sources.trust.deciding import trust

PROGRAM = """
import os, sys
from xcsh.extensions.files import read_code
from xcsh.extensions.loading import load_extensions
from xcsh.sources.filesystem import make_environment
found = []
code = read_code(make_environment(os.getcwd(), os.environ["HOME"]), found.append)
extensions = load_extensions(code, found.append, seconds=0.5)
print(*(command.name for command in extensions.commands), *(item.code for item in found))
sys.exit(5)
"""
SOUND = "def register(extension):\n    extension.command('sound')(print)\n"
MISBEHAVING = {
    "sleeps": "import time\ntime.sleep(60)",
    "waits": "import threading\nthreading.Event().wait()",
    "loops": "while True: pass",
    "loops and prints": "while True: print('again')",
    "catches everything": "while True:\n  try:\n    import time\n    time.sleep(0.01)\n  except BaseException: pass",
    "leaves a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\ntime.sleep(60)",
    "reads the descriptor of standard input": "import os\nos.read(0, 1)",
    "waits for a pipe": "import os\nos.read(os.pipe()[0], 1)",
}


def run(load: Loader, source: str) -> subprocess.CompletedProcess[str]:
    load.project.write({".xcsh/extensions/a.py": source, ".xcsh/extensions/b.py": SOUND})
    trust(load.environment)
    stdin, kept = os.pipe()
    env = {**os.environ, "HOME": str(load.project.home)}
    try:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=load.project.root, env=env, stdin=stdin, capture_output=True,
            text=True, check=False, timeout=55,
        )  # fmt: skip
    finally:
        os.close(stdin)
        os.close(kept)


# issue text: "hangs at import (bounded)"
@pytest.mark.parametrize("source", MISBEHAVING.values(), ids=MISBEHAVING)
def test_a_program_goes_on_past_what_hangs_and_can_exit(load: Loader, source: str) -> None:
    started = time.monotonic()
    done = run(load, source)
    assert (done.stdout, done.returncode) == ("sound extension-hangs\n", 5)
    assert time.monotonic() - started < 50
    assert "Fatal" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("source", ["raise SystemExit(0)", "import sys\nsys.exit(0)", "raise KeyboardInterrupt"])
def test_what_ends_programs_does_not_end_ours(load: Loader, source: str) -> None:
    done = run(load, source)
    assert (done.stdout, done.stderr, done.returncode) == ("sound extension-failed\n", "", 5)


# U-4: the same modules serve `xcsh commands` and `xcsh explain`
@pytest.mark.parametrize("module", ["xcsh.extensions.custom", "xcsh.session.prompt_pipeline", "xcsh.cli.verbs.trust"])
def test_what_light_verbs_import_is_light(load: Loader, module: str) -> None:
    code = (
        f"import sys, {module}\n"
        "from xcsh.extensions.custom import list_custom_commands\n"
        "from xcsh.extensions.files import read_code\n"
        "from xcsh.sources.filesystem import make_environment\n"
        f"code = read_code(make_environment({str(load.project.root)!r}, {str(load.project.home)!r}), print)\n"
        "assert list_custom_commands(code, print).commands\n"
        "print(*sys.modules)"
    )
    load.project.write({".xcsh/commands/a.py": "description = 'x'"})
    trust(load.environment)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    denied = {"asyncio", "dataclasses", "logging", "importlib.metadata", "inspect", "pathlib", "pydantic_ai"}
    assert not denied & set(done.stdout.split())


def test_standard_input_is_at_its_end_for_an_extension(load: Loader) -> None:
    for source in ("input()", "import sys\nif sys.stdin.read() == '' and not sys.stdin.isatty(): raise EOFError"):
        done = run(load, source)
        assert (done.stdout, done.stderr, done.returncode) == ("sound extension-failed\n", "", 5)
