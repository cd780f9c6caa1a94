"""`xcsh hook`: the project's rules at the calls of other agents' tools."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support import Project

from xcsh.cli.main import main
from xcsh.hooks.bounds import MOST_FILES, MOST_VALUES
from xcsh.hooks.hosts import HOSTS, Event, Host
from xcsh.hooks.memory import hooks_folder, prune, remembered
from xcsh.hooks.patches import patched_files
from xcsh.providers import BUILTIN_PROVIDERS

RULES = {
    ".xcsh/rules/no-any.md": '---\ncondition: ": any\\\\b"\n---\nNever use any.\n',
    ".xcsh/rules/no-force.md": '---\ncondition: "push --force"\nscope: tool:bash\n---\nNever push with force.\n',
    ".windsurf/rules/ts.md": "---\ntrigger: glob\nglobs: src/**/*.ts\n---\nRules of TypeScript.\n",
    ".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kind.\n",
    ".xcsh/rules/errors.md": "---\ndescription: How errors leave the API\n---\nAs values.\n",
}
PATCH = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-let a = 1\n+let a: any = 1\n*** End Patch\n"
CASES = [json.loads(line) for line in Path(__file__).with_name("payloads.jsonl").read_text("utf-8").splitlines()]


class Hook:
    """Calls the verb as an agent would, in this process."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.project, self.capsys, self.monkeypatch = project, capsys, monkeypatch
        project.write(RULES)
        monkeypatch.chdir(project.root)
        monkeypatch.setenv("HOME", os.fspath(project.home))
        for name in ("CLAUDE_PROJECT_DIR", "XDG_STATE_HOME", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, payload: Mapping[str, object] | bytes, *options: str) -> tuple[int, dict[str, Any], str]:
        text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        text = text.replace(b"$PROJECT", os.fspath(self.project.root).encode())
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        code = main(["hook", *options])
        out, err = self.capsys.readouterr()
        return code, cast("dict[str, Any]", json.loads(out)) if out.strip() else {}, err


@pytest.fixture
def hook(project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hook:
    return Hook(project, monkeypatch, capsys)


def says(answer: Mapping[str, Any]) -> str:
    """What an answer of any agent's form comes to."""
    specific = answer.get("hookSpecificOutput", answer)
    if "deny" in (answer.get("decision"), answer.get("permission"), specific.get("permissionDecision")):
        return "deny"
    context = specific.get("additionalContext") or specific.get("additional_context")
    return "context" if context else "nothing"


def call(tool: str = "Write", session: str = "s", **arguments: object) -> dict[str, object]:
    given = arguments or {"file_path": "$PROJECT/src/a.ts", "content": "let a: any"}
    return {
        "session_id": session, "cwd": "$PROJECT", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": given,
    }  # fmt: skip


def reason(answer: Mapping[str, Any]) -> str:
    return str(answer["hookSpecificOutput"]["permissionDecisionReason"])


def context(answer: Mapping[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.mark.parametrize("case", CASES, ids=[f"{case['host']}: {case['shape']}" for case in CASES])
def test_a_payload_of_a_documented_shape_is_answered(case: dict[str, Any], hook: Hook) -> None:
    event = ("--event", case["event"]) if "event" in case else ()
    code, answer, err = hook(case["payload"], "--for", case["host"], *event)
    assert (code, says(answer), err) == (0, case["says"], "")


@pytest.mark.parametrize("case", [case for case in CASES if case["host"] != "codex" and "event" not in case])
def test_whose_payload_it_is_shows_in_its_event(case: dict[str, Any], hook: Hook) -> None:
    named = hook(case["payload"], "--for", case["host"])[1]
    case["payload"]["session_id"] = case["payload"]["conversation_id"] = "another"
    assert says(hook(case["payload"])[1]) == says(named)


def test_the_reason_is_the_rule_and_names_its_file(hook: Hook) -> None:
    _, answer, _ = hook(call())
    assert "Never use any." in reason(answer)
    assert 'path=".xcsh/rules/no-any.md"' in reason(answer)
    assert "was not run" in reason(answer)


def test_a_file_that_quotes_a_patch_is_looked_at_as_a_whole(hook: Hook) -> None:
    # T-11
    quoted = f"let a: any\n/* an example:\n{PATCH.replace(': any', '')}*/"
    assert says(hook(call(file_path="$PROJECT/src/a.ts", content=quoted))[1]) == "deny"


def test_a_rule_denies_once_in_a_session_and_in_another_again(hook: Hook) -> None:
    # T-11
    assert says(hook(call())[1]) == "deny"
    assert says(hook(call())[1]) == "context"  # of the rules for the file, which the denied call did not get
    assert says(hook(call())[1]) == "nothing"
    assert says(hook(call(session="other"))[1]) == "deny"


def test_a_rule_that_only_reminds_lets_the_call_run(hook: Hook) -> None:
    # T-12
    hook.project.write(
        {".xcsh/rules/no-any.md": '---\ncondition: ": any"\ninterruptMode: never\n---\nNever use any.\n'}
    )
    _, answer, _ = hook(call())
    assert says(answer) == "context"
    assert "Never use any." in context(answer)
    assert "Rules of TypeScript." in context(answer)


def test_a_rule_for_a_file_is_given_once_and_after_a_compaction_again(hook: Hook) -> None:
    #
    read = call("Read", file_path="$PROJECT/src/a.ts")
    assert "Rules of TypeScript." in context(hook(read)[1])
    assert says(hook(read)[1]) == "nothing"
    hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": "PreCompact", "trigger": "auto"})
    assert "Rules of TypeScript." in context(hook(read)[1])
    hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": "SessionStart", "source": "compact"})
    assert "Rules of TypeScript." in context(hook(read)[1])
    hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": "SessionStart", "source": "resume"})
    assert says(hook(read)[1]) == "nothing"


def test_a_rule_that_was_changed_is_given_again(hook: Hook) -> None:
    #
    read = call("Read", file_path="$PROJECT/src/a.ts")
    hook(read)
    hook.project.write({".windsurf/rules/ts.md": "---\ntrigger: glob\nglobs: src/**/*.ts\n---\nOther rules.\n"})
    assert "Other rules." in context(hook(read)[1])


@pytest.mark.parametrize("host", HOSTS, ids=[host.id for host in HOSTS])
def test_what_an_agent_reads_by_itself_names_providers_that_there_are_and_that_have_rules(host: Host) -> None:
    with_rules = {provider.id for provider in BUILTIN_PROVIDERS if provider.rules is not None}
    assert host.reads
    assert host.reads <= with_rules


@pytest.mark.parametrize("host", HOSTS, ids=[host.id for host in HOSTS])
def test_of_every_agents_own_files_nothing_is_told_again(host: Host, hook: Hook) -> None:
    hook.project.write({
        ".claude/rules/a.md": "of claude", "CLAUDE.md": "of claude", "AGENTS.md": "of codex, cursor, copilot",
        "GEMINI.md": "of gemini", ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nof cursor",
        ".cursorrules": "of cursor", ".github/copilot-instructions.md": "of copilot",
        ".windsurf/rules/w.md": "---\ntrigger: always_on\n---\nof windsurf",
    })  # fmt: skip
    event = next(name for name, kind in host.events.items() if kind == Event.START)
    payload = {"session_id": "s", "cwd": "$PROJECT", "hook_event_name": event, "source": "startup"}
    text = json.dumps(hook(payload, "--for", host.id)[1])
    assert "of windsurf" in text
    assert f"of {host.id}" not in text


def test_what_the_agent_reads_by_itself_is_not_given_twice(hook: Hook) -> None:
    hook.project.write({".cursor/rules/py.mdc": "---\nglobs: src/**/*.py\n---\nRules of Python.\n"})
    start = {"hook_event_name": "sessionStart", "conversation_id": "k", "workspace_roots": ["$PROJECT"]}
    read = {**start, "hook_event_name": "postToolUse", "tool_name": "Read", "tool_input": {"file_path": "src/b.py"}}
    assert says(hook(read, "--for", "cursor")[1]) == "nothing"
    assert "Rules of Python." in context(hook(call("Read", file_path="$PROJECT/src/b.py"))[1])


def test_a_session_begins_with_the_rules_that_are_always_in_force_and_a_list_of_the_others(hook: Hook) -> None:
    _, answer, _ = hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": "SessionStart", "source": "startup"})
    assert "Be kind." in context(answer)
    assert "- .xcsh/rules/errors.md: How errors leave the API" in context(answer)
    assert "As values." not in context(answer)


def test_the_introduction_is_given_once_wherever_it_can_be(hook: Hook) -> None:
    def event(name: str, **more: str) -> str:
        return context(hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": name, **more})[1])

    assert "Be kind." in event("UserPromptSubmit")  # the hook was installed in the middle of a session
    assert event("UserPromptSubmit") == event("SessionStart", source="resume") == ""
    event("PreCompact")
    assert "Be kind." in event("SessionStart", source="compact")
    hook.project.write({".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kinder.\n"})
    assert "Be kinder." in event("SessionStart", source="resume")
    assert context(hook({"cwd": "$PROJECT", "hook_event_name": "UserPromptSubmit"})[1]) == ""  # nothing to remember by


def test_after_so_many_denials_in_a_turn_no_more_until_the_next_prompt(hook: Hook) -> None:
    # T-15
    rules = {f".xcsh/rules/no-{word}.md": f"---\ncondition: {word}\n---\nx\n" for word in ("one", "two", "three")}
    hook.project.write({"~/.xcsh/agent/settings.toml": "[ttsr]\nmax_interrupts = 2\n", **rules})
    writing = [call(file_path="$PROJECT/a.md", content=word) for word in ("one", "two", "three")]
    assert [says(hook(payload)[1]) for payload in writing] == ["deny", "deny", "context"]
    hook.project.write({".xcsh/rules/no-four.md": "---\ncondition: four\n---\nx\n"})
    hook({"session_id": "s", "cwd": "$PROJECT", "hook_event_name": "UserPromptSubmit", "prompt": "go on"})
    assert says(hook(call(file_path="$PROJECT/a.md", content="four"))[1]) == "deny"


def test_a_rule_that_only_reminds_is_told_after_the_call_where_nothing_can_be_told_before(hook: Hook) -> None:
    # T-12
    hook.project.write(
        {".xcsh/rules/no-any.md": '---\ncondition: ": any"\ninterruptMode: never\n---\nNever use any.\n'}
    )
    payload = {**call("write_file"), "hook_event_name": "BeforeTool"}
    assert says(hook(payload)[1]) == "nothing"
    _, answer, _ = hook({**payload, "hook_event_name": "AfterTool"})
    assert "Never use any." in context(answer)
    assert "Never use any." not in context(hook({**payload, "hook_event_name": "AfterTool"})[1])


def test_a_call_that_has_run_is_not_denied(hook: Hook) -> None:
    payload = {**call("apply_patch", command=PATCH), "hook_event_name": "PostToolUse"}
    _, answer, _ = hook(payload, "--for", "codex")
    assert says(answer) == "context"
    assert "Never use any." in context(answer)


@pytest.mark.parametrize("payload", [b"", b"no JSON", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"a":'])
@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "cursor", "copilot"])
def test_what_is_no_event_never_stops_the_agent_and_is_said_in_it(payload: bytes, host: str, hook: Hook) -> None:
    code, answer, err = hook(payload, "--for", host)
    assert (code, list(answer)) == (0, ["systemMessage"])
    assert answer["systemMessage"].startswith("xcsh: the input is no JSON")
    assert err.startswith("xcsh: the input is no JSON")


def test_neither_wrong_options_nor_a_bug_of_ours_stop_the_agent(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hook(call(), "--nonsense")[0] == 1  # 2 would be a denial
    assert main(["-C", ".", "hook", "--nonsense"]) == 1
    assert hook(call(), "-C", "/nowhere/at/all")[0] == 0

    def broken(*_: object) -> object:
        raise RuntimeError("boom")

    monkeypatch.setattr("xcsh.hooks.answering.answer", broken)
    code, answer, err = hook(call())
    assert (code, says(answer)) == (0, "nothing")
    assert "a bug in xcsh" in answer["systemMessage"]
    assert "a bug in xcsh" in err
    assert "Traceback" not in err


def test_settings_and_rules_that_are_broken_do_not_stop_the_agent(hook: Hook) -> None:
    hook.project.write({".xcsh/settings.toml": "[ttsr\n", ".xcsh/rules/bad.md": '---\ncondition: "("\n---\nx\n'})
    code, answer, _ = hook(call())
    assert (code, says(answer)) == (0, "deny")


def test_where_nothing_can_be_remembered_the_rules_hold_all_the_same(hook: Hook) -> None:
    blocked = hook.project.home / ".local"
    blocked.write_text("a file where the folder should be")
    code, answer, err = hook(call())
    assert (code, says(answer)) == (0, "deny")
    assert "cannot be remembered" in err


def test_a_memory_that_was_torn_counts_as_none(hook: Hook) -> None:
    hook(call())
    (memory,) = Path(hooks_folder({}, os.fspath(hook.project.home))).glob("*.json")
    memory.write_text('{"guard": {"fired":')
    assert says(hook(call())[1]) == "deny"


def test_the_name_of_a_session_leads_nowhere(hook: Hook) -> None:
    hook(call(session="../../../etc/passwd"))
    folder = Path(hooks_folder({}, os.fspath(hook.project.home)))
    assert all(path.parent == folder for path in folder.rglob("*"))
    assert len(list(folder.glob("*.json"))) == 1


def test_the_project_is_the_agents_wherever_it_has_gone_to(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    payload = {**call(), "cwd": os.fspath(hook.project.home)}
    assert says(hook(payload)[1]) == "nothing"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", os.fspath(hook.project.root))
    assert says(hook(payload, "--for", "claude")[1]) == "deny"


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be removed there")
def test_an_agent_whose_own_folder_is_gone_is_answered_for_the_folder_that_it_names(hook: Hook) -> None:
    # as an agent that has removed the worktree that it was in
    gone = hook.project.root / "gone"
    gone.mkdir()
    hook.monkeypatch.chdir(gone)
    gone.rmdir()
    assert says(hook(call())[1]) == "deny"
    for nowhere in ("", ".", os.fspath(gone)):
        code, answer, said = hook({**call(session="t"), "cwd": nowhere})
        assert code == 0
        assert "folder is gone" in said
        assert "folder is gone" in answer["systemMessage"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_what_cannot_even_be_said_does_not_stop_the_agent(hook: Hook) -> None:
    full = open("/dev/full", "w", encoding="utf-8", buffering=1)  # noqa: SIM115 - what is in it cannot be written
    hook.monkeypatch.setattr(sys, "stderr", full)
    code, answer, _ = hook(b"no JSON")
    assert (code, "no JSON" in answer["systemMessage"]) == (0, True)
    full.close()  # by then it leads elsewhere


def test_old_memories_go(tmp_path: Path) -> None:
    folder = tmp_path / "hooks"
    with remembered(os.fspath(folder), "s", pytest.fail) as memory:
        memory.give(["x"])
    prune(os.fspath(folder))
    (kept,) = folder.glob("*.json")
    prune(os.fspath(folder), now=kept.stat().st_mtime + 40 * 86_400)
    assert list(folder.iterdir()) == []


def test_of_a_patch_the_lines_that_come_in_count_for_each_file() -> None:
    text = (
        "*** Begin Patch\n*** Add File: a.py\n+one\n+two\n*** Update File: b.py\n*** Move to: c.py\n@@ def f\n"
        "-old\n+new\n context\n*** Delete File: d.py\n*** End Patch"
    )
    assert [tuple(file) for file in patched_files(text)] == [("a.py", "one\ntwo\n"), ("c.py", "new\n")]


@pytest.mark.parametrize(("at", "outcome"), [(0, "deny"), (MOST_VALUES + 5, "nothing")])
def test_of_a_call_with_very_many_values_the_first_are_looked_at_and_that_is_said(
    at: int, outcome: str, hook: Hook
) -> None:
    edits = [{"new_string": "let a: any" if number == at else "x"} for number in range(MOST_VALUES + 10)]
    code, answer, said = hook(call("MultiEdit", file_path="$PROJECT/README.md", edits=edits))
    assert (code, says(answer)) == (0, outcome)
    assert "beyond the first 20,000 no rules were looked for" in said


def test_of_very_many_files_the_first_are_looked_at_and_that_is_said(hook: Hook) -> None:
    files = "".join(f"*** Update File: docs/{number}\n@@\n+x\n" for number in range(MOST_FILES))
    patch = f"*** Begin Patch\n{files}*** Update File: src/a.ts\n@@\n+let a: any\n*** End Patch\n"
    code, answer, said = hook(call("apply_patch", command=patch))
    assert (code, says(answer)) == (0, "nothing")
    assert "the call is about 5,001 files; beyond the first 5,000 no rules were looked for" in said


@pytest.mark.parametrize("depth", [400, 900])
def test_of_a_call_that_is_nested_without_end_no_harm_comes(depth: int, hook: Hook) -> None:
    nested: object = ["x"] * (MOST_VALUES + 1)
    for _ in range(depth):
        nested = [nested]
    code, _, said = hook(call("Write", content=nested))
    assert (code, "bug" in said) == (0, False)


def test_the_example_of_the_page_is_answered_as_the_page_says(hook: Hook) -> None:
    page = Path(__file__).parents[2].joinpath("docs/hooks.md").read_text("utf-8")
    rule, event = (
        re.findall(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) for kind in ("markdown", "json")
    )
    hook.project.write({".xcsh/rules/no-any.md": rule[0]})
    hook.project.path(".windsurf/rules/ts.md").unlink()
    for _ in range(2):
        assert says(hook(event[0].encode(), "--for", "claude")[1]) == "deny"
    assert says(hook(event[0].replace(": any", "").encode(), "--for", "claude")[1]) == "nothing"
