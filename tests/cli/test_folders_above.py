"""In a sub-folder of a repository, the rules of the folders above that do not count there are said to be there."""

from __future__ import annotations

import pytest
from tests.cli.turns import Turn
from tests.llm.wire_models import until
from tests.support import Project
from tests.tui.built_ins.asked import arguments, talking

from xcsh.cli.folders_above import rules_above
from xcsh.cli.output import discover_for
from xcsh.session.events import Notice

ALWAYS = "---\nalwaysApply: true\n---\nBe kind.\n"
TREE = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "AGENTS.md": "Counts everywhere below.\n",
    ".xcsh/rules/house.md": ALWAYS,
    ".cursor/rules/style.mdc": ALWAYS,
    "services/pay/.cursor/rules/money.mdc": ALWAYS,
    "services/shop/.cursor/rules/carts.mdc": ALWAYS,
    "~/.xcsh/agent/rules/mine.md": ALWAYS,
}
SAID = "2 rules of a folder above do not count here; to work there: xcsh -C ../.."


@pytest.mark.parametrize(
    ("folder", "said"), [("services/pay", SAID), ("services", SAID.removesuffix("/..")), (".", "")]
)
def test_what_counts_nowhere_but_above_is_counted(project: Project, folder: str, said: str) -> None:
    # neither what counts here too, nor what is for another folder, nor the user's own
    project.write(TREE)
    args = arguments(project, "-C", str(project.path(folder)))
    assert rules_above(args, discover_for(args)) == said


def test_outside_a_repository_nothing_above_is_looked_for(project: Project) -> None:
    project.write({".xcsh/rules/house.md": ALWAYS, "deep/a.txt": ""})
    args = arguments(project, "-C", str(project.path("deep")))
    assert rules_above(args, discover_for(args)) == ""


def test_a_turn_without_a_conversation_says_it_in_one_line_on_standard_error(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    # U-5
    turn = Turn(project, capsys)
    project.write(TREE)
    turn.elsewhere("-C", str(project.path("services/pay")), "--model", "nope", "hi")
    assert turn.err.startswith(f"{SAID}\n")
    turn.run("--model", "nope", "hi")
    assert "folder above" not in turn.err


async def test_a_conversation_says_it_once(project: Project) -> None:
    # S-20
    async with talking(project, "-C", str(project.path("services/pay")), tree=TREE) as talk:

        def notices() -> list[str]:
            return [event.text for event in talk.front.events if isinstance(event, Notice)]

        await until(lambda: SAID in notices())
        first = talk.session.id
        await talk.type("hi")
        await talk.conversation.submit("/new")
        await until(lambda: talk.conversation.session is not None and talk.session.id != first)
        assert await talk.type("/rules")
        assert notices().count(SAID) == 1
