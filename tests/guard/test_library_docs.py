"""The examples of docs/library-guard.md, as written."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from tests.llm.threaded_server import served
from tests.support import Project

from xcsh.guard.injection import injection
from xcsh.guard.policy import policy_of
from xcsh.guard.stream_guard import StreamGuard
from xcsh.llm.reply import Reply, text
from xcsh.llm.sse_server import FakeModelServer

PAGE = Path(__file__).parents[2].joinpath("docs/library-guard.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
[RULE] = re.findall(r"^```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
[PRINTED] = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BROKEN, KEPT = Reply((text("x: any = 1, and more"),)), Reply((text("x: unknown = 1"),))


@pytest.fixture
def example(project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """What the first example leaves behind, run in a project with a rule."""
    project.write({".xcsh/rules/no-any.md": RULE})
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("HOME", str(project.home))
    names: dict[str, object] = {}
    exec(EXAMPLES["text"], names)
    names["printed"] = capsys.readouterr().out
    return names


def test_there_is_an_example_of_each_kind() -> None:
    # T-17
    assert list(EXAMPLES) == ["text", "openai", "anthropic"]


def test_the_example_for_text_stops_at_the_match(example: dict[str, object]) -> None:
    # T-17
    assert example["printed"] == PRINTED
    assert isinstance(example["guard"], StreamGuard)
    assert example["guard"].history.policy == policy_of(example["registry"].settings)  # type: ignore[attr-defined]


def last_messages(server: FakeModelServer) -> list[object]:
    messages = server.exchanges[-1].request.body["messages"]
    assert isinstance(messages, list)
    return messages[-1:]


def injected(example: dict[str, object], project: Project) -> list[object]:
    watching = example["guard"]
    assert isinstance(watching, StreamGuard)
    content = injection([watching.rules["no-any"].rule], str(project.root))
    assert 'path=".xcsh/rules/no-any.md"' in content
    return [{"role": "user", "content": content}]


def test_the_example_for_openai_asks_again_with_the_rule(example: dict[str, object], project: Project) -> None:
    # T-17, T-10
    with served(BROKEN, KEPT) as server:
        exec(EXAMPLES["openai"], example)
        assert example["answer"] == "x: unknown = 1"
        assert last_messages(server) == injected(example, project)


def test_the_example_for_anthropic_asks_again_with_the_rule(
    example: dict[str, object], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # T-17, T-10
    exec(EXAMPLES["anthropic"], example)
    with served(BROKEN, KEPT) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        asking = example["ask"](example["guard"], [{"role": "user", "content": "hi"}], str(project.root))  # type: ignore[operator]
        events = asyncio.run(asking)
        assert events[-1].type == "message_stop"
        assert last_messages(server) == injected(example, project)
