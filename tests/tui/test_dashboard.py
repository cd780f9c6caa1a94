"""The dashboard over a real session: what it shows, and what becomes of a switch and of an edit."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.llm.wire_models import until
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project, Tree
from tests.tui.chatting import chat, typed
from tests.tui.pictures import is_as_pictured
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from xcsh.tui.app import ChatApp
from xcsh.tui.dashboard.arranging import Heading
from xcsh.tui.dashboard.detail_pane import DetailPane
from xcsh.tui.dashboard.row import Row, State
from xcsh.tui.dashboard.screen import Dashboard

TREE = {
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs, not spaces.",
    ".xcsh/rules/no-any.md": '---\ncondition: ": any"\nscope: tool:edit\n---\nNever any.',
    ".xcsh/rules/broken.md": '---\ncondition: "(any"\n---\nNever any.',
    ".xcsh/rules/empty.md": "---\ndescription: nothing\n---\n",
    ".cursor/rules/house.mdc": "---\nalwaysApply: true\n---\nUse spaces.",
    ".cursor/rules/api.mdc": "---\ndescription: How errors leave the API\n---\nAs problems.",
    ".cursor/rules/react.mdc": "---\nglobs: src/**/*.tsx\n---\nHooks [b]only[/b].",
    ".claude/commands/deploy.md": "---\ndescription: Ships it\nargument-hint: <where>\n---\nShip to $1.",
}


class Opened:
    """The dashboard, and what a person sees of it."""

    def __init__(self, app: ChatApp, pilot: Pilot[None], screen: Dashboard) -> None:
        self.app = app
        self.pilot = pilot
        self.screen = screen

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.screen.rows._items if isinstance(item, Row)]

    @property
    def detail(self) -> str:
        return str(self.screen.query_one("#text", Static).content)

    @property
    def said(self) -> str:
        return str(self.screen.query_one("#said", Static).content)

    @property
    def registry_names(self) -> set[str]:
        session = self.app.conversation.session
        assert session is not None
        return {entry.rule.name for entry in session.context.registry.active}

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def go_to(self, name: str, state: str = State.ACTIVE) -> Row:
        rows = self.screen.rows
        for index, item in enumerate(rows._items):
            if isinstance(item, Row) and (item.name, item.state) == (name, state):
                rows.cursor = index
                await self.pilot.pause()
                return item
        raise AssertionError(self.names)

    async def shows(self, text: str) -> None:
        await until(lambda: text in " ".join(self.detail.split()))

    async def tells(self, text: str) -> None:
        await until(lambda: text in self.said)


@asynccontextmanager
async def dashboard(
    project: Project, tree: Tree = TREE, *, size: tuple[int, int] = (100, 30)
) -> AsyncGenerator[Opened]:
    async with chat(project, tree=tree, size=size) as (app, pilot, _):
        await pilot.press("f2")
        await until(lambda: isinstance(app.screen, Dashboard) and app.screen._snapshot is not None)
        screen = app.screen
        assert isinstance(screen, Dashboard)
        opened = Opened(app, pilot, screen)
        await until(lambda: opened.detail != "")
        await pilot.pause()
        yield opened


def current(opened: Opened) -> Row:
    item = opened.screen.rows.current
    assert isinstance(item, Row)
    return item


async def test_it_opens_with_a_key_and_with_a_command_and_escape_leaves_it(project: Project) -> None:
    # S-23, S-21
    async with dashboard(project) as opened:
        assert opened.names[:3] == ["house", "house", "no-any"]
        await opened.shows("house · ALWAYS")
        await opened.press("escape")
        assert not isinstance(opened.app.screen, Dashboard)
        await typed(opened.pilot, "/extensions")
        await until(lambda: isinstance(opened.app.screen, Dashboard))
        await opened.press("f2")
        assert not isinstance(opened.app.screen, Dashboard)


async def test_a_search_narrows_while_it_is_typed_and_escape_ends_it(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        everything = opened.names
        await opened.press("slash", *"cursor")
        assert opened.names == ["house", "api", "react"]
        await opened.press("down", "down")
        assert current(opened).name == "react"
        await opened.press("enter", "p")
        assert [item.title for item in opened.screen.rows._items if isinstance(item, Heading)] == ["Cursor"]
        await opened.press("p", "slash", "x", "x")
        await opened.shows("nothing matches")
        await opened.press("escape")
        assert opened.names == everything
        await opened.press("o")
        assert opened.names == ["house", "broken", "empty.md"]


async def test_a_search_that_comes_in_one_burst_is_a_search_and_no_commands(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        app = opened.screen.app
        for letter in "/preo":
            app.post_message(events.Key("slash" if letter == "/" else letter, letter))
        await opened.shows("nothing matches")
        assert opened.screen.search.value == "preo"


async def test_a_shadowed_rule_names_its_winner_and_a_skipped_one_its_reason(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        row = await opened.go_to("house", State.SHADOWED)
        assert row.label == "shadowed by .xcsh/rules/house.md"
        await opened.shows("loses to .xcsh/rules/house.md")
        row = await opened.go_to("empty.md", State.SKIPPED)
        assert row.label == "skipped: empty: no content"
        await opened.shows("nothing is left after the frontmatter")
        await opened.press("space")
        assert "not used in any case" in opened.said
        await opened.go_to("react")
        await opened.shows("Hooks [b]only[/b].")


async def test_space_switches_a_rule_off_for_the_session_and_in_the_settings_and_on_again(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        await opened.go_to("react")
        position = opened.screen.rows.cursor
        await opened.press("space")
        await opened.tells("rule:react is off: discovery.disabled in ~/.xcsh/agent/settings.toml:2")
        assert "react" not in opened.registry_names
        assert project.path(USER_SETTINGS).read_text("utf-8") == '[discovery]\ndisabled = ["rule:react"]\n'
        assert (current(opened).name, current(opened).state, opened.screen.rows.cursor) == ("react", "off", position)
        await opened.shows("off by ~/.xcsh/agent/settings.toml:2")
        await opened.press("space")
        await opened.tells("rule:react is on")
        assert "react" in opened.registry_names
        assert (current(opened).name, current(opened).state, opened.screen.rows.cursor) == ("react", "active", position)
        await opened.go_to("/deploy")
        await opened.press("space")
        await opened.tells("command:deploy is off")
        await opened.go_to("house")
        await opened.press("space")
        await opened.tells("rule:house is off: discovery.disabled in ~/.xcsh/agent/settings.toml:2, in all 2 files")
        assert "house" not in opened.registry_names


async def test_a_provider_is_switched_from_its_item_and_from_its_heading(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        await opened.go_to("react")
        await opened.press("P")
        await opened.tells("cursor is off")
        assert opened.registry_names == {"house", "no-any", "broken"}
        assert [row.state for row in opened.screen._rows if row.provider == "cursor"] == [State.OFF] * 3
        await opened.press("space")
        assert opened.said == "react is off with everything of Cursor; P switches Cursor on"
        await opened.press("p")
        titles = [item.title for item in opened.screen.rows._items if isinstance(item, Heading) and item.off]
        assert titles == ["Cursor"]
        while not isinstance(opened.screen.rows.current, Heading):
            await opened.press("up")
        await opened.shows("switched off by ~/.xcsh/agent/settings.toml:2")
        await opened.press("space")
        await opened.tells("cursor is on")
        assert "react" in opened.registry_names


async def test_what_another_settings_file_switched_off_says_so(project: Project) -> None:
    # S-23, R-34
    tree = {**TREE, PROJECT_SETTINGS: 'discovery.disabled = ["rule:react"]\n'}
    async with dashboard(project, tree) as opened:
        await opened.go_to("react", State.OFF)
        await opened.shows(".xcsh/settings.toml:1")
        await opened.press("space")
        await opened.tells("it stays off, as .xcsh/settings.toml:1 says")
        assert current(opened).state == State.OFF


async def test_settings_that_cannot_be_changed_are_one_sentence_and_nothing_is_lost(project: Project) -> None:
    # S-23
    async with dashboard(project) as opened:
        project.write({USER_SETTINGS: "[discovery\n"})
        await opened.go_to("react")
        await opened.press("space")
        await opened.tells("no TOML, so it is not changed")
        assert project.path(USER_SETTINGS).read_text("utf-8") == "[discovery\n"
        assert "react" in opened.registry_names
        assert current(opened).state == State.ACTIVE


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor with a window of its own: it writes down how it was called, and mends a condition."""
    program = tmp_path / "bin" / "code"
    program.parent.mkdir()
    called = tmp_path / "called"
    program.write_text(f'#!/bin/sh\necho "$@" > {called}\nf="${{2%:*}}"\nsed -i \'s/(any/any/\' "$f"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", os.fspath(program))
    return called


def called(editor: Path) -> str:
    return editor.read_text("utf-8")


async def test_the_file_is_opened_at_its_first_finding_and_read_again_after_it(project: Project, editor: Path) -> None:
    # S-23
    async with dashboard(project) as opened:
        await opened.go_to("broken")
        await opened.press("e")
        await until(lambda: current(opened).section == "ttsr")
        assert called(editor) == f"--goto {project.path('.xcsh/rules/broken.md')}:2\n"
        await opened.shows("broken · STREAM")
        assert opened.said == ""


async def test_an_editor_that_is_not_there_or_needs_the_terminal_is_one_sentence(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # S-23
    async with dashboard(project) as opened:
        monkeypatch.setenv("VISUAL", "no-such-editor")
        await opened.press("e")
        await opened.tells("the editor no-such-editor, which $VISUAL names, is not installed; ")
        vim = tmp_path / "vim"
        vim.write_text("#!/bin/sh\n", "utf-8")
        vim.chmod(0o755)
        monkeypatch.setenv("VISUAL", os.fspath(vim))
        await opened.press("enter")
        await opened.tells("vim needs the terminal, which cannot be handed over here")
        await opened.app.open_file("/x", 3)
        await until(lambda: "vim needs the terminal" in opened.app.transcript.plain)


async def test_what_changes_on_disk_is_shown_once_the_session_has_read_it(project: Project) -> None:
    # S-23, C-32
    async with dashboard(project) as opened:
        project.write({".xcsh/rules/new.md": "---\nalwaysApply: true\n---\nNew."})
        session = opened.app.conversation.session
        assert session is not None
        await session.reload()
        await until(lambda: "new" in opened.names)
        project.write({".xcsh/rules/newer.md": "---\nalwaysApply: true\n---\nNewer."})
        await opened.press("r")
        await until(lambda: "newer" in opened.names)


async def test_the_mouse_chooses_an_item_and_the_ways_of_listing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-23
    monkeypatch.setenv("VISUAL", "no-such-editor")
    async with dashboard(project) as opened:
        await opened.pilot.click("#rows", offset=(5, 2))
        await opened.pilot.pause()
        assert current(opened).state == State.SHADOWED
        await opened.pilot.click("#rows", offset=(5, 2), times=2)
        await opened.tells("no-such-editor")
        await opened.pilot.click("#filter")
        await opened.pilot.pause()
        assert opened.names == ["house", "broken", "empty.md"]
        await opened.pilot.click("#grouping")
        await opened.pilot.pause()
        assert opened.screen.rows.headings


async def test_a_thousand_rules_are_listed_and_only_what_is_seen_is_made(project: Project) -> None:
    # S-23
    tree = {f".xcsh/rules/rule-{number:04}.md": "---\nalwaysApply: true\n---\nText." for number in range(1_000)}
    async with dashboard(project, tree, size=(80, 24)) as opened:
        made = 0
        make = opened.screen.rows._row

        def counted(row: Row) -> object:
            nonlocal made
            made += 1
            return make(row)

        opened.screen.rows._row = counted  # type: ignore[method-assign]
        await opened.press("end", "home", "pagedown")
        assert made < 200
        await opened.press("slash", *"0999")
        assert opened.names == ["rule-0999"]


async def test_the_keys_scroll_the_detail_once_it_has_the_focus(project: Project) -> None:
    # S-23
    async with dashboard(project, size=(80, 24)) as opened:
        await opened.go_to("broken")
        await opened.shows('condition: "(any"')
        pane = opened.screen.query_one(DetailPane)
        await opened.press("tab", "end")
        await until(lambda: pane.scroll_y > 0)


@pytest.mark.parametrize("size", [(100, 30), (80, 24)], ids=["wide", "narrow"])
async def test_picture_of_the_list_by_use(project: Project, snapshot: SnapshotAssertion, size: tuple[int, int]) -> None:
    # S-23
    async with dashboard(project, size=size) as opened:
        await opened.go_to("broken")
        await opened.shows('condition: "(any"')
        await opened.pilot.pause()
        assert is_as_pictured(opened.app, snapshot)


async def test_picture_of_a_search_by_provider_in_the_light(project: Project, snapshot: SnapshotAssertion) -> None:
    # S-23
    async with dashboard(project, {**TREE, USER_SETTINGS: 'discovery.disabled = ["rule:api"]\n'}) as opened:
        opened.app.theme = "textual-light"
        await opened.press("p", "slash", *"cursor", "enter")
        await opened.go_to("api", State.OFF)
        await opened.shows("As problems.")
        await opened.press("space")
        await opened.tells("rule:api is on")
        await opened.shows("api · DESCRIPTION")
        await opened.pilot.pause()
        assert is_as_pictured(opened.app, snapshot)
