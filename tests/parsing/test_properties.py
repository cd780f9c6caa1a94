"""What holds of parsing for every text."""

from __future__ import annotations

import re
import time

import bracex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wcmatch import glob as oracle

from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.model.document import BlockState
from xcsh.parsing import dialects
from xcsh.parsing.block import Block, find_strict
from xcsh.parsing.characters import report_hidden
from xcsh.parsing.finding import Finding
from xcsh.parsing.frontmatter import find_meant, read_meant, read_strict
from xcsh.parsing.globs import matches, matching, too_many_alternatives
from xcsh.parsing.pattern_lists import read_patterns
from xcsh.parsing.plain import Fields, read_plain
from xcsh.parsing.scopes import reaches_a_stream, split_scopes
from xcsh.sources.decode import decode, normalize_lines
from xcsh.sources.filesystem import ReadRefusedError

FINDING = Finding("/p/a.md", "cursor", quotes_help=False)
ODD = st.sampled_from(
    ["---", "\n---\n", "\n", ": ", ":", "- ", "? ", "#", " #", "'", '"', "*", "&a", "*a", "!", "!!str ", "%", "@", "`", "|", ">", "|-\n  ",
     "{", "}", "[", "]", ",", "\t", "\\", "~", "null", "true", "1", "1.5", "0x1F", "0o7", ".inf", "2024-01-02", "globs", "alwaysApply",
     "description", "condition", "scope", "\u00e9", "\u2028", "\u0085", "\ufeff", "\x00", "\x7f", "\ud800", "\U0001f600", "<!--", "-->",
     "```yaml\n", "//", "<<", "=", "a", " ", "  "]
)  # fmt: skip
TEXT = st.lists(ODD | st.text(max_size=6), max_size=25).map("".join)
FENCED = TEXT.map(lambda text: f"---\n{text}\n---\nBody.")


def _read(text: str, *, repair: bool) -> None:
    diagnostics: list[Diagnostic] = []
    block = find_meant(text, diagnostics.append, FINDING) if repair else find_strict(text)
    if block is not None and block.state != BlockState.FAILED:
        assert 0 <= block.body_start <= len(text)
        fields, state = (read_meant if repair else read_strict)(block, diagnostics.append, FINDING)
        assert state in (BlockState.READ, BlockState.REPAIRED, BlockState.FALLBACK, BlockState.FAILED)
        for field in fields.values():
            assert field.position >= (1, 1)
    lines = text.split("\n")
    for diagnostic in diagnostics:
        line, column = diagnostic.position
        assert 1 <= line <= len(lines)
        assert column >= 1


# The specification says: "parsing never raises on arbitrary text or bytes"
@given(text=TEXT | FENCED, repair=st.booleans())
@settings(max_examples=400)
@example(text="---\na: &a [*a]\n---\n", repair=True)
@example(text="---\n- \u2028\u2028x\n---\nBody.", repair=False)
@example(text="---\n? [a]\n: b\n---\n", repair=False)
@example(text="---\n<<: *x\n---\n", repair=False)
@example(text="---\n=: 1\n---\n", repair=True)
@example(text="---\na: 2024-99-99\n---\n", repair=False)
@example(text="---", repair=True)
@example(text="---", repair=False)
@example(text="---\n---", repair=False)
@example(text="---x\n---", repair=False)
def test_taking_a_text_apart_never_raises(*, text: str, repair: bool) -> None:
    _read(normalize_lines(text), repair=repair)


# The specification says: "parsing never raises on arbitrary text or bytes"
@given(st.binary(max_size=200) | TEXT.map(lambda text: text.encode("utf-16", "surrogatepass")))
@settings(max_examples=300)
def test_decoding_bytes_gives_a_text_or_refuses(data: bytes) -> None:
    diagnostics: list[Diagnostic] = []
    try:
        text = decode(data, diagnostics.append, FINDING)
    except ReadRefusedError as error:
        refused = error
    else:
        assert "\0" not in text
        assert "\r" not in text
        assert all(diagnostic.code == "not-utf8" for diagnostic in diagnostics)
        for repair in (True, False):
            _read(text, repair=repair)
        return
    assert refused.code == "binary-content"
    assert refused.position >= (1, 1)


# The specification says: "A BOM is removed and CRLF and CR are read as LF first."
@given(st.text(alphabet="ab\r\n\ufeff\u00e9", max_size=30))
def test_a_text_reads_the_same_whatever_its_line_ends_and_byte_order_mark(text: str) -> None:
    lines = text.replace("\r", "").lstrip("\ufeff")
    wanted = decode(lines.encode(), _never, FINDING)
    for ends in ("\r\n", "\r", "\n"):
        assert decode(("\ufeff" + lines.replace("\n", ends)).encode(), _never, FINDING) == wanted


def _never(diagnostic: Diagnostic) -> None:
    raise AssertionError(diagnostic)


# The specification says: "parsing never raises on arbitrary text or bytes"
@given(TEXT, TEXT)
def test_reading_patterns_scopes_and_hidden_characters_never_raises(first: str, rest: str) -> None:
    value = read_patterns(first.replace("\n", " "), rest, [])
    if isinstance(value, list):
        texts = [element for element in value if isinstance(element, str)]
        assert len(texts) == len(set(texts))
    for token in split_scopes([first, rest, 1]):
        reaches_a_stream(token)
    report_hidden(first + rest, lambda _: None, FINDING)


# The specification says: "parsing never raises on arbitrary text or bytes"
@given(
    st.text(alphabet="ab.*?[]{}!^-,\\/\u00e9\n()+|$", max_size=20), st.text(alphabet="ab./\u00e9\n[]{}*", max_size=20)
)
@settings(max_examples=400)
def test_matching_never_raises(pattern: str, path: str) -> None:
    too_many_alternatives(pattern)
    assert isinstance(matches(pattern, path), bool)
    assert matching((pattern,), path) in (pattern, None)


KEYS = st.sampled_from(
    ["description", "globs", "glob", "paths", "alwaysApply", "always-apply", "Globs", "trigger", "scope", "condition", "ttsr_trigger",
     "name", "x", "y_1", "k-2", "argument-hint", "interrupt_mode", "a1", "null", "true"]
)  # fmt: skip
PIECES = st.sampled_from(
    ["a", "src/**", "*.ts", "**/*", "*", "{a,b}", ", ", ",", " ", "  ", "'", '"', "#", " #", "# ", ":", ": ", "x:y", "- x", "-", "? x",
     "?", "!x", "!", "%x", "@x", "`a`", "|", ">", "&a", "[", "]", "[a, b]", "[a b]", "[x]", "[a - b]", "[a|b]", "[-a]", "[a: b]", "[a] b", '["a", "b"]', "{", "}", "1", "1.5", "-3", "+1", "0x1F", "0o17",
     "017", "1e3", "1_000", ".5", ".inf", "-.inf", ".nan", "~", "null", "Null", "true", "True", "TRUE", "yes", "on", "No", "2024-01-02",
     "2024-01-02T03:04:05Z", "12:30:45", "<<", "=", "\\", "\\b", "\\\\", '\\"', '"a\\\\b"', '"\\"a\\""', '"\\n"', "'it''s'", "''", "\u00e9", "\u4e2d", "\u201ca\u201d", "\u00a0", "\u0085", "\u2028",
     "\ufeff", "\t", "---", "...", "$", "^a$", "()", "+", ";", "/", "~/x", ".", "..", "(", "<a>", "\u200b", "\U0001f600"]
)  # fmt: skip
VALUES = st.lists(PIECES, max_size=5).map("".join)
LINES = st.lists(
    st.one_of(
        st.tuples(
            KEYS, st.sampled_from([": ", ":", ":  ", ":\t", " : "]), VALUES, st.sampled_from(["", " ", "  ", "\t"])
        ).map("".join),
        st.tuples(
            KEYS,
            st.just(":"),
            st.sampled_from(["", " >-", " >", " |", " |-", " |+", " >2"]),
            st.sampled_from(["\n", "\n\n"]),
            st.lists(
                st.tuples(
                    st.sampled_from(["  ", "    ", " ", "\t"]),
                    st.sampled_from(["- ", "", "-", "- - "]),
                    VALUES,
                    st.sampled_from(["", " "]),
                ).map("".join),
                min_size=1,
                max_size=3,
            ).map("\n".join),
        ).map("".join),
        st.sampled_from(["", " ", "# comment", "  more", "- item", "  - item", "key", "? a", "...", "%YAML 1.2"]),
    ),
    min_size=1,
    max_size=4,
)


# The specification says: "a property test holds it to exactly what the YAML reader would return"
@given(lines=LINES, repair=st.booleans())
@settings(max_examples=1_500)
def test_the_fast_path_reads_exactly_what_the_yaml_reader_would(*, lines: list[str], repair: bool) -> None:
    block = Block("\n".join(lines), Position(2, 1), 0, BlockState.READ)
    quick: list[Diagnostic] = []
    plain = read_plain(block, quick.append, FINDING, repair=repair)
    if plain is None:
        assert quick == []
        return
    slow: list[Diagnostic] = []
    slowly = (dialects.read_meant if repair else dialects.read_strict)(block, slow.append, FINDING)
    assert _comparable(plain) == _comparable(slowly)
    assert quick == slow


def _comparable(read: tuple[Fields, str]) -> tuple[object, str]:
    """Values with their types, so that 1, 1.0 and true differ; with places; NaN equal to itself."""
    fields, state = read
    return {key: (repr(field.value), field.position) for key, field in fields.items()}, state


# The specification says: "a property test holds it to exactly what the YAML reader would return"
@given(
    st.lists(
        st.tuples(KEYS, st.sampled_from(["a", "src/**", "1", "true", "'q'", '"q"', "*.ts", "word word"])),
        max_size=5,
        unique_by=lambda p: p[0],
    )
)
def test_plain_blocks_take_the_fast_path(pairs: list[tuple[str, str]]) -> None:
    pairs = [
        (key, value)
        for key, value in pairs
        if key in ("description", "globs", "name", "x") and (key == "globs" or value != "*.ts")
    ]
    block = Block("\n".join(f"{key}: {value}" for key, value in pairs), Position(2, 1), 0, BlockState.READ)
    assert read_plain(block, lambda _: None, FINDING, repair=True) is not None


# The specification says: "a pattern that makes a backtracking matcher slow"
@given(st.integers(10, 60), st.sampled_from(["*a", "**/a", "?*", "[ab]*", "*/", "**/*"]))
@settings(max_examples=60)
def test_bombs_of_stars_match_in_no_time(count: int, unit: str) -> None:
    pattern = (unit * count) + "b"
    path = "/".join(["a" * 50] * 20) + "c"
    matches(pattern, path)  # compiled once
    start = time.process_time()
    matches(pattern, path)
    assert time.process_time() - start < 2


# The specification says: "agrees with the usual meaning of globs"
@given(
    st.lists(
        st.sampled_from(["*", "**", "a", "b", "a*", "*b", "?", "[ab]", "*.ts", "{a,b}", "a.ts", ".a", "{a,b/c}"]),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.sampled_from(["a", "b", "ab", "a.ts", "b.ts", ".a", "c"]), min_size=1, max_size=4),
)
@settings(max_examples=600)
def test_globs_agree_with_an_independent_matcher(pattern_parts: list[str], path_parts: list[str]) -> None:
    pattern, path = "/".join(pattern_parts), "/".join(path_parts)
    flags = oracle.GLOBSTAR | oracle.DOTMATCH | oracle.FORCEUNIX
    wanted = any(
        oracle.globmatch(path, plain, flags=flags)
        or ("/" not in plain and oracle.globmatch(path_parts[-1], plain, flags=flags))
        for plain in bracex.expand(pattern)
    )
    if re.search(r"(?:^|/)\*\*$", pattern):
        return  # whether `a/**` is also `a` itself is decided below
    assert matches(pattern, path) == wanted


def test_what_lies_below_a_folder_is_not_the_folder_itself() -> None:
    assert matches("a/**", "a/b")
    assert matches("a/**", "a/b/c")
    assert not matches("a/**", "a")
    assert matches("**", "a")
    assert matches("docs/", "docs/a/b.md")
    assert not matches("docs/", "other/docs.md")
