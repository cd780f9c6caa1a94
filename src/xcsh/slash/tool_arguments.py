"""Fills a template by a tool's own argument syntax, in one pass: what is put in is not looked at again (C-28)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from xcsh.model.arguments import ArgumentSyntax, Names, Whole
from xcsh.slash.invocation import Invocation
from xcsh.slash.shell_line import Filled

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)\Z", re.DOTALL)
_LARGEST = 9
"""Digits of a number that somebody could mean as the place of an argument."""


class ToolCall(NamedTuple):
    """The arguments of one call, as one tool sees them for one template.

    `rest_at`: the number in the template that takes everything from there on; 0 for none. `named`: values by name.
    """

    syntax: ArgumentSyntax
    args: Sequence[str]
    raw: str
    named: dict[str, str]
    rest_at: int = 0
    variables: Mapping[str, str] = MappingProxyType({})

    def value(self, match: re.Match[str]) -> str | None:
        """What a placeholder becomes; None where it stays as it stands."""
        groups = match.groupdict()
        if groups.get("bracket") is not None:
            return self._at(int(groups["bracket"][:_LARGEST]), "")
        if groups.get("index") is not None:
            return self._numbered(groups["index"])
        if groups.get("whole") is not None:
            return self.raw if self.syntax.whole == Whole.TYPED else " ".join(self.args)
        if groups.get("braces") is not None:
            return self.raw
        if groups.get("variable") is not None:
            return self.variables.get(groups["variable"])
        name = groups.get("name") or groups.get("input")
        return None if name is None else self.named.get(name)

    def _numbered(self, digits: str) -> str | None:
        first = self.syntax.first or 0
        number = int(digits[: _LARGEST + 1])
        if number < first:
            return None
        if self.rest_at and number == self.rest_at:
            return " ".join(self.args[number - first :])
        return self._at(number - first, None if self.syntax.keeps_missing else "")

    def _at(self, position: int, missing: str | None) -> str | None:
        kept = None if self.syntax.keeps_missing else missing
        return self.args[position] if position < len(self.args) else kept


def fill_tool(source: str, call: Invocation, meant: ToolCall, *, append: bool = True) -> str:
    """The text that a template becomes for a call, of which `meant` is what the tool makes of it.

    `append`: what was typed follows where nothing in the template took any of it, in the tool's own form.
    """
    syntax = meant.syntax
    taken = False

    def fill(match: re.Match[str]) -> str:
        nonlocal taken
        if match.groupdict().get("escaped") is not None:
            return match[0] if syntax.escape == "$" else match["escaped"]
        value = meant.value(match)
        if value is None:
            return match[0]
        taken = taken or match.groupdict().get("variable") is None
        return value

    text = placeholder(syntax).sub(fill, source)
    if append and call.raw and not taken:
        text = (text if syntax.exact_end else text.rstrip()) + syntax.appended.format(name=call.name, raw=call.raw)
    return text.strip() if syntax.trims else text


def tool_call(
    source: str,
    call: Invocation,
    names: Sequence[str],
    syntax: ArgumentSyntax,
    variables: Mapping[str, str] | None = None,
) -> ToolCall:
    """The call as the tool sees it: the placeholders of the template say which names count, and what takes the rest."""
    args = list(call.args)
    found = list(placeholder(syntax).finditer(source))
    named: dict[str, str] = {}
    if syntax.names == Names.LISTED:
        named = {name: args[at] if at < len(args) else "" for at, name in enumerate(names)}
    elif syntax.names == Names.ASSIGNED or syntax.inputs:
        wanted = dict.fromkeys(_name(match) for match in found)
        pairs = [(match[1], match[2]) if (match := _ASSIGNED.match(arg)) else ("", arg) for arg in args]
        named = {name: value for name, value in pairs if name and name in wanted}
        args = [arg for arg, (name, _) in zip(args, pairs, strict=True) if name not in named]
        if syntax.inputs:
            named |= _in_order([name for name in wanted if name and name not in named], args)
    numbers = [
        int(match["index"]) for match in found if syntax.rest and match["index"] and len(match["index"]) < _LARGEST
    ]
    return ToolCall(syntax, args, call.raw, named, max(numbers, default=0), variables or {})


def tool_placeholders(source: str, meant: ToolCall) -> list[Filled]:
    """The placeholders of a part of a template, with offsets and values; one that stays as it stands is none."""
    found: list[Filled] = []
    for match in placeholder(meant.syntax).finditer(source):
        escaped = match.groupdict().get("escaped") is not None
        if not escaped and (value := meant.value(match)) is not None:
            found.append(Filled(*match.span(), value))
    return found


def tool_places(source: str, syntax: ArgumentSyntax, names: Sequence[str]) -> list[tuple[int, int]]:
    """Where a part of a template has placeholders that some call has an argument for, by offsets."""
    return [match.span() for match in placeholder(syntax).finditer(source) if _takes(match.groupdict(), syntax, names)]


def _takes(groups: Mapping[str, str | None], syntax: ArgumentSyntax, names: Sequence[str]) -> bool:
    if groups.get("escaped") is not None or groups.get("variable") is not None:
        return False
    if (index := groups.get("index")) is not None:
        return int(index[: _LARGEST + 1]) >= (syntax.first or 0)
    name = groups.get("name")
    return name is None or syntax.names != Names.LISTED or name in names


@lru_cache(maxsize=16)
def placeholder(syntax: ArgumentSyntax) -> re.Pattern[str]:
    """What is a placeholder of a tool; a group for each kind that the tool has."""
    kinds: list[str] = []
    if syntax.whole is not None:
        kinds += [r"\$ARGUMENTS\[(?P<bracket>[0-9]+)\]"] if syntax.brackets else []
        kinds.append(r"(?P<whole>\$ARGUMENTS)")
    if syntax.first is not None:
        kinds.append(r"\$(?P<index>[0-9]+)")
    if syntax.names is not None:
        kinds.append(r"\$(?P<name>[A-Za-z_]\w*)")
    if syntax.braces:
        kinds.append(r"(?P<braces>\{\{args\}\})")
    if syntax.inputs:
        kinds.append(r"\$\{input:(?P<input>[A-Za-z_][\w-]*)(?::[^}\n]{0,500})?\}")
    if syntax.variables:
        kinds.append(r"\$\{(?P<variable>CLAUDE_[A-Z_]+)\}")
    escaped = r"\$(?:ARGUMENTS|[0-9]+|[A-Za-z_]\w*)"
    if syntax.escape:
        kinds.insert(0, rf"{re.escape(syntax.escape)}(?P<escaped>{escaped})")
    return re.compile("|".join(kinds) or r"(?!)")


def _name(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return groups.get("name") or groups.get("input") or ""


def _in_order(names: Sequence[str], args: Sequence[str]) -> dict[str, str]:
    """The names with the arguments in their order; the last name takes all that is left."""
    found = dict(zip(names, args, strict=False))
    if names and len(args) > len(names):
        found[names[-1]] = " ".join(args[len(names) - 1 :])
    return found
