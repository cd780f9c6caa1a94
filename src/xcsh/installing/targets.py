"""Where other agents and editors keep their servers and hooks, and what xcsh is there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from xcsh.errors import MissingExtraError, UsageError
from xcsh.hooks.hosts import HOSTS, Event
from xcsh.installing.jsonc import Document
from xcsh.installing.line_ends import with_line_ends_of

Change = Callable[[str, str, Sequence[str]], str]
"""Takes a file's text, its path for messages and the command that runs xcsh; returns the text that it becomes."""

_NAME = "xcsh"
_MADE: tuple[tuple[str, object], ...] = (
    ("mcpServers", {}), ("servers", {}), ("context_servers", {}), ("hooks", {}), ("version", 1),
)  # fmt: skip
"""What is made around ours, as it is when ours is taken out."""

_SECONDS = 10


class Target(NamedTuple):
    """One file of an agent. `project` and `user` are its paths there, empty where it has none; `~` is the home.

    `note`: what else the user has to do.
    """

    title: str
    project: str
    user: str
    install: Change
    remove: Change
    note: str = ""


def _server(*keys: str, extra: Mapping[str, object] | None = None) -> tuple[Change, Change]:
    def install(text: str, path: str, command: Sequence[str]) -> str:
        entry = {**(extra or {}), "command": command[0], "args": [*command[1:], "mcp"]}
        return Document(text, path).set((*keys, _NAME), entry).text

    def remove(text: str, path: str, _: Sequence[str]) -> str:
        return Document(text, path).remove((*keys, _NAME)).text

    return install, remove


def _codex_server() -> tuple[Change, Change]:
    def changed(text: str, path: str, entry: dict[str, object] | None) -> str:
        try:
            import tomlkit  # noqa: PLC0415 - of xcsh[agent], and only for this file
            from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"to change {path} needs {error.name}, which is not installed") from None
        try:
            document = tomlkit.parse(text)
        except TOMLKitError as error:
            raise UsageError(f"{path}: this is no TOML: {error}", "correct the file; nothing was written") from None
        servers = cast("object", document.get("mcp_servers"))  # pyright: ignore[reportUnknownMemberType]
        if servers is None:
            if entry is None:
                return text
            document["mcp_servers"] = servers = tomlkit.table(is_super_table=True)
        if not isinstance(servers, dict):
            raise UsageError(f"{path}: `mcp_servers` is no table", "correct the file; nothing was written")
        table = cast("dict[str, object]", servers)
        if entry is None:
            table.pop(_NAME, None)
        else:
            table[_NAME] = entry
        written = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]
        return with_line_ends_of(text, written)

    def install(text: str, path: str, command: Sequence[str]) -> str:
        return changed(text, path, {"command": command[0], "args": [*command[1:], "mcp"]})

    return install, lambda text, path, _: changed(text, path, None)


def _hooks(host_id: str, entry: Callable[[str, str], object], version: int | None = None) -> tuple[Change, Change]:
    """`entry` makes the entry of an event, from the kind of the event and the command line of the hook."""
    host = next(host for host in HOSTS if host.id == host_id)
    mark = f"hook --for {host_id}"

    def is_ours(item: object) -> bool:
        return any(_NAME in line.partition(mark)[0] for line in _strings(item).split("\n") if mark in line)

    def remove(text: str, path: str, _: Sequence[str]) -> str:
        document = Document(text, path)
        for event in host.events:
            before = document.text
            groups = document.value("hooks", event)
            for at in reversed(range(len(cast("list[object]", groups)) if isinstance(groups, list) else 0)):
                less = document.remove_items(("hooks", event, at, "hooks"), is_ours)  # others may be beside it
                emptied = less.text != document.text and less.is_bare("hooks", event, at, "hooks")
                if emptied or is_ours(less.value("hooks", event, at)):
                    less = less.remove_at(("hooks", event), at)
                document = less
            if document.text != before and document.is_bare("hooks", event):
                document = document.remove(("hooks", event))
        return _without_made(document, "hooks").text if document.text != text else text

    def install(text: str, path: str, command: Sequence[str]) -> str:
        document = Document(remove(text, path, command), path)
        if version is not None and document.value("version") is None:
            document = document.set(("version",), version)
        for event, kind in host.events.items():
            line = f"{command_line(command)} {mark}"
            document = document.append(("hooks", event), entry(kind, f"{line} --event {event}" if version else line))
        return document.text

    return install, remove


def command_line(command: Sequence[str], *, windows: bool = os.name == "nt") -> str:
    """The words as a line for a shell. On Windows, where one agent asks bash and another cmd.exe, as both read it."""
    if not windows:
        return shlex.join(command)
    words = (word.replace("\\", "/") for word in command)
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def _without_made(document: Document, key: str) -> Document:
    """Without what is empty under a key, where making it anew gives this very text. In any other form it is theirs."""
    if not document.is_bare(key):
        return document
    without = document.remove((key,))
    return without if without.set((key,), {}).text == document.text else document


def is_husk(text: str, path: str) -> bool:
    """Whether a file that ours was taken out of holds no more than is made around it, in just that form."""
    if not text.strip():
        return True
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return False
    document = Document(text, path)
    made = Document("", path)
    for key in {member.key: None for member in document.root.children}:
        if (key, document.value(key)) not in _MADE:
            return False
        made = made.set((key,), document.value(key))
    return made.text == text


def _strings(value: object) -> str:
    """All texts in a value, one after the other."""
    if isinstance(value, dict):
        return "\n".join(map(_strings, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return "\n".join(map(_strings, cast("list[object]", value)))
    return value if isinstance(value, str) else ""


_TOOLS = (Event.BEFORE_TOOL, Event.AFTER_TOOL)
_CLAUDE_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Read|Bash|mcp__.*"
_CODEX_TOOLS = "Bash|apply_patch|Edit|Write|mcp__.*"
_GEMINI_TOOLS = "write_file|replace|read_file|run_shell_command|mcp_.*"


def _matching(tools: str, kind: str, hook: dict[str, object]) -> dict[str, object]:
    return {"matcher": tools, "hooks": [hook]} if kind in _TOOLS else {"hooks": [hook]}


def _command(line: str, timeout: int = _SECONDS) -> dict[str, object]:
    return {"type": "command", "command": line, "timeout": timeout}


def _forgiving(line: str) -> str:
    """Copilot denies every call of a tool whose hook fails, also where xcsh is not installed; it reads these files.

    cmd.exe knows `exit` as a POSIX shell does, and no `true`.
    """
    return f"{line} || exit 0"


MCP_TARGETS: dict[str, Target] = {
    "claude": Target("Claude Code", ".mcp.json", "~/.claude.json", *_server("mcpServers")),
    "cursor": Target("Cursor", ".cursor/mcp.json", "~/.cursor/mcp.json", *_server("mcpServers")),
    "vscode": Target("VS Code", ".vscode/mcp.json", "", *_server("servers", extra={"type": "stdio"})),
    "codex": Target(
        "Codex", ".codex/config.toml", "~/.codex/config.toml", *_codex_server(),
        "Codex reads the project's file only in projects that it trusts",
    ),
    "gemini": Target("Gemini CLI", ".gemini/settings.json", "~/.gemini/settings.json", *_server("mcpServers")),
    "zed": Target("Zed", ".zed/settings.json", "~/.config/zed/settings.json", *_server("context_servers")),
}  # fmt: skip
HOOK_TARGETS: dict[str, Target] = {
    "claude": Target(
        "Claude Code", ".claude/settings.json", "~/.claude/settings.json",
        *_hooks("claude", lambda kind, line: _matching(_CLAUDE_TOOLS, kind, _command(_forgiving(line)))),
    ),
    "codex": Target(
        "Codex", ".codex/hooks.json", "~/.codex/hooks.json",
        *_hooks("codex", lambda kind, line: _matching(_CODEX_TOOLS, kind, _command(line))),
        "older versions of Codex want `codex_hooks = true` under [features] in ~/.codex/config.toml",
    ),
    "gemini": Target(
        "Gemini CLI", ".gemini/settings.json", "~/.gemini/settings.json",
        *_hooks("gemini", lambda kind, line: _matching(
            _GEMINI_TOOLS, kind, {"name": _NAME, **_command(line, _SECONDS * 1000)})),
    ),
    "cursor": Target(
        "Cursor", ".cursor/hooks.json", "~/.cursor/hooks.json",
        *_hooks("cursor", lambda _, line: {"command": line, "timeout": _SECONDS}, version=1),
    ),
    "copilot": Target(
        "GitHub Copilot", ".github/hooks/xcsh.json", "~/.copilot/hooks/xcsh.json",
        *_hooks("copilot", lambda _, line: {
            "type": "command", "bash": _forgiving(line), "timeoutSec": _SECONDS}, version=1),
    ),
}  # fmt: skip
