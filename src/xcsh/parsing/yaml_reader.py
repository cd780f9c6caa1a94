"""The one module that imports YAML. Composes nodes and reads shallow values from them; nothing is ever constructed."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, NamedTuple

import yaml

from xcsh.parsing.scalars import resolve

_STR = "tag:yaml.org,2002:str"
_PLAIN = "tag:xcsh,plain"
_LoaderBase: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 200
_NO_KEY = "while scanning a simple key"
"""The reader then stands behind what it took for a key."""
_PAIRS = {"[": "]", "{": "}"}


class _Nested:
    """A value too deep or too strange to be the value of any known key."""

    def __repr__(self) -> str:
        return "<nested>"


NESTED = _Nested()


class YamlError(ValueError):
    """The text is not YAML. Line and column are 0-based and relative to it.

    `opened` is the bracket or quote at that place, where it is never closed.
    """

    def __init__(self, problem: str, line: int = 0, column: int = 0, opened: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column
        self.opened = opened


class YamlValue(NamedTuple):
    """A key's value and its place, 0-based and relative to the text that was read."""

    value: object
    line: int
    column: int
    duplicate_of: int | None = None
    """The line of an earlier entry with the same key, which this one replaces."""


class _Loader(_LoaderBase):
    """Marks plain scalars, so that the YAML 1.2 core schema decides on them and not PyYAML's 1.1."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _STR
        return str(_LoaderBase.resolve(self, kind, value, implicit))


def read_mapping(text: str) -> dict[str, YamlValue] | None:
    """The top-level keys of a YAML mapping, last of each spelling; None where the text is no mapping.

    Raises YamlError for whatever a YAML reader rejects, whichever exception it chooses for that.
    """
    node = _compose(text)
    if node is None:
        return {}  # nothing, or comments alone
    if not isinstance(node, yaml.MappingNode):
        return None
    found: dict[str, YamlValue] = {}
    starts = _line_starts(text)
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
        if key is None:
            continue
        line, column = _place(value_node.start_mark, starts)
        earlier = found.get(key)
        found[key] = YamlValue(_shallow(value_node, 0), line, column, earlier.line if earlier else None)
    return found


def _compose(text: str) -> Any:
    if text.count("[") + text.count("{") > _DEEPEST and _depth(text) > _DEEPEST:
        raise YamlError("nested too deeply")
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        opened = _opened(error, text)
        at_context = opened or error.context == _NO_KEY or not error.problem_mark
        mark = error.context_mark if at_context else error.problem_mark
        line, column = _place(mark, _line_starts(text)) if mark else (0, 0)
        raise YamlError(str(error.problem or error.context or "not YAML"), line, column, opened) from None
    except yaml.reader.ReaderError as error:
        before = text[: int(error.position)] if isinstance(error.position, int) else ""
        raise YamlError(
            "a character that YAML does not allow", before.count("\n"), len(before) - before.rfind("\n") - 1
        ) from None
    except (ValueError, RecursionError, OverflowError, yaml.YAMLError) as error:
        raise YamlError(f"not YAML: {type(error).__name__}") from None


def _opened(error: Any, text: str) -> str:
    """The bracket or quote in which the reader came to the end of the text, or of what can stand in it."""
    start = error.context_mark.index if error.context_mark else 0
    character = text[start : start + 1]
    if error.context == "while scanning a quoted scalar":
        return character if "end of stream" in str(error.problem) else ""
    return character if character in _PAIRS and _PAIRS[character] not in text[start:] else ""


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _place(mark: Any, starts: list[int]) -> tuple[int, int]:
    """Line and column of a mark, 0-based. Its own are no use: YAML ends lines at U+0085, U+2028 and U+2029 too."""
    line = bisect_right(starts, int(mark.index)) - 1
    return line, int(mark.index) - starts[line]


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _shallow(node: Any, depth: int) -> object:
    """A scalar, a list of scalars, or one level of mapping; deeper things stay unread, so that no alias bomb grows."""
    if isinstance(node, yaml.ScalarNode):
        return resolve(node.value) if node.tag == _PLAIN else node.value
    if depth >= 2:  # noqa: PLR2004 - a mapping of lists is the deepest that any dialect writes
        return NESTED
    if isinstance(node, yaml.SequenceNode):
        return [_shallow(child, 2) for child in node.value]
    return {key.value: _shallow(value, depth + 1) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
