"""Fixtures that keep every test away from the real home, working folder and environment."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.support import Project
from tests.warm import WarmPrograms

settings.register_profile(
    "suite",
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job: every child would ignore it too
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # what the collection of the tests makes stays: looking through it again and again took a fifth of the time


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a fifth of the time of a test it waits for another process, or a timer."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """From here on there is garbage; what was loaded and collected so far is none and is not looked at."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Home, working folder and environment of the test's own."""
    home = tmp_path / "home-of-the-process"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in list(os.environ):
        if name.startswith(("XCSH_", "XDG_", "GIT_")) or name.endswith("_API_KEY") or name == "NO_COLOR":
            monkeypatch.delenv(name)
    # No authority is trusted: nothing here speaks TLS, and loading the machine's takes 40 ms for each client.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(home))
    monkeypatch.chdir(home)


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmPrograms]:
    """Starts programs that need the heavy packages, without loading those for each."""
    programs = WarmPrograms()
    yield programs
    programs.close()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project beside an empty home; called with a tree it writes it and returns what discovery finds."""
    return Project(tmp_path / "discovery")


@pytest.fixture(params=[False, True], ids=["default", "reference"])
def reference(request: pytest.FixtureRequest) -> bool:
    """Both modes, one after the other."""
    return bool(request.param)
