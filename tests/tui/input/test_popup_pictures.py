"""What the prompt looks like with its popup open: commands, and files."""

from __future__ import annotations

import time

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.tui.pictures import is_as_pictured
from textual.app import App, ComposeResult

from xcsh.tui.input.candidates import Candidate
from xcsh.tui.input.paths import PathIndex
from xcsh.tui.input.popup import popup_lines
from xcsh.tui.input.prompt_input import PromptInput

COMMANDS = [
    Candidate("/review", "Reviews a file for mistakes that a compiler does not see", "via Claude Code Project", "[path]", takes=True),
    Candidate("/revert", "Takes the last turn back", "built-in"),
    Candidate("/release", "Prepares a release: version, changelog, tag", "via Cline Project"),
    Candidate("/git:rebase", "Rebases this branch", "via xcsh User", "<branch> [what must not be lost]", takes=True),
    Candidate("/skill:resize-images", "Makes images smaller", "via Claude Code User", takes=True),
    Candidate("/odd\x1b[2J", "[bold]not markup[/]\nsecond line", "MCP server re"),
]  # fmt: skip
FILES = PathIndex.of(["README.md", "src/", "src/cart.py", "src/cart_view.py", "docs/the cart.md", "cat/art.txt"])


class Prompt(App[None]):
    """The prompt alone, with fixed things to choose from."""

    def compose(self) -> ComposeResult:
        prompt = PromptInput()
        prompt._completer._commands = COMMANDS
        prompt._completer._files = FILES
        prompt._completer._listed_at = time.monotonic() + 1_000
        prompt.area.cursor_blink = False
        yield prompt

    def on_mount(self) -> None:
        self.query_one(PromptInput).area.focus()


@pytest.mark.parametrize(
    ("typed", "size"),
    [("/re", (100, 12)), ("/re", (80, 12)), ("see @cart", (80, 12)), ("/review ", (60, 6))],
    ids=["commands", "narrow", "paths", "hint"],
)
async def test_picture_of_the_popup(typed: str, size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    # C-30
    app = Prompt()
    async with app.run_test(size=size) as pilot:
        app.query_one(PromptInput).area.put(typed)
        await pilot.pause()
        await pilot.pause()
        assert is_as_pictured(app, snapshot)


@pytest.mark.parametrize("width", [20, 40, 76, 200])
def test_a_line_is_as_wide_as_there_is_room(width: int) -> None:
    for line in popup_lines(COMMANDS, width):
        assert line.cell_length <= width
        assert line.plain.isprintable()
