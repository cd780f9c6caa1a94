"""Text between tags that nothing in it can leave: the attributes of a tag, and the content of its block."""

from __future__ import annotations

import re

_ATTRIBUTE = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;",
})  # fmt: skip


def attribute(text: str) -> str:
    """A text as it stands between the double quotes of an attribute: one line, without quotes and angles.

    What is no text, as the name of a file may be, is written out with backslashes: it could not be sent.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").translate(_ATTRIBUTE)


def closing_of(*tags: str) -> re.Pattern[str]:
    """What begins the end of a block of one of these tags, however it is spaced and whatever its case."""
    return re.compile(rf"<(\s*)/(?=\s*(?:{'|'.join(tags)}))", re.IGNORECASE)


def enclosed(content: str, closing: re.Pattern[str]) -> str:
    """A content as it is, but that what would end its block has a backslash before its slash."""
    return closing.sub(r"<\1\\/", content)
