"""What a match of a stream rule does to the answer, by the rule's mode or the setting (T-12)."""

from __future__ import annotations

from xcsh.model.rule import Rule
from xcsh.model.settings import Settings
from xcsh.parsing.scopes import interrupt_mode

IN_SHORT = {"prose-only": "stops prose only", "tool-only": "stops tool calls only", "never": "only reminds"}
"""What is said of a rule in a list; nothing of one that stops the answer wherever it matches."""


def effective_mode(rule: Rule, settings: Settings) -> str:
    """One of INTERRUPT_MODES: the rule's own, else the setting's."""
    return interrupt_mode(rule.interrupt_mode) or str(settings.get("ttsr.interrupt_mode"))
