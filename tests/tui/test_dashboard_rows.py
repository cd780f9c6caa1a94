"""What the dashboard lists, and how it is arranged."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project

from xcsh.errors import UsageError
from xcsh.extensions.custom import CustomCommands
from xcsh.extensions.loading import Extensions
from xcsh.extensions.registration import ExtensionCommand
from xcsh.session.prompt_pipeline import PromptContext
from xcsh.surfaces.layout import Style, shown_summary
from xcsh.surfaces.listing import render_rules
from xcsh.tui.dashboard.arranging import Heading, Wanted, by_provider, by_section, keep_places, position_of
from xcsh.tui.dashboard.detail import detail_of
from xcsh.tui.dashboard.row import Row, State
from xcsh.tui.dashboard.snapshot import Snapshot, headline, take
from xcsh.tui.dashboard.switching import named_at, switch

PLAIN = Style(colour=False, width=90)
TREE = {
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
    ".xcsh/rules/no-any.md": '---\ncondition: ": any"\nscope: tool:edit\n---\nNo any.',
    ".xcsh/rules/broken.md": '---\ncondition: "(any"\n---\nNo any.',
    ".xcsh/rules/empty.md": "---\ndescription: nothing\n---\n",
    ".cursor/rules/house.mdc": "---\nalwaysApply: true\n---\nUse spaces.",
    ".cursor/rules/api.mdc": "---\ndescription: How errors leave the API\n---\nAs problems.",
    ".cursor/rules/react.mdc": "---\nglobs: src/**/*.tsx\n---\nHooks.",
    ".claude/commands/git/pr.md": "---\ndescription: Makes it\nargument-hint: <branch>\n---\nMake $1.",
    ".xcsh/commands/pr.py": "def run(context, args):\n    return 'x'\n",
    "~/.claude/skills/pdf/SKILL.md": "---\ndescription: Reads PDFs\n---\nRead it.",
}


def snapshot_of(project: Project, extensions: Extensions = Extensions()) -> Snapshot:  # noqa: B008 - a tuple
    return take(PromptContext(project.discover(), extensions, CustomCommands(), print))


def row_of(snapshot: Snapshot, name: str, state: str = "") -> Row:
    found = [row for row in snapshot.rows if row.name == name and state in ("", row.state)]
    assert len(found) == 1, [(row.name, row.state) for row in snapshot.rows]
    return found[0]


def everything(_: Row) -> bool:
    return True


def test_every_item_is_listed_with_its_state_trigger_and_winner(project: Project) -> None:
    # S-23
    project.write(TREE)
    snapshot = snapshot_of(project)
    registry = snapshot.registry
    items = (registry.rules, registry.commands, registry.prompts, registry.skills)
    assert len(snapshot.rows) == sum(kind.found for kind in items)
    assert len({row.id for row in snapshot.rows}) == len(snapshot.rows)
    expected = {
        ("house", State.ACTIVE): "always",
        ("house", State.SHADOWED): "shadowed by .xcsh/rules/house.md",
        ("no-any", State.ACTIVE): ": any  tool:edit",
        ("api", State.ACTIVE): "How errors leave the API",
        ("react", State.ACTIVE): "src/**/*.tsx",
        ("/git:pr", State.ACTIVE): "<branch> Makes it",
        ("/skill:pdf", State.ACTIVE): "Reads PDFs",
        ("empty.md", State.SKIPPED): "skipped: empty: no content",
    }
    for (name, state), label in expected.items():
        assert row_of(snapshot, name, state).label == label
    broken = row_of(snapshot, "broken")
    assert (broken.problem, broken.warned, broken.line) == (True, True, 2)
    untrusted = row_of(snapshot, "pr.py")
    assert untrusted.label.startswith("skipped: untrusted")
    assert untrusted.key == ""
    counts = headline(snapshot, 90)
    assert counts.startswith(f"{len([row for row in snapshot.rows if row.state == State.ACTIVE])} active · ")
    assert "1 error" in counts
    assert (len(counts), counts.endswith(" tokens in the prompt")) == (90, True)
    assert headline(snapshot, 70).endswith(" tokens")
    assert headline(snapshot, 40).count("\n") == 1


def test_they_are_grouped_as_in_the_list_of_rules_each_below_its_winner(project: Project) -> None:
    # S-23
    project.write(TREE)
    items = by_section(snapshot_of(project).rows, everything)
    titles = [item.title for item in items if isinstance(item, Heading)]
    assert titles == ["ALWAYS", "STREAM", "RULEBOOK", "GLOB", "INACTIVE", "COMMANDS", "SKILLS", "SKIPPED"]
    names = [item.name for item in items if isinstance(item, Row)]
    assert names[:2] == ["house", "house"]
    assert isinstance(items[0], Heading)
    assert (items[0].size, items[0].tokens) == (2, items[1].tokens if isinstance(items[1], Row) else 0)


def test_the_groups_add_up_to_the_prompt_with_the_numbers_of_the_list_of_rules(project: Project) -> None:
    # S-23
    project.write(TREE)
    snapshot = snapshot_of(project)
    items = by_section(snapshot.rows, everything, around=snapshot.around)
    costs = {item.title: item.tokens for item in items if isinstance(item, Heading)}
    assert sum(costs.values()) == snapshot.prompt.tokens
    listed = render_rules(snapshot.registry, snapshot.registry.active, snapshot.prompt, Style(colour=False))
    (line,) = [line for line in listed if line.startswith("RULEBOOK")]
    assert line.endswith(f"~{costs['RULEBOOK']} tokens")
    some = by_section(snapshot.rows, Wanted("house"), around=snapshot.around)
    assert "RULEBOOK" not in [item.title for item in some if isinstance(item, Heading)]


def test_by_provider_one_that_is_off_has_a_heading_even_where_nothing_was_found(project: Project) -> None:
    # S-23
    project.write({**TREE, USER_SETTINGS: 'discovery.disabled = ["cline", "cursor"]\n'})
    snapshot = snapshot_of(project)
    items = by_provider(snapshot.rows, everything, snapshot.titles, snapshot.off)
    headings = {item.title: item for item in items if isinstance(item, Heading)}
    assert headings["Cursor"].off
    assert headings["Cursor"].size == 3
    assert headings["Cline"].size == 0
    assert not headings["Claude Code"].off
    assert "Windsurf" not in headings
    react = row_of(snapshot, "react")
    assert (react.state, react.key, react.off_by, react.problem) == (State.OFF, "", "cursor", False)
    found = by_provider(snapshot.rows, Wanted("pdf"), snapshot.titles, snapshot.off)
    assert [item.title if isinstance(item, Heading) else item.name for item in found] == ["Claude Code", "/skill:pdf"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("HOUSE", ["house", "house"]),
        ("cursor shadowed", ["house"]),
        (".tsx", ["react"]),
        ("leave api", ["api"]),
        (": any", ["no-any"]),
        ("shadowed", ["house"]),
        ("claude pr", ["/git:pr"]),
        ("nothing such", []),
    ],
)
def test_a_search_looks_at_name_path_provider_description_and_trigger(
    project: Project, query: str, names: list[str]
) -> None:
    # S-23
    project.write(TREE)
    rows = [row for row in snapshot_of(project).rows if Wanted(query)(row) and row.provider != "bundled"]
    assert [row.name for row in rows] == names


def test_only_problems_leaves_out_what_is_as_it_should_be_and_what_was_switched_off(project: Project) -> None:
    # S-23
    project.write({**TREE, USER_SETTINGS: 'discovery.disabled = ["rule:api"]\n'})
    names = [row.name for row in snapshot_of(project).rows if Wanted(problems=True)(row)]
    assert names == ["house", "broken", "empty.md", "pr.py"]


def test_what_is_switched_off_stays_where_it_was(project: Project) -> None:
    # S-23
    project.write(TREE)
    before = snapshot_of(project)
    listed = by_section(before.rows, everything)
    for key in ("rule:react", "rule:house", "command:git:pr"):
        assert switch(before.registry.environment, key, on=False).done
    rows = keep_places(snapshot_of(project).rows, before.rows)
    items = by_section(rows, everything)
    assert [item.id for item in items] == [item.id for item in listed]
    assert sorted(row.name for row in rows if row.state == State.OFF) == ["/git:pr", "house", "house", "react"]
    assert position_of(items, row_of(before, "react").id, 0) == position_of(listed, row_of(before, "react").id, 0)
    fresh = by_section(snapshot_of(project).rows, everything)
    assert "OFF" in [item.title for item in fresh if isinstance(item, Heading)]
    assert keep_places(before.rows, ()) == before.rows


def test_the_cursor_goes_to_the_nearest_row_where_its_own_is_gone(project: Project) -> None:
    # S-23
    project.write(TREE)
    items = by_section(snapshot_of(project).rows, everything)
    assert position_of(items, "gone", 0) == 1
    assert position_of(items, "gone", 9_999) == len(items) - 1
    assert position_of([], "gone", 3) is None


def test_a_switch_is_written_to_the_users_settings_and_taken_out_again(project: Project) -> None:
    # S-23
    project.write({**TREE, USER_SETTINGS: "# mine\n[discovery]\nrecursive = true  # all\n"})
    environment = project.discover().environment
    switched = switch(environment, "rule:react", on=False)
    assert switched == (True, "rule:react is off: discovery.disabled in ~/.xcsh/agent/settings.toml:4")
    assert "react" not in [entry.rule.name for entry in project.discover().all]
    assert switch(environment, "rule:react", on=False).text.endswith("names it already")
    switched = switch(environment, "rule:react", on=True)
    assert switched == (True, "rule:react is on: taken out of discovery.disabled in ~/.xcsh/agent/settings.toml")
    assert "react" in [entry.rule.name for entry in project.discover().all]
    written = project.path(USER_SETTINGS).read_text("utf-8")
    assert written == "# mine\n[discovery]\nrecursive = true  # all\ndisabled = []\n"


def test_what_another_place_has_switched_off_says_so(project: Project) -> None:
    # S-23, R-34
    project.write({**TREE, PROJECT_SETTINGS: 'discovery.disabled = [\n  "rule:react",\n]\n'})
    environment = project.discover().environment
    assert named_at(environment, "rule:react") == [".xcsh/settings.toml:2"]
    switched = switch(environment, "rule:react", on=True)
    assert not switched.done
    assert switched.text.endswith("for the project's own items it stays off, as .xcsh/settings.toml:2 says")
    given = environment._replace(given=environment.given._replace(flags=(("discovery.disabled", ("cursor",)),)))
    assert switch(given, "cursor", on=True) == (False, "cursor stays off: discovery.disabled names it in --set")
    assert not project.path(USER_SETTINGS).exists()


def test_settings_that_cannot_be_changed_are_one_sentence_and_stay_as_they_are(project: Project) -> None:
    # S-23
    project.write({**TREE, USER_SETTINGS: "[discovery\n"})
    with pytest.raises(UsageError, match="no TOML, so it is not changed"):
        switch(project.discover().environment, "rule:react", on=False)
    assert project.path(USER_SETTINGS).read_text("utf-8") == "[discovery\n"


def test_the_detail_is_the_explanation_and_the_file_with_its_findings(project: Project) -> None:
    # S-23
    project.write({**TREE, USER_SETTINGS: 'discovery.disabled = ["rule:api"]\n'})
    snapshot = snapshot_of(project)
    lines = detail_of(snapshot, row_of(snapshot, "broken"), PLAIN)
    assert lines[0].startswith("broken  ·  ")
    at = lines.index(".xcsh/rules/broken.md:2")
    assert lines[at + 1 :].index('2 │ condition: "(any"') > 0
    assert any("^" in line for line in lines[at:])
    loser = "\n".join(detail_of(snapshot, row_of(snapshot, "house", State.SHADOWED), PLAIN))
    assert loser.startswith("house  ·  SHADOWED")
    assert "loses to .xcsh/rules/house.md" in loser
    assert "Use spaces." in loser
    off = detail_of(snapshot, row_of(snapshot, "api"), PLAIN)
    assert "  off by       ~/.xcsh/agent/settings.toml:1" in off
    empty = detail_of(snapshot, row_of(snapshot, "empty.md"), PLAIN)
    assert any("nothing is left after the frontmatter" in line for line in empty)
    for item in by_section(snapshot.rows, everything):
        assert all(line.isprintable() for line in detail_of(snapshot, item, PLAIN))


@dataclass
class Handled:
    def __call__(self, *_: object) -> None: ...


def test_the_commands_of_extensions_are_listed_with_who_registered_them(project: Project) -> None:
    # S-23
    path = os.fspath(project.path(".xcsh/extensions/tools.py"))
    project.write({".xcsh/extensions/tools.py": "def register(extension): ..."})
    mine = ExtensionCommand("deploy", Handled(), "Ships it", "<where>", None, "tools", "project", path, 1)
    other = mine._replace(extension="other", path="", line=0)
    snapshot = snapshot_of(project, Extensions((mine,), (other,)))
    rows = [row for row in snapshot.rows if row.name == "/deploy"]
    assert [(row.state, row.label) for row in rows] == [
        (State.ACTIVE, "<where> Ships it"),
        (State.SHADOWED, "shadowed by .xcsh/extensions/tools.py"),
    ]
    said = "\n".join(detail_of(snapshot, rows[0], PLAIN))
    assert "extension tools, project" in said
    assert "def register" in said
    assert "an installed package" in "\n".join(detail_of(snapshot, rows[1], PLAIN))


def test_a_description_is_shown_without_the_mark_of_the_heading_that_it_was() -> None:
    # S-23, C-30
    assert shown_summary("# Release\n\nof a version") == "Release of a version"
    assert shown_summary("#hash ## and # marks") == "#hash ## and # marks"
    assert shown_summary("###### ") == "######"
