"""Tells what the user said from what xcsh put in the user's place: rules, and notes of what was done beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from pydantic_ai.messages import UserContent, UserPromptPart

_RULE = re.compile(
    r'<(?P<tag>system-interrupt|system-reminder) reason="rule_violation" rule="(?P<rule>[^"\n]*)"'
    r' path="(?P<path>[^"\n]*)">\nThis comes from the [^\n]*\n\n'
)
_ATTACHED_SAYS = re.compile(r"This comes from the agent, not from the user: rules of the project [^\n]*\n\n")
_ATTACHED = re.compile(
    r'<(?P<tag>project-rule) name="(?P<rule>[^"\n]*)" path="(?P<path>[^"\n]*)" for="(?P<file>[^"\n]*)">\n'
)
_UNDO = re.compile(r'<(?P<tag>system-reminder) reason="undo">\n(?=The user )')
_COMMAND = re.compile(r"<(?P<tag>user_command)>\nThe user ran this command [^\n]*\n")

What = Literal["interrupt", "reminder", "attached", "undo", "command"]
_SIGNS: dict[What, str] = {"interrupt": "⚡", "reminder": "⚡", "attached": "📎", "undo": "", "command": ""}


class Told(NamedTuple):
    """What xcsh told the model in the user's place.

    `interrupt`: rules that ended an answer, which was made again; `reminder`: rules that an answer broke without being
    ended; `attached`: rules for `file`; `undo`: what the user took back; `command`: what a command of the user printed.
    `paths`: of each rule its file. `text`: for the last two what was told, without its frame.
    """

    what: What
    rules: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    file: str = ""
    text: str = ""

    @property
    def sign(self) -> str:
        """What stands before it in a transcript; empty for what needs none."""
        return _SIGNS[self.what]

    @property
    def line(self) -> str:
        """It in words, as the notice that it was; one line where it is about rules."""
        named = ", ".join(f"{rule} ({path})" for rule, path in zip(self.rules, self.paths, strict=True))
        if self.what == "interrupt":
            return f"stopped by {named}; retrying with the rule"
        if self.what == "reminder":
            return f"reminded of {named}"
        return f"{', '.join(self.rules)} attached ({self.file})" if self.what == "attached" else self.text


def said_in(part: UserPromptPart) -> list[UserContent | Told]:
    """The items of a part of the user's in their order: what the user said as it stands, what xcsh added as `Told`.

    A text is xcsh's only where all of it is: words of the user that quote such a block stay theirs.
    """
    items: Sequence[UserContent] = [part.content] if isinstance(part.content, str) else part.content
    found: list[UserContent | Told] = []
    for item in items:
        text = item if isinstance(item, str) else getattr(item, "content", None)
        found += (told_in(text) if isinstance(text, str) else []) or [item]
    return found


def told_in(text: str) -> list[Told]:
    """What xcsh told with this text; nothing where it is the user's."""
    if text.startswith("This comes "):
        said = _ATTACHED_SAYS.match(text)
        return _attached(_blocks(_ATTACHED, text, said.end())) if said is not None else []
    rules = _blocks(_RULE, text)
    if rules:
        what: What = "interrupt" if rules[0][0]["tag"] == "system-interrupt" else "reminder"
        return [Told(what, _each(rules, "rule"), _each(rules, "path"))]
    kinds: tuple[tuple[What, re.Pattern[str]], ...] = (("undo", _UNDO), ("command", _COMMAND))
    for what, opening in kinds:
        block = opening.match(text)
        closing = f"</{block['tag']}>" if block is not None else ""
        if block is not None and text.endswith(closing):
            return [Told(what, text=text[block.end() : -len(closing)].strip("\n"))]
    return []


_Block = tuple[re.Match[str], str]


def _blocks(opening: re.Pattern[str], text: str, at: int = 0) -> list[_Block]:
    """The blocks that a text is made of, with their contents; none where something else stands between them."""
    found: list[_Block] = []
    while at < len(text):
        block = opening.match(text, at)
        closing = f"</{block['tag']}>" if block is not None else ""
        end = text.find(closing, block.end()) if block is not None else -1
        if block is None or end < 0:
            return []
        found.append((block, text[block.end() : end]))
        at = end + len(closing)
        if text.startswith("\n", at):
            at += 1
    return found


def _attached(blocks: Sequence[_Block]) -> list[Told]:
    """One for each file in turn."""
    files: dict[str, list[_Block]] = {}
    for block in blocks:
        files.setdefault(html.unescape(block[0]["file"]), []).append(block)
    return [Told("attached", _each(each, "rule"), _each(each, "path"), file) for file, each in files.items()]


def _each(blocks: Sequence[_Block], field: str) -> tuple[str, ...]:
    return tuple(html.unescape(block[field]) for block, _ in blocks)
