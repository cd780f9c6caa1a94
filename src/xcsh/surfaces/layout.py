"""Text for terminals: widths, cuts, and nothing from a file that could move the cursor or hide."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from xcsh.model.source import Environment

BOLD, DIM, RED, YELLOW, BLUE, GREEN, CYAN = "1", "2", "31", "33", "34", "32", "36"

_HEADING_MARK = re.compile(r"^#{1,6} +(?=\S)")


class Style:
    """Colours a text, or leaves it as it is. Colour adds to the words and never replaces one."""

    def __init__(self, *, colour: bool, width: int = 80) -> None:
        self.colour = colour
        self.width = width

    def paint(self, text: str, *codes: str) -> str:
        """The text in a colour or weight, where colours are on."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and text else text


def visible(text: str) -> str:
    """The text with line ends, controls and reordering characters written out."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _written_out(character) for character in text)


def columns(text: str) -> int:
    """How many columns of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - only texts beyond ASCII need it

    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)


def fit(text: str, width: int) -> str:
    """The text cut to `width` columns with an ellipsis, or filled up with spaces."""
    taken = columns(text)
    if taken <= width:
        return text + " " * (width - taken)
    text = text[: _fitting(text, width - 1)]
    return text + "…" + " " * (width - columns(text) - 1)


def fit_path(path: str, width: int) -> str:
    """A path cut at its front, where it says least."""
    if columns(path) <= width:
        return fit(path, width)
    return fit("…" + path[len(path) - _fitting(reversed(path), width - 1) :], width)


def wrap(label: str, text: str, width: int, *, indent: int | None = None) -> list[str]:
    """A labelled text, broken at spaces so that it fits; further lines below its beginning, or by `indent` columns."""
    if columns(label) + columns(text) <= width or " " not in text:
        return [label + text]
    import textwrap  # noqa: PLC0415 - only long texts need it

    further = " " * (columns(label) if indent is None else indent)
    return textwrap.wrap(
        text, width, initial_indent=label, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )


def shown_path(path: str, environment: Environment) -> str:
    """A path as a terminal makes it clickable: from the working folder in its repository, below `~`, or absolute."""
    root = environment.repo_root
    if (
        root
        and not path.startswith(environment.cwd.rstrip(os.sep) + os.sep)
        and path.startswith(root.rstrip(os.sep) + os.sep)
    ):
        return visible(os.path.relpath(path, environment.cwd))
    for folder, prefix in ((environment.cwd, ""), (environment.home, "~" + os.sep)):
        if folder != os.sep and path.startswith(folder.rstrip(os.sep) + os.sep):
            return visible(prefix + path[len(folder.rstrip(os.sep)) + 1 :])
    return visible(path)


def shown_summary(text: str) -> str:
    """A description on one line, for people: a first line of Markdown that is one without its heading mark."""
    return _HEADING_MARK.sub("", " ".join(text.split()), count=1)


def bar(share: float, width: int = 6) -> str:
    """A bar of up to `width` blocks; anything above nothing shows at least one."""
    return "▇" * (max(1, round(share * width)) if share > 0 else 0)


def plural(count: int, noun: str) -> str:
    """`1 warning`, `2 warnings`; `information` stays as it is."""
    return f"{count:,} {noun}" if count == 1 or noun == "information" else f"{count:,} {noun}s"


def _written_out(character: str) -> str:
    code = ord(character)
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def _fitting(characters: Iterable[str], room: int) -> int:
    """How many of the characters, from the first on, take no more than `room` columns."""
    fitting = 0
    for character in characters:
        room -= columns(character)
        if room < 0:
            break
        fitting += 1
    return fitting
