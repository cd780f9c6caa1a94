"""Files that change while a session is open: what is watched, and when somebody is told (C-32)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest
from tests.llm.wire_models import until
from tests.support import Project

from xcsh.model.source import Level, Root, Source
from xcsh.providers.cline import CLINE
from xcsh.session.watching import fingerprint, watch, watched_by


@asynccontextmanager
async def watching(project: Project) -> AsyncGenerator[list[int]]:
    """The changes so far: how many rules and commands there were after each."""
    found: list[int] = []
    registries = [project.discover()]

    async def on_change() -> None:
        registries.append(project.discover())
        own = [each for each in registries[-1].commands.active if each.command.origin.level != Level.NATIVE]
        found.append(len(registries[-1].active) + len(own))

    task = asyncio.create_task(watch(lambda: registries[-1], on_change))
    try:
        yield found
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_changes_additions_and_removals_are_noticed_also_in_folders_that_were_not_there(project: Project) -> None:
    # C-32
    project.write({".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nA"})
    async with watching(project) as found:
        project.write({".xcsh/rules/b.md": "---\nalwaysApply: true\n---\nB"})
        await until(lambda: found[-1:] == [2])
        project.write({".claude/commands/deep/er/x.md": "X"})
        await until(lambda: found[-1:] == [3])
        project.write({"~/.xcsh/agent/commands/y.md": "Y"})
        await until(lambda: found[-1:] == [4])
        os.unlink(project.path(".xcsh/rules/a.md"))
        await until(lambda: found[-1:] == [3])
        os.replace(project.path(".xcsh/rules/b.md"), project.path(".xcsh/rules/c.md"))
        project.write({".xcsh/settings.toml": '[discovery]\ndisabled = ["rule:c"]'})
        await until(lambda: found[-1:] == [2])


async def test_other_files_of_the_project_are_nobodys_business(project: Project) -> None:
    # C-32
    project.write({".xcsh/rules/a.md": "A"})
    watched = watched_by(project.discover())
    root = os.fspath(project.root)
    assert not watched.matters(os.path.join(root, "src"))
    assert not watched.matters(os.path.join(root, "README.md"))
    assert watched.matters(os.path.join(root, "AGENTS.md"))
    assert watched.matters(os.path.join(root, ".cursor"))
    assert watched.matters(os.path.join(root, ".xcsh", "rules", "deep", "b.md"))
    assert os.path.join(root, "src") not in watched.folders
    before = fingerprint(watched)
    project.write({"README.md": "new"})
    assert fingerprint(watched) == before
    project.write({".xcsh/rules/a.md": "longer"})
    assert fingerprint(watched) != before


async def test_what_an_installed_provider_reads_is_watched_too(project: Project) -> None:
    # C-32, R-63
    source = Source(Root.CWD, ".acme/rules", Level.PROJECT, (".md",))
    acme = CLINE._replace(id="acme", rules=CLINE.rules._replace(sources=(source,)) if CLINE.rules else None)
    registry = project.discover()
    path = os.path.join(project.root, ".acme", "rules", "a.md")
    assert not watched_by(registry).matters(path)
    assert watched_by(registry._replace(installed=(acme,))).matters(path)


async def test_a_rule_that_is_a_link_is_watched_where_it_is(project: Project) -> None:
    # C-32
    project.write({"docs/style.md": "---\nalwaysApply: true\n---\nA"})
    project.link(".xcsh/rules/style.md", project.root / "docs" / "style.md")
    watched = watched_by(project.discover())
    assert watched.matters(os.fspath(project.root / "docs" / "style.md"))
    assert os.fspath(project.root / "docs") in watched.folders


async def test_what_changes_while_it_is_read_is_read_again(project: Project) -> None:
    # C-32
    project.write({".xcsh/rules/a.md": "A"})
    calls: list[int] = []

    async def on_change() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            project.write({".xcsh/rules/a.md": "changed meanwhile"})

    registry = project.discover()
    task = asyncio.create_task(watch(lambda: registry, on_change))
    project.write({".xcsh/rules/a.md": "once"})
    await until(lambda: len(calls) == 2)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_who_is_cancelled_while_a_watch_ends_stops_watching(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C-32: else whoever waits for its end would wait for ever
    ending = asyncio.Event()

    async def ends_slowly(_: object) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ending.set()
            await asyncio.sleep(0.05)
            raise

    monkeypatch.setattr("xcsh.session.watching._next_change", ends_slowly)
    monkeypatch.setattr("xcsh.session.watching._is_stale", lambda _: True)
    registry = project.discover()
    changed: list[int] = []

    async def on_change() -> None:
        changed.append(1)

    watching = asyncio.create_task(watch(lambda: registry, on_change))
    await ending.wait()
    watching.cancel()
    await asyncio.wait({watching}, timeout=10)
    assert watching.cancelled()
    assert changed == []
