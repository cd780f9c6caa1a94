"""Finds what is odd about a template: blocks that never close, placeholders in code, amounts of money (C-24, C-27)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xcsh.slash.template import DOLLAR, TAG, closing_tags, is_escaped, pair_tags

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_INLINE_CODE = re.compile(r"`(?<!``)[^`\n]+`(?!`)")
_CENTS = re.compile(r"[.,][0-9]")
_ANY_END = 1 << 62


class TemplateNote(NamedTuple):
    """Something odd at an offset of a template; `code` is a diagnostic's."""

    code: str
    offset: int
    length: int
    message: str


def inspect_template(source: str) -> list[TemplateNote]:
    """The notes on a template, in order."""
    return sorted([*_unclosed(source), *_misleading(source)], key=lambda note: note.offset)


def _unclosed(source: str) -> Iterator[TemplateNote]:
    tags = list(TAG.finditer(source))
    pairs = pair_tags(tags)
    closers = closing_tags(tags, pairs)
    for tag in tags:
        if tag["block"] is not None and tag.start() not in closers:
            why = "stands inside too many blocks, or in a loop itself" if tag.start() in pairs else "never closes"
            message = f"`{tag[0]}` {why}; it is left as it stands"
            yield TemplateNote("unclosed-block", tag.start(), len(tag[0]), message)


def _misleading(source: str) -> Iterator[TemplateNote]:
    """Placeholders that are replaced and often not meant so."""
    spans: list[tuple[int, int]] | None = None
    for token in DOLLAR.finditer(source):
        if is_escaped(token) or (token["index"] is not None and not token["index"].strip("0")):
            continue
        text = token[0]
        if token["index"] is not None and _CENTS.match(source, token.end()):
            message = f"`{text}` looks like an amount and is replaced by an argument"
            yield TemplateNote("amount-placeholder", token.start(), len(text), message)
            continue
        spans = code_spans(source) if spans is None else spans
        if lies_in(spans, token.start()):
            message = f"`{text}` stands in code and is replaced by an argument all the same"
            yield TemplateNote("placeholder-in-code", token.start(), len(text), message)


def code_spans(source: str) -> list[tuple[int, int]]:
    """Fenced blocks and inline code, by offsets, in order."""
    fences: list[tuple[int, int]] = []
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(source) if "```" in source or "~~~" in source else ():
        if opening is None:
            opening = match
        elif match[1][0] == opening[1][0] and len(match[1]) >= len(opening[1]):
            fences.append((opening.start(), match.end()))
            opening = None
    if opening is not None:
        fences.append((opening.start(), len(source)))
    inline = [match.span() for match in _INLINE_CODE.finditer(source) if not lies_in(fences, match.start())]
    return sorted([*fences, *inline])


def lies_in(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies in one of the spans, which are in order and apart."""
    at = bisect_right(spans, (offset, _ANY_END)) - 1
    return at >= 0 and offset < spans[at][1]
