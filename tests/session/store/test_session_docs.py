"""What docs/sessions.md says of the file and shows in Python."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.session.store.conversations import codes_of, kinds_of

from xcsh.session.store import SessionFile, list_sessions, read_session
from xcsh.session.store.records import TYPES

PAGE = Path(__file__).parents[3].joinpath("docs/sessions.md").read_text(encoding="utf-8")
LINES = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
EXAMPLE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
FIELDS = {
    kind: re.findall(r"`(\w+)`", fields)
    for kind, fields in re.findall(r"^\| `(\w+)` \| (.*?) \| .* \|$", PAGE, re.MULTILINE)
    if kind in TYPES
}


def test_the_lines_of_the_page_are_a_session(tmp_path: Path) -> None:
    path = tmp_path / "20261130-145229-ab12cd.jsonl"
    path.write_text(LINES)
    stored = read_session(str(path))
    assert (stored.id, stored.turns, len(stored.messages), stored.unanswered) == (path.stem, 1, 1, ())
    assert codes_of(stored) == []
    (summary,) = list_sessions(str(tmp_path))
    assert (summary.prompt, summary.turns, summary.tokens) == ("hello", 1, 9)


def test_the_table_names_every_type_and_field_that_is_written(tmp_path: Path) -> None:
    with SessionFile.create(str(tmp_path), cwd="/work") as file:
        file.prompt("x")
        file.withdraw("x")
        file.messages([])
        file.queue(["x"], [])
        file.state(cwd="/")
        file.note("x", {})
        file.turn("completed", {})
    written = {line["t"]: [name for name in line if name not in ("t", "time")] for line in map(json.loads, Path(file.path).read_text().splitlines())}  # fmt: skip
    assert set(FIELDS) == TYPES
    assert set(written) == TYPES - {"messages"}
    assert all(FIELDS[kind] == fields for kind, fields in written.items())
    assert kinds_of(file.path)[:2] == ["session", "open"]


def test_the_example_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(EXAMPLE, "docs/sessions.md", "exec"), {})
    assert len(list_sessions("sessions")) == 1
