"""One place of a file of settings changes, every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsh.installing.jsonc import Document, NotJsonError

COMMENTED = """\
// settings
{
    "theme": "dark", // at night
    /* servers */
    "servers": {
        "other": { "command": "x" }, // kept
    },
    "list": [1, 2],
}
"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=5)


def test_a_member_goes_in_and_out_and_the_rest_stays_as_it_was() -> None:
    before = Document(COMMENTED, "p")
    after = before.set(("servers", "xcsh"), {"command": "xcsh", "args": ["mcp"]})
    assert after.text == COMMENTED.replace(
        '"other": { "command": "x" }, // kept',
        '"other": { "command": "x" },\n        "xcsh": {\n            "command": "xcsh",\n            "args": [\n'
        '                "mcp"\n            ]\n        }, // kept',
    )
    assert after.remove(("servers", "xcsh")).text == COMMENTED


def test_what_is_there_is_replaced() -> None:
    assert Document(COMMENTED, "p").set(("theme",), "light").text == COMMENTED.replace('"dark"', '"light"')


@pytest.mark.parametrize("text", ["", " \n", "{}", "{ }\n", "// empty\n{\n}\n"])
def test_an_empty_file_becomes_one_with_the_member(text: str) -> None:
    after = Document(text, "p").set(("a", "b"), 1)
    assert after.value() == {"a": {"b": 1}}
    if "//" in text:
        assert "// empty" in after.text


def test_a_comment_in_an_empty_object_stays() -> None:
    after = Document('{"a": {\n  // nothing yet\n}}', "p").set(("a", "b"), 1)
    assert "// nothing yet" in after.text
    assert after.value() == {"a": {"b": 1}}


def test_items_go_into_lists_and_out_of_them() -> None:
    after = Document(COMMENTED, "p").append(("list",), {"x": 1}).append(("new", "list"), 7)
    assert (after.value("list"), after.value("new")) == ([1, 2, {"x": 1}], {"list": [7]})
    assert after.remove_items(("list",), lambda item: item == {"x": 1}).value("list") == [1, 2]
    assert after.remove_items(("list",), lambda _: True).value("list") == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "1:2"), ("[]", "1:3"), ("{} x", "1:4"), ('{"a" 1}', "1:6"), ('{"a": 1 "b": 2}', "1:9"), ("{'a': 1}", "1:2"),
        ('{"a": 01}', "1:8"), ('{"a": "\n"}', "1:7"), ('{\n "a": nul}', "2:7"), ('{"a": /* }', "1:7"),
        ('{"a":' * 300, "1:501"), ('{"\\ud8": 1}', "1:2"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_said_with_its_place(text: str, place: str) -> None:
    with pytest.raises(NotJsonError, match=f"^p:{place}: this is no JSON"):
        Document(text, "p")


def test_a_value_where_an_object_should_be_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="`theme` is no object"):
        Document(COMMENTED, "p").set(("theme", "x"), 1)
    with pytest.raises(ValueError, match="`theme` is no list"):
        Document(COMMENTED, "p").append(("theme",), 1)


@given(OBJECTS, st.lists(st.text(), min_size=1, max_size=3), JSON, st.sampled_from([None, 1, 2, "\t"]))
def test_any_value_can_be_set_anywhere_and_nothing_else_changes(
    values: dict[str, object], keys: list[str], value: object, indent: int | str | None
) -> None:
    """A change means what the same change of the values means, and taking it back is what there was."""
    before = Document(json.dumps(values, indent=indent, ensure_ascii=False), "p")
    holder: object = values
    for key in keys[:-1]:
        if not isinstance(holder, dict):
            return
        holder = holder.get(key, {})
    if not isinstance(holder, dict):
        return
    expected = json.loads(json.dumps(values))
    inner = expected
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
    inner[keys[-1]] = value
    after = before.set(keys, value)
    assert after.value() == expected
    assert json.loads(after.text) == expected
    if keys[-1] not in holder:
        back = after.remove(keys).value()
        assert back == json.loads(json.dumps(values)) or len(keys) > 1


def test_a_mark_of_the_byte_order_stays_at_the_beginning() -> None:
    assert Document('\ufeff{"a": 1}', "f").set(("b",), 2).text == '\ufeff{"a": 1, "b": 2}'


@given(
    OBJECTS,
    st.lists(st.text(), min_size=1, max_size=3),
    JSON,
    st.sampled_from([None, 1, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 1),
    st.sampled_from(["", "\ufeff"]),
)
def test_what_is_written_looks_like_the_file_around_it(
    values: dict[str, object],
    keys: list[str],
    value: object,
    indent: int | str | None,
    end: str,
    ended: int,
    mark: str,
) -> None:
    """Every byte outside of the insertion stays, and inserted lines end as the lines of the file do."""
    text = json.dumps(values, indent=indent, ensure_ascii=False).replace("\n", end)
    before = Document(f"{mark}{text}{end * ended}", "p")
    if not isinstance(before.value(*keys[:-1]) if keys[1:] else values, dict | None) or before.node(*keys):
        return
    try:
        after = before.set(keys, value)
    except ValueError:
        return  # something on the way is no object
    pairs = zip(before.text, after.text, strict=False)
    start = next(index for index, (old, new) in enumerate(pairs) if old != new)
    rest = before.text[start:]
    while not after.text[start:].endswith(rest):
        assert rest[0].isspace()  # of an empty object, which is opened up
        rest = rest[1:]
    inserted = after.text[start : len(after.text) - len(rest)]
    bare = inserted.replace(end, "") if "\n" in before.text else inserted
    assert "\n" not in bare or "\n" not in before.text
    assert "\r" not in bare


CRLF = '\ufeff{\r\n\t"a": {\r\n\t\t"b": 1 // one\r\n\t}\r\n}'


def test_a_file_of_windows_stays_one() -> None:
    after = Document(CRLF, "p").set(("a", "c"), [1])
    assert after.text == CRLF.replace("1 //", '1,\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t] //')
    assert after.remove(("a", "c")).text == CRLF
    assert Document("\ufeff\r\n", "p").set(("a",), 1).text == '\ufeff{\r\n  "a": 1\r\n}\r\n'


def test_a_member_is_indented_as_the_one_above_it() -> None:
    before = '{\n  "a": {\n        "b": 1\n  }\n}\n'
    after = '{\n  "a": {\n        "b": 1,\n        "c": 2\n  }\n}\n'
    assert Document(before, "p").set(("a", "c"), 2).text == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  // only\n  "x": 1\n}\n', "{\n  // only\n}\n"),
        ('{ // mine\n  "x": 1 }', "{ // mine\n   }"),
        ('{\n  "x": 1 // about x\n}', "{\n   // about x\n}"),
        ('{\n  "x": 1, // about x\n  // about b\n  "b": 2\n}', '{\n   // about x\n  // about b\n  "b": 2\n}'),
        ('{\n  "a": 1, // about a\n  "x": 2\n}', '{\n  "a": 1 // about a\n}'),
        ('{\r\n  "a": 1, // about a\r\n  "x": 2,\r\n  "b": 3\r\n}', '{\r\n  "a": 1, // about a\r\n  "b": 3\r\n}'),
        ('{"a": 1 /* a */, /* x, too */ "x": 2, }', '{"a": 1 /* a */, /* x, too */  }'),
        ('{"x": 1,}', "{}"),
    ],
)
def test_comments_beside_what_is_taken_out_stay(before: str, after: str) -> None:
    assert Document(before, "f").remove(["x"]).text == after


@pytest.mark.parametrize(
    "before", ["{\n  // only\n}\n", "\ufeff{\r\n\t// only\r\n\t/* two */\r\n}", '{"a": [ /* x */ ]}']
)
def test_in_and_out_again_every_comment_is_where_it_was(before: str) -> None:
    assert Document(before, "f").set(["x"], {"y": 1}).remove(["x"]).text == before
