"""Arguments of a tool call as they stream: the strings are those of the JSON, and no shape of it costs more than another."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guard.rules import guard, names, rule

from xcsh.guard.arguments import Arguments


@pytest.mark.parametrize("opening", ["[" * 100_000 + '"', '{"' + "k" * 1_000_000 + '":"'])
def test_arguments_of_any_shape_cost_no_more_than_their_length(opening: str) -> None:
    # T-7: "Cost is linear in the streamed length"
    watching = guard(rule("r", "foo"))
    begun = time.process_time()
    watching.feed("tool", opening, call="1", tool="bash")
    for _ in range(50_000):
        watching.feed("tool", "bar" if opening[0] == "{" else 'bar","', call="1", tool="bash")
    assert names(watching.feed("tool", "foo", call="1", tool="bash")) == ["r"]
    assert time.process_time() - begun < 20


@settings(max_examples=300, deadline=None, database=None)
@given(text=st.text(), more=st.lists(st.text(), max_size=3), chunk=st.integers(1, 9), escaped=st.booleans())
def test_decoded_strings_are_what_the_json_says_however_it_is_cut(
    text: str, more: list[str], chunk: int, *, escaped: bool
) -> None:
    # T-3a
    whole = json.dumps({"a": text, "n": [1, {"b": more}, None], "c": text}, ensure_ascii=escaped)
    reader = Arguments()
    found: list[tuple[str, str]] = []
    now = ""
    for at in range(0, len(whole), chunk):
        for piece in reader.feed(whole[at : at + chunk]):
            now += piece.text
            if piece.closed:
                found.append((piece.key, now))
                now = ""
    assert found == [("a", text), *(("b", other) for other in more), ("c", text)]


@pytest.mark.parametrize("chunk", [1, 3, 100])
@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"a\ud83d\ude00b", "a😀b"), (r"a\ud83db", "a\ufffdb"), (r"a\ud83d", "a\ufffd"), (r"\ude00b", "\ufffdb"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"), (r"\ud83d\n", "\ufffd\n"), (r"\uzzzzb", "\ufffdb"),
    ],
)  # fmt: skip
def test_half_a_character_is_one_that_nobody_can_read(written: str, text: str, chunk: int) -> None:
    # T-3a: the guard gets text that every regular-expression engine takes
    whole = f'{{"content": "{written}"}}'
    reader = Arguments()
    pieces = [piece for at in range(0, len(whole), chunk) for piece in reader.feed(whole[at : at + chunk])]
    assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize(
    "ending", ["", r"\n\"\\\/\u00e9", r"\ud83d\ude00", r"\ud83d", r"\ude00b", r"\uzzzz", r"\q", "\n", "\x01", "é😀"]
)
@pytest.mark.parametrize("closing", ['", "path": "a.ts"}', '"', ""])
def test_a_long_string_is_read_alike_at_once_and_by_characters(ending: str, closing: str) -> None:
    # T-3a, T-7: "Any chunking fires the same rules"
    whole = f'{{"content": "{"ab" * 1_000}{ending}{closing}'

    def read(chunk: int) -> list[tuple[str, str]]:
        reader = Arguments()
        found: dict[str, str] = {}
        for at in range(0, len(whole), chunk):
            for piece in reader.feed(whole[at : at + chunk]):
                found[piece.key] = found.get(piece.key, "") + piece.text + ("|" if piece.closed else "")
        return list(found.items())

    assert read(len(whole)) == read(1_500) == read(1)
