"""A session as a Markdown page for people. Nothing of a conversation can end the block that it stands in."""

from __future__ import annotations

import re

from xcsh.session.store.marks import without_tokens
from xcsh.session.store.reading import StoredSession
from xcsh.session.store.transcript import ANSWER, CALL, RESULT, THINKING, USER, Entry, turns_of
from xcsh.surfaces.layout import plural, visible

_TITLE = 80
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_TAG = re.compile(r"<[A-Za-z/!?]")


def markdown_of(session: StoredSession) -> str:
    """The page: a heading a turn, what was said as quotations, what tools did to be folded out."""
    turns = turns_of(session.messages)
    blocks = [f"# {_heading(session, turns)}", _about(session)]
    for number, entries in enumerate(turns, 1):
        blocks += [f"## Turn {number}", *(_block(entry) for entry in entries)]
    if waiting := (*session.unanswered, *session.steering, *session.follow_ups):
        blocks += ["## Not answered yet", *(_said("You", without_tokens(text)) for text in waiting)]
    if session.problems:
        blocks += ["## Damage", "\n".join(f"- {_code(problem.message)}" for problem in session.problems)]
    return "\n\n".join(blocks) + "\n"


def _heading(session: StoredSession, turns: list[list[Entry]]) -> str:
    first = next((entry.text for turn in turns for entry in turn if entry.kind == USER), "")
    words = " ".join((session.title or first).split())
    return _code(words[:_TITLE] + ("…" if len(words) > _TITLE else "")) if words else "A session"


def _about(session: StoredSession) -> str:
    tokens = session.usage.get("input_tokens", 0), session.usage.get("output_tokens", 0)
    rows = (
        ("session", session.id), ("folder", session.cwd), ("model", session.model), ("begun", session.created),
        ("last used", session.updated), ("length", f"{plural(session.turns, 'turn')}, {sum(tokens):,} tokens"),
    )  # fmt: skip
    return "\n".join(f"- {name}: {_code(value)}" for name, value in rows if value)


def _block(entry: Entry) -> str:
    if entry.kind == USER:
        return _said("You", entry.text)
    if entry.kind == ANSWER:
        return _said("Model", entry.text)
    if entry.told is not None:
        said = _code(entry.text) if entry.told.rules else _fenced(entry.text)
        return f"{entry.told.sign} {said}".lstrip()
    if entry.kind == THINKING:
        return _folded("thinking", _fenced(entry.text))
    if entry.kind == CALL:
        result = "no result" if entry.result is None else _fenced(entry.result)
        return _folded(f"call of {entry.name}", _fenced(entry.text, "json"), result)
    label = f"result of {entry.name}" if entry.kind == RESULT else entry.name
    return _folded(label, _fenced(entry.text))


def _said(who: str, text: str) -> str:
    """A text of Markdown as a quotation, which nothing in it can leave; fenced where HTML stands in it."""
    lines = _lines(text)
    body = [f"> {line}" if line else ">" for line in lines] if _is_tame(lines) else [_fenced(text, "markdown")]
    return "\n".join([f"**{who}**", "", *body])


def _folded(label: str, *blocks: str) -> str:
    name = visible(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "\n\n".join([f"<details><summary>{name}</summary>", *blocks, "</details>"])


def _fenced(text: str, language: str = "") -> str:
    """A code block with a fence that the text does not hold."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *_lines(text), fence])


def _code(text: str) -> str:
    """One line of code that shows the text as it is."""
    shown = visible(text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def _lines(text: str) -> list[str]:
    """The lines as Markdown counts them, without what would drive a terminal."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [visible(line.replace("\t", "    ")) for line in lines]


def _is_tame(lines: list[str]) -> bool:
    """Whether a text holds no HTML outside its code. In doubt it does: fences must be plain to see."""
    fence = ""
    for line in lines:
        if fence:
            if line.startswith(fence) and not line.strip(fence[0] + " "):
                fence = ""
            continue
        mark = line[:1]
        if line.startswith(("```", "~~~")):
            fence = line[: len(line) - len(line.lstrip(mark))]
            if mark in line[len(fence) :]:
                return False
            continue
        rest = _CODE_SPAN.sub("", line)
        if "`" in rest or "~~~" in rest or "\\`" in line or _TAG.search(rest):
            return False
    return True
