"""Estimates what a text costs a model. No vocabulary ships with the package, so figures carry a `~` where shown."""

from __future__ import annotations

_ASCII_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes: four ASCII characters each, other characters one each."""
    if not text:
        return 0
    wide = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
    return max(1, (len(text) - wide) // _ASCII_PER_TOKEN + wide)
