"""docs/recordings.md: its example and its tables, as written."""

from __future__ import annotations

import io
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.support import Project

from xcsh.cli.main import main
from xcsh.errors import UsageError
from xcsh.llm.recording import parse_recording

PAGE = Path(__file__).parents[2].joinpath("docs/recordings.md").read_text(encoding="utf-8")
[EXAMPLE] = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
[(PROMPT, ANSWER)] = re.findall(
    r'^\$ xcsh -p --model replay:hello\.jsonl "(.*)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL
)
KNOWN = re.compile(r"known here: (?:one of )?(.*)")


def test_the_example_of_the_page_answers_as_the_page_says(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # S-11
    project.write({"hello.jsonl": EXAMPLE, "src/a.ts": "let a = 1\n"})
    monkeypatch.setenv("HOME", str(project.home))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    for prompt in (PROMPT, "Something else about src/a.ts"):  # `prompt` is not compared
        assert main(["-C", str(project.root), "-p", "--model", "replay:hello.jsonl", prompt]) == 0
        assert capsys.readouterr().out == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        '{"recording": 1, "x": 1}',
        '{"recording": 1}\n{"x": 1, "reply": [{"text": "a"}]}',
        '{"recording": 1}\n{"expect": {"x": 1}, "reply": [{"text": "a"}]}',
        '{"recording": 1}\n{"fail": {"x": 1}}',
        '{"recording": 1}\n{"reply": [{"text": "a", "x": 1}]}',
    ],
)
def test_the_page_names_every_field_that_is_known(text: str) -> None:
    # U-5
    with pytest.raises(UsageError, match='unknown field "x"') as caught:
        parse_recording(text)
    known = KNOWN.search(str(caught.value))
    assert known is not None
    names = re.findall(r"[a-z_]+", known[1].replace("(with ", "").replace(")", ""))
    assert len(names) > 2
    for name in names:
        assert f"`{name}`" in PAGE or f'"{name}": ' in PAGE


async def test_the_program_of_the_page_answers_from_the_recording(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-10, S-11
    project.write({"hello.jsonl": EXAMPLE, "src/a.ts": "let a = 1\n"})
    monkeypatch.setenv("HOME", str(project.home))
    [program] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"folder": str(project.root)}
    exec(f"async def program():\n{textwrap.indent(program, '    ')}\n    return answer", names)
    answer = await names["program"]()
    assert answer.text == "One variable, `a`."
