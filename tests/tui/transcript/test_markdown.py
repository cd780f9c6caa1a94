"""Markdown that streams is cut into blocks: nothing is lost, and nothing is painted other than it would be whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from xcsh.tui.transcript.blocks import Block
from xcsh.tui.transcript.breaking import broken
from xcsh.tui.transcript.markdown import GrowingMarkdown
from xcsh.tui.transcript.painter import Painter, painted, visible_text, with_links

PIECES = st.sampled_from(
    ["word ", "# head\n", "\n", "- item\n", "  more\n", "```py\n", "x = 1\n", "```\n", "> quote\n", "1. one\n", "---\n",
     "| a | b |\n|---|---|\n| 1 | 2 |\n", "**bold** ", "`code` ", "<b>html</b>\n", "\t", "\x1b[31m", "|", "[a](b)", "![i](j)", "<kbd>", "*", "_", "~~", "日本", "&amp;", "\\"]
)  # fmt: skip


def streamed(pieces: list[str]) -> list[Block]:
    growing = GrowingMarkdown()
    blocks: list[Block] = []
    for piece in pieces:
        growing.add(piece)
        blocks += growing.take()
    return blocks + growing.take(whole=True)


@given(st.lists(PIECES, max_size=30))
def test_no_line_is_lost_however_the_text_comes(pieces: list[str]) -> None:
    # S-11
    source = "".join(pieces)
    lines = [line for block in streamed(pieces) for line in block.source.split("\n") if line.strip()]
    assert lines == [line for line in source.split("\n") if line.strip()]


@given(st.lists(PIECES, max_size=30), st.integers(1, 60))
def test_whatever_is_written_can_be_painted_and_fits(pieces: list[str], width: int) -> None:
    # S-11
    painter = Painter(width, {})
    for block in streamed(pieces):
        for strip in painter.markdown("model", block.shown):
            assert strip.text.isprintable()
            assert strip.cell_length <= max(20, width) + 10


def test_a_long_code_block_is_cut_and_each_piece_is_code() -> None:
    # S-11
    code = [f"value_{at} = {at}" for at in range(200)]
    blocks = streamed([f"{line}\n" for line in ["Look:", "", "```python", *code, "```", "", "Done."]])
    assert len(blocks) > 5
    assert all(block.shown.startswith("```python\n") for block in blocks[1:-1])
    assert [block.spaced for block in blocks[1:-1]] == [True, *[False] * (len(blocks) - 3)]
    painter = Painter(80, {})
    shown = [strip.text.strip() for block in blocks for strip in painter.markdown("", block.shown)]
    assert [line for line in shown if line] == ["Look:", *code, "Done."]


@pytest.mark.parametrize("opening", ["", "```json\n", "- ", "> ", "1. one\n\n   "])
@pytest.mark.parametrize("unit", ["lorem ipsum, dolor ", "abcdefghij", "日本語", "{ 'a': 1 } "])
def test_a_line_without_an_end_is_cut_in_parts_so_that_what_grows_stays_short(opening: str, unit: str) -> None:
    # S-11
    text = opening + unit * (60_000 // len(unit))
    growing = GrowingMarkdown()
    blocks: list[Block] = []
    for at in range(0, len(text), 500):
        growing.add(text[at : at + 500])
        blocks += growing.take()
        assert len(growing.rest.shown) < 6_000
    blocks += growing.take(whole=True)
    assert len(blocks) >= 12
    written = "".join(line for block in blocks for line in block.source.split("\n"))
    assert written == text.replace("\n", "")
    assert not any(block.spaced for block in blocks[2:])


def test_a_paragraph_of_many_lines_is_cut_at_one() -> None:
    # S-11
    lines = [f"line of a log {at}" for at in range(1_000)]
    growing = GrowingMarkdown()
    blocks: list[Block] = []
    for at in range(0, len(lines), 50):
        growing.add("".join(f"{line}\n" for line in lines[at : at + 50]))
        blocks += growing.take()
        assert len(growing.rest.shown) < 6_000
    blocks += growing.take(whole=True)
    assert [line for block in blocks for line in block.source.split("\n")] == lines


@given(st.text(" ab", max_size=80), st.integers(1, 12))
def test_a_line_is_broken_between_words_and_only_spaces_are_left_out(line: str, width: int) -> None:
    parts = list(broken(line, width))
    assert all(len(part) <= width for part in parts)
    assert "".join(parts).replace(" ", "") == line.replace(" ", "")
    assert not any(part.startswith(" ") for part in parts[1:] if part.strip())
    for before, after in pairwise(parts):
        assert before.endswith(" ") or len(before) == width or not after.strip()


@pytest.mark.parametrize("text", ["stopped by a rule, " * 20, "日本語 の " * 40])
def test_a_text_of_several_lines_has_its_colour_on_each(text: str) -> None:
    # S-24
    strips = Painter(40, {"failed": Style(color="red")}).text("", text, "failed", indent=0)
    assert len(strips) > 5
    assert all(style is not None and style.color is not None for strip in strips for _, style, _ in strip)


def test_a_long_list_is_cut_between_its_items_and_goes_on_counting() -> None:
    # S-11
    items = [f"{at}. item {at}\n" for at in range(1, 121)]
    blocks = streamed(items)
    assert len(blocks) > 1
    painter = Painter(80, {})
    shown = [strip.text.strip() for block in blocks for strip in painter.markdown("", block.shown)]
    assert shown == [f"{at} item {at}" for at in range(1, 121)]


@pytest.mark.parametrize("width", [30, 80, 200])
@pytest.mark.parametrize(
    "source",
    [
        "".join(f"{'  ' * at}- deep {at}\n" for at in range(45)) + "\nbehind it",
        "".join(f"{'   ' * at}1. deep {at}\n" for at in range(18)) + "\nbehind it",
        "> " * 44 + "deep 17 deep 44\n\nbehind it",
        "|" + "a |" * 70 + "\n|" + "-|" * 70 + "\n|" + "deep 17|" * 70 + "\n\nbehind it",
        "| a | b |\n|-|-|\n" + "| deep 17 | c |\n" * 500 + "\nbehind it",
    ],
    ids=["list", "numbers", "quote", "wide table", "long table"],
)
def test_what_has_no_room_or_takes_long_is_shown_as_it_is_written(source: str, width: int) -> None:
    # U-5: nothing is dropped silently
    painter = Painter(width, {})
    shown = " ".join(strip.text for block in streamed([source]) for strip in painter.markdown("", block.shown))
    assert "deep 17" in " ".join(shown.split())
    assert shown.endswith("behind it")


def test_html_and_the_address_of_a_link_are_shown() -> None:
    # U-5: nothing is dropped silently
    strips = Painter(80, {}).markdown("", "<script>x</script> and [here](https://a.example/b)")
    assert strips[0].text.strip() == "<script>x</script> and here (https://a.example/b)"


def test_nothing_that_drives_the_terminal_is_painted() -> None:
    # S-14
    assert visible_text("a\x1b[2Jb\r\n\tc\u202e") == "a\\x1b[2Jb\n    c\\u202e"
    text = "".join(strip.text for strip in Painter(40, {}).markdown("", "```\na\x1b[2Jb\n```"))
    assert "\x1b" not in text


def test_a_place_in_a_file_is_a_link_and_a_part_of_a_line_can_be_marked() -> None:
    # S-23
    (strip,) = Painter(80, {}).text("", "see src/日本/cart.ts:12 and http://x.example:80 or 12:30", indent=0)
    linked = with_links(strip, Style(underline=True))
    places = [(text, style.meta["place"]) for text, style, _ in linked if style and "place" in style.meta]
    assert places == [("src/日本/cart.ts:12", ("src/日本/cart.ts", 12))]
    assert linked.text == strip.text
    marked = painted(linked, 4, 10, Style(reverse=True))
    assert [text for text, style, _ in marked if style and style.reverse] == ["src/日本"]
    assert marked.text == strip.text
