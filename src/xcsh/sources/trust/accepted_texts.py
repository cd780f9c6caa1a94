"""Which texts of a project the user has looked at and accepted: each by its content, and for one thing only."""

from __future__ import annotations

import os
from collections.abc import Iterable

from xcsh.model.diagnostic import ignore
from xcsh.model.source import Environment
from xcsh.sources.trust.store import Store, change_store, has_store, read_store

INCLUDES = "includes"
"""A command's text may run commands and include files."""

HIDDEN = "hidden"
"""A text may be used although it holds characters that hide or reorder what is read."""


def digest_of(text: str, purpose: str) -> str:
    """The SHA-256 of a text for a purpose: who accepts it for one has not accepted it for another."""
    import hashlib  # noqa: PLC0415 - only where a text needs to be accepted

    return hashlib.sha256(f"{purpose}\0{text}".encode("utf-8", "surrogateescape")).hexdigest()


def is_accepted(environment: Environment, path: str, text: str, purpose: str) -> bool:
    """Whether the file's text, as it is, was accepted in this folder; next to nothing is done where none ever was."""
    if not has_store(environment):
        return False
    stored = read_store(environment, ignore)
    folder = stored.texts.get(os.path.realpath(environment.cwd), {}) if stored else {}
    return folder.get(_key(path, purpose)) == digest_of(text, purpose)


def accept(environment: Environment, texts: Iterable[tuple[str, str, str]]) -> None:
    """Accepts path, text and purpose of each. Raises UsageError where the store cannot be read or written."""
    accepted = {_key(path, purpose): digest_of(text, purpose) for path, text, purpose in texts}

    def add(stored: Store) -> bool:
        stored.texts.setdefault(os.path.realpath(environment.cwd), {}).update(accepted)
        return True

    change_store(environment, add)


def _key(path: str, purpose: str) -> str:
    return f"{purpose}:{path}"
