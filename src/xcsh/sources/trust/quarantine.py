"""Holds a text back that reads otherwise to people than to a model, until somebody has accepted it (R-25)."""

from __future__ import annotations

from xcsh.model.source import Environment, SourceText
from xcsh.parsing.characters import find_deceptive, report_hidden
from xcsh.sources.skips import Skips


def hold_back(source: SourceText, environment: Environment, skips: Skips) -> bool:
    """Whether the text is held back, which is reported with what is hidden in it."""
    path, text = source.origin.path, source.text
    found = find_deceptive(text)
    if found is None:
        return False
    from xcsh.sources.trust.accepted_texts import HIDDEN, is_accepted  # noqa: PLC0415 - nearly all texts are sound

    if is_accepted(environment, path, text, HIDDEN):
        return False
    place, character = found
    report_hidden(text, skips.report, skips.finding(path))
    skips.hold_back(path, text, place, character)
    return True
