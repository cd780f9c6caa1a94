"""What is special about the texts of tools that know more than a block and a body."""

from __future__ import annotations

import re

from xcsh.model.provider import RuleFields, RuleTable
from xcsh.model.source import SourceText
from xcsh.parsing import readers

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULER = re.compile(r"^---[ \t]*$", re.MULTILINE)

IMPORTED = RuleTable(
    (), RuleFields(globs=readers.strings, always_apply=readers.boolean, description=readers.text, trigger=readers.text)
)
"""How a file is read that a context file imports and that says for which files it is, as Amp has them."""


def without_comments(text: str) -> str:
    """The text without HTML comments that begin a line, as Claude Code hides them; code keeps those in it."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    fence = ""
    inside = False
    lines = text.split("\n")
    last = max(number for number, line in enumerate(lines) if "-->" in line) if "-->" in text else -1
    for number, line in enumerate(lines):
        rest = line
        if not inside:
            mark = _FENCE.match(line)
            if mark and (not fence or (mark[1].startswith(fence) and not line[mark.end() :].strip())):
                fence = "" if fence else mark[1]
            inside = not fence and number <= last and line.lstrip().startswith("<!--")
            if not inside:
                kept.append(line)
                continue
            rest = line.lstrip()[4:]
        if "-->" in rest:
            inside = False
            if after := rest.partition("-->")[2].strip():
                kept.append(after)
    return "\n".join(kept)


def with_late_block(source: SourceText) -> SourceText:
    """The text with its block at the top, where one stands behind an introduction, which then begins the body.

    Continue takes a block wherever two lines `---` are. Lines keep their numbers up to the end of the block.
    """
    text = source.text
    if text.lstrip().startswith("---"):
        return source
    fences = [match.span() for match, _ in zip(_RULER.finditer(text), range(2), strict=False)]
    if len(fences) != 2:  # noqa: PLR2004 - a block has two fences
        return source
    (start, _), (_, end) = fences
    introduction = text[:start].strip()
    head = "\n" * text.count("\n", 0, start)
    return source._replace(text=f"{head}{text[start:end]}\n{introduction}\n\n{text[end:].lstrip()}")
