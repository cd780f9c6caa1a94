"""Reads which MCP servers the project and the user name; nothing is started or fetched, and no variable looked up."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.source import Environment, Level
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import mapping
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.mcp.entries import McpServer, read_entry
from xcsh.sources.mcp_paths import MCP_FILES, USER_FILE
from xcsh.sources.trust.deciding import TrustFile, trust_state

MOST_SERVERS = 100
_LIMIT = 1_048_576
_SERVERS = "mcpServers"


class McpServers(NamedTuple):
    """The servers of all files, the first of a name first. `trusted`: the project's as they stand; `why` not."""

    servers: tuple[McpServer, ...] = ()
    trusted: bool = False
    why: str = ""

    def may_start(self, server: McpServer) -> bool:
        """Whether nobody has to be asked: it is the user's own, or stands in a file that was trusted as it is."""
        return server.level == Level.USER or self.trusted


def read_mcp_servers(environment: Environment, report: Report) -> McpServers:
    """`.xcsh/mcp.json`, then `.mcp.json`, then the user's file: as with the tools that own them, the project goes
    first. A later server of the same name stays in the list, and is used where the first one may not start.
    """
    found: list[McpServer] = []
    trusted, why = False, ""
    if any(os.path.lexists(os.path.join(environment.cwd, *name.split("/"))) for name in MCP_FILES):
        state = trust_state(environment)  # its bytes are those that were compared with what was trusted
        trusted, why = state.trusted, state.reason
        files = {file.name: file for file in state.files}
        for name in MCP_FILES:
            if name in files:
                found += servers_of(files[name], report)
    path = os.path.join(environment.home, USER_FILE)
    if os.path.lexists(path):
        try:
            data = read_bytes(path, _LIMIT)
        except ReadRefusedError as refused:
            report(Finding(path).make("invalid-mcp-file", refused.position, refused.message))
        else:
            found += _parsed(path, data, Level.USER, environment.home, report)
    _report_shadowed(found, report)
    return McpServers(tuple(found), trusted, why)


def servers_of(file: TrustFile, report: Report) -> list[McpServer]:
    """The servers that a file of the project names."""
    if file.problem:
        report(Finding(file.path).make("invalid-mcp-file", None, f"it {file.problem}"))
        return []
    return _parsed(file.path, file.data, Level.PROJECT, os.path.dirname(os.path.realpath(file.path)), report)


def _parsed(path: str, data: bytes, level: str, folder: str, report: Report) -> list[McpServer]:
    finding = Finding(path)
    read = _json(data, finding, report)
    if read is None:
        return []
    text, document = read
    servers = mapping(document.get(_SERVERS))
    if servers is None:
        place = _place(text, _SERVERS)
        what = f"`{_SERVERS}` is no object" if _SERVERS in document else f"it has no `{_SERVERS}`"
        report(finding.make("invalid-mcp-file", place, what))
        return []
    found: list[McpServer] = []
    for index, (key, fields) in enumerate(servers.items()):
        if index == MOST_SERVERS:
            message = f"more than {MOST_SERVERS} servers; the others are left out"
            report(finding.make("invalid-mcp-file", _place(text, _SERVERS, str(key)), message))
            break
        place = _Places(text, str(key))
        server = read_entry(str(key), fields, path, level, folder, place, report)
        if server is not None:
            found.append(server)
    return found


class _Places(NamedTuple):
    """Where the entry of a server, and each key in it, stands in the file's text."""

    text: str
    name: str

    def __call__(self, *keys: str) -> Position | None:
        return _place(self.text, _SERVERS, self.name, *keys)


def _json(data: bytes, finding: Finding, report: Report) -> tuple[str, dict[object, object]] | None:
    import json  # noqa: PLC0415 - only where there is such a file

    twice: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        whole = dict(items)
        if len(whole) < len(items):
            names = [name for name, _ in items]
            twice.extend(sorted({name for name in names if names.count(name) > 1}))
        return whole

    place = None
    try:
        text = decode(data, report, finding)
        document = mapping(json.loads(text, object_pairs_hook=pairs))
        problem = "it is no JSON object"
    except ReadRefusedError as refused:
        document, text, problem, place = None, "", refused.message, refused.position
    except json.JSONDecodeError as error:
        document, text, problem = None, "", f"it is no JSON ({error.msg.lower()})"
        place = Position(error.lineno, error.colno)
    except (RecursionError, ValueError):
        document, text, problem = None, "", "it is nested too deeply, or holds a number that is too long"
    if document is None:
        report(finding.make("invalid-mcp-file", place, problem))
        return None
    for name in twice:
        message = f"`{name}` stands twice in one object; the last one counts"
        report(finding.make("unknown-mcp-key", _last_place(text, name), message))
    return text, document


def _place(text: str, *keys: str) -> Position | None:
    """Where the last of the keys stands that follow each other; where it cannot be found, where the one before is."""
    at, found = 0, None
    for key in keys:
        match = re.compile(rf'"{re.escape(_written(key))}"\s*:').search(text, at)
        if match is None:
            break
        at, found = match.end(), match.start()
    return _position(text, found)


def _last_place(text: str, key: str) -> Position | None:
    return _position(
        text, max((match.start() for match in re.finditer(rf'"{re.escape(key)}"\s*:', text)), default=None)
    )


def _written(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')


def _position(text: str, offset: int | None) -> Position | None:
    if offset is None:
        return None
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _report_shadowed(servers: Iterable[McpServer], report: Report) -> None:
    first: dict[str, McpServer] = {}
    for server in servers:
        winner = first.setdefault(server.slug, server)
        if winner is not server:
            message = f"the server {server.name!r} is shadowed by {winner.name!r} of {winner.path}"
            report(Finding(server.path).make("mcp-server-shadowed", server.position, message, related=(winner.path,)))
