"""Which tools may run while nobody is there to consent."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.errors import UsageError

READ_TOOLS = ("read_file", "list_files", "grep", "read_rule")
"""Change nothing and need no consent."""

WRITE, EDIT, SHELL = "write", "edit", "shell"
TOOLS_OF = {WRITE: ("write_file", "edit_file"), EDIT: ("edit_file",), SHELL: ("shell",)}
_CHANGING = ("write_file", "edit_file", "shell")


def grants(values: Iterable[str]) -> frozenset[str]:
    """The tools that the values of `--allow` name, each a comma-separated list. Raises UsageError for another word."""
    tools: set[str] = set()
    for word in (word.strip() for value in values for word in value.split(",")):
        if word and word not in TOOLS_OF:
            raise UsageError(f"--allow: {word!r} is no tool that can be allowed", f"choose of: {', '.join(TOOLS_OF)}")
        tools.update(TOOLS_OF.get(word, ()))
    return frozenset(tools)


def refused(granted: frozenset[str]) -> tuple[str, ...]:
    """The tools that are not offered, in a fixed order."""
    return tuple(tool for tool in _CHANGING if tool not in granted)


def told_to_the_model(granted: frozenset[str]) -> str:
    """What the instructions say of the tools that are missing; empty where none is."""
    missing = refused(granted)
    if not missing:
        return ""
    return (
        f"Not available in this run, because nobody is here to consent: {', '.join(missing)}. "
        "Do not try to call them. Show what you would change or run, as text, and say that it was not done."
    )


def told_to_the_user(granted: frozenset[str]) -> str:
    """One line on what the model may not do and how to allow it; empty where it may do everything."""
    missing = refused(granted)
    if not missing:
        return ""
    words = [WRITE] if "write_file" in missing else []
    words += [EDIT] if "edit_file" in missing and not words else []
    words += [SHELL] if SHELL in missing else []
    return f"the model may not use {', '.join(missing)}; to let it: --allow {','.join(words)}"
