"""Sequences of terminals that Textual takes for another key."""

from __future__ import annotations

from textual import _ansi_sequences
from textual.keys import Keys

_ALT_ENTER = "\x1b\r"
"""What most terminals send for Alt+Enter. Between Esc and Enter that are typed one after the other there is a pause."""


def know_alt_enter() -> None:
    """Takes it for Ctrl+T, which queues a text too: to Textual it is Enter, and it has no name of its own for it.

    Textual's table is the only place where its parser can be told; where the table is no dictionary, nothing changes.
    """
    table = _ansi_sequences.ANSI_SEQUENCES_KEYS
    if isinstance(table, dict):
        table.setdefault(_ALT_ENTER, (Keys.ControlT,))
