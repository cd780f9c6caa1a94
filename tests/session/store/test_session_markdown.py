"""A session as a page: readable, and nothing of a conversation gets out of its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.messages import BinaryContent, InstructionBaselinePart, ModelMessage, ModelRequest, UserPromptPart
from tests.session.store.conversations import WHEN, asked, called, returned, said, thought

from xcsh.guard.injection import injection
from xcsh.model.rule import Rule
from xcsh.model.source import Level, Origin
from xcsh.session.store import StoredSession
from xcsh.session.store.markdown import markdown_of
from xcsh.session.store.rendering import render_session
from xcsh.surfaces.layout import Style

NASTY = [
    "```", "````", "~~~", "`", "``", "\\`", "</details>", "<details>", "<!--", "-->", "<script>", "</blockquote>", "<x ",
    "# head", "---", "===", "> ", "- ", "1. ", "    ", "  ", "\t", "\n", "\n\n", "\r", "\r\n", "\u2028", "\x1b[2J", "\0",
    "[a]: b", "a", "List<int>", "&lt;", "<", ">", "|", "\\", "$", "<?", "<![CDATA[", "```js", "~", "`a`", "`<b>`",
]  # fmt: skip
nasty = st.lists(st.sampled_from(NASTY), max_size=12).map("".join)


def session(*messages: ModelMessage, title: str = "", waiting: tuple[str, ...] = ()) -> StoredSession:
    return StoredSession(
        "20261130-145229-ab12cd", "/s.jsonl", "/work", "fake", title, "2026-11-30T14:52:29Z", "2026-11-30T15:00:00Z",
        list(messages), (), (), waiting, {}, (), 2, {"input_tokens": 1000, "output_tokens": 5}, (),
    )  # fmt: skip


def test_what_the_instructions_were_made_of_is_no_part_of_the_conversation() -> None:
    # S-8: never sent to a model, and without a text
    request = ModelRequest(parts=[InstructionBaselinePart(instructions=[]), UserPromptPart("hi", timestamp=WHEN)])
    page = markdown_of(session(request, said("Hello.")))
    assert "> hi" in page
    assert "instruction-baseline" not in page


def test_what_xcsh_told_is_not_what_the_user_said() -> None:
    # S-13: on a page and on a terminal
    rule = Rule("no-any", "Never.", Origin("native", "xcsh", Level.PROJECT, "/w/no-any.md"))
    told = session(asked("hi"), asked(injection([rule], "/w")), said("Hello."))
    line = "stopped by no-any (no-any.md); retrying with the rule"
    page = markdown_of(told)
    assert f"⚡ `{line}`" in page
    lines = render_session(told, Style(colour=False))
    assert f"  ⚡ {line}" in lines
    for text in (page, "\n".join(lines)):
        assert "system-interrupt" not in text
        assert text.count("You") + text.count("  user") == 1


def test_a_page_reads_as_the_conversation_went() -> None:
    page = markdown_of(
        session(
            asked("Which **colour**?"), thought("Hm."), called("a"), returned("a", content="a ``` b"), said("Red.\n\n1. x"),
            asked("And <b>?"), called("b"), asked("quickly"), title="Colours", waiting=("later",),
        )
    )  # fmt: skip
    assert page == snapshot("""\
# `Colours`

- session: `20261130-145229-ab12cd`
- folder: `/work`
- model: `fake`
- begun: `2026-11-30T14:52:29Z`
- last used: `2026-11-30T15:00:00Z`
- length: `2 turns, 1,005 tokens`

## Turn 1

**You**

> Which **colour**?

<details><summary>thinking</summary>

```
Hm.
```

</details>

**Model**

> Let me look.

<details><summary>call of read_file</summary>

```json
{
  "path": "a.py"
}
```

````
a ``` b
````

</details>

**Model**

> Red.
>
> 1. x

## Turn 2

**You**

```markdown
And <b>?
```

**Model**

> Let me look.

<details><summary>call of read_file</summary>

```json
{
  "path": "a.py"
}
```

no result

</details>

**You**

> quickly

## Not answered yet

**You**

> later
""")


def test_what_is_no_text_is_named() -> None:
    content = ["look", BinaryContent(data=b"x", media_type="image/png")]
    page = markdown_of(session(ModelRequest(parts=[UserPromptPart(content, timestamp=WHEN)])))
    assert "> look\n> [image/png]\n" in page


def _tokens(page: str) -> list[Any]:
    markdown_it = pytest.importorskip("markdown_it")
    return list(markdown_it.MarkdownIt("commonmark", {"html": True}).parse(page))


@given(nasty, nasty)
def test_nothing_in_a_conversation_ends_the_block_that_it_stands_in(one: str, other: str) -> None:
    # "fenced so that content cannot break out"
    call = called("a", args=one)
    call.parts = [part for part in call.parts if part.part_kind == "tool-call"]
    tool = call.parts[0]
    assert tool.part_kind == "tool-call"
    tool.tool_name = other or "tool"
    page = markdown_of(
        session(asked(one), call, returned("a", content=other), said(one + "."), asked(other), thought(one + "."),
                said(other + "."), title=one, waiting=(other,))
    )  # fmt: skip
    assert not {"\x1b", "\r", "\u2028", "\0", "\t"} & set(page)
    tokens = _tokens(page)
    top = [token for token in tokens if token.level == 0]
    headings = [token.tag for token in top if token.type == "heading_open"]
    assert headings == ["h1", "h2", "h2", "h2"]
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert [text[:9] for text in html] == ["<details>", "</details", "<details>", "</details"]
    assert not [child for token in tokens for child in token.children or () if child.type == "html_inline"]
    assert {token.type.removesuffix("_open").removesuffix("_close") for token in top} <= {
        "heading", "bullet_list", "paragraph", "blockquote", "fence", "html_block", "inline",
    }  # fmt: skip
    plain = [token.content for token in tokens if token.type == "inline" and token.level == 1]
    assert set(plain[1:]) - {"no result"} <= {"**You**", "**Model**", "Turn 1", "Turn 2", "Not answered yet"}
