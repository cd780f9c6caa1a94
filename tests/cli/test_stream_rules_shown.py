"""What `rules`, `explain` and `doctor` say of stream rules: that they can never fire, and what a match does."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape

DEAD = {
    "edti": "condition: a+b\nscope: tool:edti",
    "empty": "condition: .*",
    "hopeless": "condition: a^b",
    "closed": "condition: a+b\nscope: text\nglobs: '*.ts'",
    "away": "condition: a+b\nglobs: '!*.ts'",
    "away-in-scope": "condition: a+b\nscope: tool:edit(!*.ts)",
    "taken-away": "condition: a+b\nscope: tool:edit(src/**,!src/a/**)",
    "glob-in-text": "condition: '*.lock'\nscope: text",
    "bash-file": "condition: a+b\nscope: tool:bash(*.sh)",
}
ALIVE = {
    "plain": "condition: a+b",
    "one-of-two": 'condition: [".*", a+b]',
    "one-scope": "condition: a+b\nscope: text, tool:edti",
    "own-tool": "condition: a+b\nscope: tool:deploy_page",
    "quoted": 'condition: a+b\nscope: tool:Edit("*.ts")',
    "lock": "condition: '*.lock'",
    "both": 'condition: ["*.lock", a^b]',
    "some-globs": "condition: a+b\nglobs: ['**', '!*.ts']",
}


def write(xcsh: Xcsh, **rules: str) -> None:
    xcsh.project.write({f".xcsh/rules/{name}.md": f"---\n{keys}\n---\nBody.\n" for name, keys in rules.items()})


# T-1: listed as a stream rule, and never one that works
@pytest.mark.parametrize("name", [*DEAD, *ALIVE])
def test_a_rule_that_can_never_fire_is_shown_as_one(xcsh: Xcsh, name: str) -> None:
    dead = name in DEAD
    write(xcsh, **{name: {**DEAD, **ALIVE}[name]})
    assert ("can never fire" in xcsh("rules").out) == dead
    explained = xcsh("explain", name).out
    assert ("reaches      nothing: it can never fire" in explained) == dead
    assert ("reaches      the model when it writes" in explained) == (not dead)
    reason = xcsh("rules", "--json").json["rules"][0]["reason"]
    assert reason.startswith("has a condition, and can never fire: " if dead else "has a condition")
    assert ("no     " in xcsh("rules", "--for", "a.md", "--all").out) == dead
    warned = [item for item in xcsh("doctor", "--json").json["diagnostics"] if item["severity"] == "warning"]
    assert bool(warned) == (dead or name in ("one-of-two", "one-scope", "both"))


# T-3: MCP servers and other agents have tools that nothing here knows
@pytest.mark.parametrize(
    ("tool", "severity"),
    [
        ("edti", "warning"),
        ("wirte", "warning"),
        ("Edits", "warning"),
        ("github_issue", "information"),
        ("deploy", "information"),
    ],
)
def test_a_tool_that_may_be_somebodys_own_is_for_information(xcsh: Xcsh, tool: str, severity: str) -> None:
    write(xcsh, a=f"condition: a+b\nscope: tool:{tool}")
    (item,) = xcsh("doctor", "--json").json["diagnostics"]
    assert (item["code"], item["severity"], item["line"]) == ("unknown-tool", severity, 3)
    assert xcsh("doctor", "--strict").code == (1 if severity == "warning" else 0)


# T-12
@pytest.mark.parametrize(
    ("keys", "setting", "listed", "mode", "reaches"),
    [
        ("", "", "", "always, as the setting", "its answer is stopped"),
        ("interrupt_mode: never", "", "only reminds", "never, as the rule", "its answer goes on"),
        ("interrupt_mode: Prose_Only", "", "stops prose only", "prose-only, as the rule", "in a tool call its answer goes on"),
        ("interrupt_mode: tool-only", "", "stops tool calls only", "tool-only, as the rule", "in prose its answer goes on"),
        ("", "never", "only reminds", "never, as the setting", "its answer goes on"),
        ("interrupt_mode: always", "never", "", "always, as the rule", "its answer is stopped"),
    ],
)  # fmt: skip
def test_what_a_match_does_is_shown(xcsh: Xcsh, keys: str, setting: str, listed: str, mode: str, reaches: str) -> None:
    write(xcsh, a=f"condition: a+b\n{keys}".strip())
    if setting:
        xcsh.project.write({"~/.xcsh/agent/settings.toml": f'ttsr.interrupt_mode = "{setting}"\n'})
    row = next(line for line in xcsh("rules").out.splitlines() if ".xcsh/rules/a.md" in line)
    assert " ".join(row.split()[3:]) == " ".join(filter(None, [listed, "a+b"]))
    explained = " ".join(xcsh("explain", "a").out.split())
    assert f"interrupts {mode}" in explained
    assert reaches in explained


def test_what_follows_from_a_fault_stands_below_it(xcsh: Xcsh) -> None:
    # U-5
    write(xcsh, a="condition: ([a-z", b="description: D")
    lines = [line.partition("]")[0] for line in xcsh("doctor").out.splitlines() if "[" in line.split(" ")[0]]
    assert lines == ["error[invalid-condition", "information[inactive-rule"]


def test_the_shapes_keep_to_the_schema(xcsh: Xcsh) -> None:
    # U-3
    write(xcsh, **DEAD, **ALIVE)
    for arguments, name in ((["rules", "--all"], "rules"), (["explain", "edti"], "explain"), (["doctor"], "doctor")):
        shape = xcsh(*arguments, "--json").json
        check_shape(name, shape)
