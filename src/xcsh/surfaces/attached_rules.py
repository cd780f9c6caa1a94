"""What the model is told of the rules for a file that it touches, and which rules such a text holds (R-54)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from xcsh.model.rule import Rule
from xcsh.parsing.enclosing import attribute, closing_of, enclosed
from xcsh.parsing.globs import relative

_TAG = "project-rule"
_SAID = (
    "This comes from the agent, not from the user: rules of the project for files that you read or change. "
    "Keep to them in what you do with these files."
)
_CLOSING = closing_of(_TAG)
_OPENING = re.compile(rf'<{_TAG} name="([^"\n]*)" path="[^"\n]*" for="[^"\n]*">\n')
_END = f"\n</{_TAG}>"


class Given(NamedTuple):
    """What makes two blocks the same rule: its name and its content, both as they stand in a block."""

    name: str
    content: str


def given(rule: Rule) -> Given:
    """How the block of a rule is known again. A rule that was changed since is another one."""
    return Given(attribute(rule.name), enclosed(rule.content.strip("\n"), _CLOSING))


def blocks(rules: Iterable[Rule], file: str, cwd: str) -> str:
    """A block a rule. `file` is what the file is called below `cwd`, the absolute working folder.

    The content of a rule stands in its block as it is, but that `</project-rule` is written with a backslash before
    the slash. The path of a rule's own file is relative to `cwd` where it lies in it.
    """
    return "\n".join(_block(rule, file, cwd) for rule in rules)


def opened(text: str) -> str:
    """The whole text of one attachment, from its blocks."""
    return f"{_SAID}\n\n{text}"


def given_in(text: str) -> set[Given]:
    """The rules whose blocks stand in a text, whole."""
    found: set[Given] = set()
    opening = _OPENING.search(text)
    while opening is not None:
        start = opening.end()
        end = text.find(_END, start - 1)
        if end < 0:
            break  # and not again from the next opening: a text of openings would take for ever
        found.add(Given(opening[1], text[start:end]))
        opening = _OPENING.search(text, end)
    return found


def held_back(file: str, rules: Iterable[Rule]) -> str:
    """The result of a change that is not made yet; for one file and the same rules always the same text."""
    names = ", ".join(attribute(rule.name) for rule in rules)
    return (
        f"Nothing was changed yet: the project has rules for {attribute(file)} that you had not been given: {names}. "
        f"They come with this result, as <{_TAG}> blocks. If your change keeps to them, repeat the call as it is; "
        "else make the change that does."
    )


def _block(rule: Rule, file: str, cwd: str) -> str:
    known = given(rule)
    path, name_of_file = map(attribute, (relative(rule.path, cwd), file))
    return f'<{_TAG} name="{known.name}" path="{path}" for="{name_of_file}">\n{known.content}\n</{_TAG}>'
