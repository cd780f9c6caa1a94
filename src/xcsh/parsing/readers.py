"""The readers of provider tables: what a provider keeps of a parsed value. None means nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xcsh.parsing.values import elements


def as_it_stands(value: object) -> object:
    """Any value."""
    return value


def text(value: object) -> object:
    """A string."""
    return value if isinstance(value, str) else None


def only_true(value: object) -> object:
    """`true`; false becomes absent."""
    return True if value is True else None


def boolean(value: object) -> object:
    """A bool."""
    return value if isinstance(value, bool) else None


def strings(value: object) -> object:
    """The string elements of a list, or a single string as a list of one."""
    if isinstance(value, str):
        return [value]
    listed = elements(value)
    return None if listed is None else [element for element in listed if isinstance(element, str)]


def text_or_texts(value: object) -> object:
    """A string or a list of strings, as a list; anything else in a list is dropped."""
    kept = strings(value)
    return kept or None


def by_word(meanings: Mapping[str, str]) -> Callable[[object], str | None]:
    """A function that says what a word means to a tool, in any case; None for another value."""
    folded = {word.lower(): meaning for word, meaning in meanings.items()}

    def meaning_of(value: object) -> str | None:
        return folded.get(value.strip().lower()) if isinstance(value, str) else None

    return meaning_of
