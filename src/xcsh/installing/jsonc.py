"""JSON with comments and trailing commas, as editors keep their settings: changes one place, every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.installing.line_ends import line_end

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEEPEST = 100
_INDENT = "  "
_BOM = "\ufeff"
Key = str | int
"""A key of an object, or a place in a list."""


class Node(NamedTuple):
    """A value and where it stands. `children` are the values of an object with their keys, or of a list without."""

    start: int
    end: int
    children: tuple[Member, ...] = ()
    kind: str = ""


class Member(NamedTuple):
    """A value in an object or a list. `start` is that of its key, or of the value itself."""

    key: str
    start: int
    node: Node


class NotJsonError(UsageError):
    """A text is no JSON with comments."""

    def __init__(self, path: str, text: str, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"{path}:{line}:{column}: this is no JSON", "correct the file; nothing was written")


class Document:
    """A text and the path that it is from, for messages. Every change returns another document."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text if text.strip().strip(_BOM) else _empty_object(text)
        self.path = path
        self.root, at = self._value(self._skip(len(_BOM) if self.text.startswith(_BOM) else 0), 0)
        if self._skip(at) != len(self.text) or self.root.kind != "{":
            raise NotJsonError(path, self.text, min(self._skip(at), len(self.text)))

    def value(self, *keys: Key) -> object:
        """What stands under keys, one in the other; None for nothing. A number is a place in a list."""
        node = self.node(*keys)
        return _plain(self.text, node) if node is not None else None

    def node(self, *keys: Key) -> Node | None:
        """The last one counts where a key is there twice, as for every reader."""
        node: Node | None = self.root
        for key in keys:
            if node is None or node.kind != ("[" if isinstance(key, int) else "{"):
                return None
            if isinstance(key, int):
                node = node.children[key].node if key < len(node.children) else None
            else:
                node = next((member.node for member in reversed(node.children) if member.key == key), None)
        return node

    def is_bare(self, *keys: Key) -> bool:
        """Whether an object or list stands under keys in which nothing is, no comment either."""
        node = self.node(*keys)
        return node is not None and node.kind != "" and not self.text[node.start + 1 : node.end - 1].strip()

    def set(self, keys: Sequence[str], value: object) -> Document:
        """Puts a value under keys, one in the other; objects that are missing are made. UsageError: one is none."""
        holder, depth = self.root, 0
        for depth, key in enumerate(keys, 1):
            if holder.kind != "{":
                where = ".".join(keys[: depth - 1])
                raise UsageError(f"{self.path}: `{where}` is no object", "correct the file; nothing was written")
            there = next((member.node for member in reversed(holder.children) if member.key == key), None)
            if there is None:
                for name in reversed(keys[depth:]):
                    value = {name: value}
                margin = self._margin(holder, depth)
                rendered = f"{json.dumps(key, ensure_ascii=False)}: {self._rendered(value, margin)}"
                return self._added(holder, rendered, margin)
            holder = there
        return self._spliced(holder.start, holder.end, self._rendered(value, self._line_margin(holder.start)))

    def append(self, keys: Sequence[str], value: object) -> Document:
        """Adds a value to a list under keys, which is made where it is missing. UsageError where it is none."""
        there = self.node(*keys)
        if there is None:
            return self.set(keys, [value])
        if there.kind != "[":
            raise UsageError(f"{self.path}: `{'.'.join(keys)}` is no list", "correct the file; nothing was written")
        margin = self._margin(there, len(keys) + 1)
        return self._added(there, self._rendered(value, margin), margin)

    def remove(self, keys: Sequence[str]) -> Document:
        """Takes out what stands under keys; objects and lists around it stay."""
        *parents, key = keys
        return self._without(parents, lambda _, member: member.key == key)

    def remove_at(self, keys: Sequence[Key], index: int) -> Document:
        """Takes a member out of a list, which has to be there."""
        holder = self.node(*keys)
        return self if holder is None else self._cut(holder, index)

    def remove_items(self, keys: Sequence[Key], unwanted: Callable[[object], bool]) -> Document:
        """Takes out of a list what is unwanted."""
        return self._without(keys, lambda text, member: unwanted(_plain(text, member.node)))

    def _without(self, keys: Sequence[Key], unwanted: Callable[[str, Member], bool]) -> Document:
        document = self
        while (holder := document.node(*keys)) is not None:
            found = next(
                (index for index, member in enumerate(holder.children) if unwanted(document.text, member)), None
            )
            if found is None:
                break
            document = document._cut(holder, found)
        return document

    def _cut(self, holder: Node, index: int) -> Document:
        """Takes a member out with the comma that kept it apart. Comments beside it stay."""
        members = holder.children
        start, end = members[index].start, members[index].node.end
        if index > 0 and _is_comma(self.text[members[index - 1].node.end : start]):
            return self._spliced(members[index - 1].node.end, end, "")
        if index == 0 and len(members) > 1 and _is_comma(self.text[end : members[1].start]):
            return self._spliced(start, members[1].start, "")
        head, tail = self.text[:start], self.text[end:]
        if self.text.startswith(",", comma := self._skip(end)):
            tail = self.text[end:comma] + self.text[comma + 1 :]
        elif index > 0:
            comma = self._skip(members[index - 1].node.end)
            head = self.text[:comma] + self.text[comma + 1 : start]
        rest = len(self.text) - holder.end + 1
        if len(members) == 1 and not (head[holder.start + 1 :] + tail[:-rest]).strip():
            return self._spliced(holder.start + 1, holder.end - 1, "")
        if tail.lstrip(" \t").startswith(("\r", "\n")):  # the line was its own
            head = head.rstrip()
        return Document(head + tail, self.path)

    def _added(self, holder: Node, rendered: str, margin: str) -> Document:
        newline = line_end(self.text)
        if not holder.children:
            inside = self.text[holder.start + 1 : holder.end - 1]
            kept = inside.rstrip() if inside.strip() else ""  # a comment in it
            outer = margin.removesuffix(self._indent)
            return self._spliced(holder.start + 1, holder.end - 1, f"{kept}{newline}{margin}{rendered}{newline}{outer}")
        last = holder.children[-1].node.end
        if "\n" not in self.text[holder.start : holder.end]:
            return self._spliced(last, last, f", {rendered}")
        return self._spliced(last, last, f",{newline}{margin}{rendered}")

    def _rendered(self, value: object, margin: str) -> str:
        lines = json.dumps(value, indent=self._indent, ensure_ascii=False).split("\n")
        return f"{line_end(self.text)}{margin}".join(lines)

    def _margin(self, holder: Node, depth: int) -> str:
        """What a new member is indented by: as the last one is, where that begins a line."""
        if holder.children:
            start = holder.children[-1].start
            before = self.text[self.text.rfind("\n", 0, start) + 1 : start]
            if before and not before.strip():
                return before
            return self._indent * depth
        return self._line_margin(holder.start) + self._indent

    def _line_margin(self, at: int) -> str:
        """What the line is indented by."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    @property
    def _indent(self) -> str:
        """What the first member of the file is indented by."""
        if not self.root.children:
            return _INDENT
        start = self.root.children[0].start
        before = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return before if before and not before.strip() else _INDENT

    def _spliced(self, start: int, end: int, text: str) -> Document:
        return Document(self.text[:start] + text + self.text[end:], self.path)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def _value(self, at: int, depth: int) -> tuple[Node, int]:
        kind = self.text[at : at + 1]
        if kind in ("{", "[") and depth < _DEEPEST:
            return self._container(at, kind, depth)
        found = (_STRING if kind == '"' else _PLAIN).match(self.text, at)
        if found is None:
            raise NotJsonError(self.path, self.text, at)
        return Node(at, found.end()), found.end()

    def _container(self, start: int, kind: str, depth: int) -> tuple[Node, int]:
        closing = "}" if kind == "{" else "]"
        members: list[Member] = []
        at = self._skip(start + 1)
        while not self.text.startswith(closing, at):
            member_start, key = at, ""
            if kind == "{":
                key, at = self._key(at)
            node, at = self._value(at, depth + 1)
            members.append(Member(key, member_start, node))
            at = self._skip(at)
            if self.text.startswith(",", at):
                at = self._skip(at + 1)
            elif not self.text.startswith(closing, at):
                raise NotJsonError(self.path, self.text, at)
        return Node(start, at + 1, tuple(members), kind), at + 1

    def _key(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self.text, at)
        if found is None:
            raise NotJsonError(self.path, self.text, at)
        try:
            key = str(json.loads(found[0]))
        except ValueError:
            raise NotJsonError(self.path, self.text, at) from None
        at = self._skip(found.end())
        if not self.text.startswith(":", at):
            raise NotJsonError(self.path, self.text, at)
        return key, self._skip(at + 1)


def _empty_object(text: str) -> str:
    """In place of a text that holds nothing: with its mark of the byte order, if any, and its line end."""
    return f"{_BOM if text.startswith(_BOM) else ''}{{}}{line_end(text)}"


def _is_comma(text: str) -> bool:
    """Whether nothing but a comma and white space stands there: no comment."""
    return text.strip() == ","


def _plain(text: str, node: Node) -> object:
    if node.kind == "{":
        return {member.key: _plain(text, member.node) for member in node.children}
    if node.kind == "[":
        return [_plain(text, member.node) for member in node.children]
    return json.loads(text[node.start : node.end])
