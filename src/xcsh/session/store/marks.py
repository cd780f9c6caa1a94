"""The mark that stands for an image in a text of the user. Light to import."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

MARK = re.compile(r"\[image:(?P<name>[^\s\[\]#]+)#(?P<token>[0-9a-f]{16})\]")
_ODD = re.compile(r"[^\w.-]+")
_LONGEST = 40


class Mark(NamedTuple):
    """`[image:NAME#TOKEN]`. It has no spaces, so that it stays whole as an argument of a command."""

    name: str
    token: str

    def __str__(self) -> str:
        return f"[image:{self.name}#{self.token}]"


def new_mark(name: str) -> Mark:
    """A mark that nothing can have been written to match: its token is random."""
    plain = _ODD.sub("_", name.replace("\\", "/").rstrip("/").rpartition("/")[2])
    return Mark(plain[-_LONGEST:] or "image", os.urandom(8).hex())


def without_tokens(text: str) -> str:
    """The text for people: `[image NAME]` for every mark."""
    return MARK.sub(r"[image \g<name>]", text) if "[image:" in text else text
