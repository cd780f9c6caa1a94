"""What tools are called by those who write rules, and what their arguments mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from xcsh.errors import UsageError
from xcsh.nearest import did_you_mean, nearest

_ALIASES = {
    "edit": (
        "edit", "multiedit", "str_replace", "edit_file", "multi_edit", "str_replace_editor", "str_replace_edit",
        "notebookedit", "search_replace", "apply_diff", "insert",
        "replace", "replace_string_in_file", "insert_edit_into_file",
    ),
    "write": ("write", "create", "write_file", "create_file", "write_to_file"),
    "bash": ("bash", "shell", "run_command", "run_shell_command", "execute_command", "start_command"),
    "read": ("read", "read_file", "view"),
    "grep": ("grep", "search_files", "grep_search"),
    "glob": ("glob", "ls", "find_files", "list_directory", "list_dir", "list_files"),
}  # fmt: skip
_CANONICAL = {alias: tool for tool, aliases in _ALIASES.items() for alias in aliases}
CHANGING = frozenset({"edit", "write"})
"""The tools that change files: of their arguments only the text that the call introduces is watched (T-3a)."""

WITHOUT_PATH = frozenset({"bash"})
"""The tools whose calls name no file: no glob ever matches one."""

_INTRODUCED = frozenset({
    "content", "contents", "newtext", "newstring", "newstr", "filetext", "inserttext", "newcontent", "newsource",
    "replacement", "codeedit", "text", "body", "code",
})  # fmt: skip
_PATHS = frozenset({
    "path", "paths", "filepath", "filename", "file", "targetfile", "notebookpath", "relativepath",
})  # fmt: skip

_LONGEST_KEY = 40
"""No key of the two tables is longer; to fold a very long one for each delta of its value would take for ever."""


def canonical(name: str) -> str:
    """The one name of a tool, whatever an agent calls it."""
    lowered = name.lower()
    return _CANONICAL.get(lowered, lowered)


def own_tools(tools: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """An agent's own tools in lower case, each with what it counts as: itself, or the usual tool that it maps to.

    Raises UsageError where it maps to what is none.
    """
    given = cast("Mapping[str, str]", tools) if isinstance(tools, Mapping) else {name: name for name in tools}
    found = {name.lower(): canonical(kind) for name, kind in given.items()}
    for name, kind in found.items():
        if kind != canonical(name) and not is_known(kind):
            hint = did_you_mean(map(repr, nearest_tools(kind)), f"choose of: {', '.join(_ALIASES)}")
            raise UsageError(f"the tool {name!r} cannot count as {kind!r}, which is none of the usual tools", hint)
    return found


def is_known(name: str) -> bool:
    """Whether a name is one of the table's."""
    return name.lower() in _CANONICAL


def nearest_tools(name: str, others: Iterable[str] = (), *, alike: float = 0.6) -> list[str]:
    """The one tool, of the table or of `others`, that `name` was probably meant to be; empty for none."""
    return nearest(name, [*_CANONICAL, *others], alike=alike)


def introduces(key: str) -> bool:
    """Whether the argument `key` of a changing tool is text that the call introduces."""
    return _folded(key) in _INTRODUCED


def names_a_path(key: str) -> bool:
    """Whether the argument `key` is the path of a file."""
    return _folded(key) in _PATHS


def _folded(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower() if len(key) <= _LONGEST_KEY else ""
