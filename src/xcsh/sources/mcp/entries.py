"""One MCP server as a file names it: its fields checked, its variables filled in, and what starting it would do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import elements, mapping

STDIO, HTTP, SSE = "stdio", "http", "sse"
_TYPES = {
    "stdio": STDIO, "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "streamable_http": HTTP, "sse": SSE,
}  # fmt: skip
_KEYS = ("type", "command", "args", "env", "cwd", "url", "headers", "disabled")
_WORDLESS = frozenset({"description", "note", "comment", "$schema", "timeout"})
"""Keys that change nothing here and that nobody has to hear of."""

_GRANTS = frozenset({"alwaysAllow", "autoApprove", "autoAllow", "trust"})
"""With other tools these let calls go ahead without asking. No file of a project may."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}")
_NO_SLUG = re.compile(r"[^A-Za-z0-9-]+")
_LONGEST_NAME = 64

Places = Callable[..., Position | None]


class McpServer(NamedTuple):
    """A server as it is written: variables are not filled in. Either `command` or `url` says what it is.

    `folder`: the real folder that the file belongs to. `path`: the file. `disabled`: its file says so.
    """

    name: str
    path: str
    level: str
    folder: str
    position: Position | None
    type: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    disabled: bool = False

    @property
    def slug(self) -> str:
        """The name as it stands in those of tools and prompts: ASCII letters, digits, `-`, and single `_`."""
        return _NO_SLUG.sub("_", self.name).strip("_") or "server"

    @property
    def sha256(self) -> str:
        """Of everything that decides what runs: the entry as it is written, the file, and the folder."""
        import hashlib  # noqa: PLC0415 - only where somebody is asked
        import json  # noqa: PLC0415

        bound = (self.folder, self.path, self.name, self.type, self.command, self.args, self.env, self.cwd, self.url,
                 self.headers)  # fmt: skip
        return hashlib.sha256(json.dumps(bound).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def shown(self) -> str:
        """The command line with what it adds to the environment, as a shell would want it, or the URL; as written."""
        if self.url:
            return self.url
        from shlex import join, quote  # noqa: PLC0415

        return " ".join((*(f"{name}={quote(value)}" for name, value in self.env), join((self.command, *self.args))))

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the environment variables that it is given by `${NAME}`, in order."""
        return tuple(dict.fromkeys(match[1] for text in self._texts() for match in _VARIABLE.finditer(text)))

    def _texts(self) -> tuple[str, ...]:
        values = (value for _, value in (*self.env, *self.headers))
        return (self.command, *self.args, self.cwd, self.url, *values)

    def filled(self, variables: Mapping[str, str]) -> tuple[McpServer, tuple[str, ...]]:
        """The server with `${NAME}` and `${NAME:-default}` replaced, and the names that have neither value."""
        missing: list[str] = []

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name not in variables and match[2] is None:
                missing.append(name)
            return variables.get(name, match[3] or "")

        def fill(text: str) -> str:
            return _VARIABLE.sub(value, text)

        filled = self._replace(
            command=fill(self.command),
            args=tuple(map(fill, self.args)),
            env=tuple((key, fill(text)) for key, text in self.env),
            cwd=fill(self.cwd),
            url=fill(self.url),
            headers=tuple((key, fill(text)) for key, text in self.headers),
        )
        return filled, tuple(dict.fromkeys(missing))


def read_entry(
    name: str, value: object, path: str, level: str, folder: str, place: Places, report: Report
) -> McpServer | None:
    """The server of one entry of `mcpServers`; None, with a diagnostic, where it is none."""
    finding = Finding(path)
    fields = {str(key): item for key, item in (mapping(value) or {}).items()}
    server = None
    try:
        server = _server(value, fields, McpServer(name, path, level, folder, place(), STDIO))
    except _WrongError as wrong:
        key, problem = wrong.args
        subject = f"the server {name!r}" if not key else f"`{key}` of the server {name!r}"
        report(finding.make("invalid-mcp-server", place(key) if key else place(), f"{subject} {problem}"))
    for key in fields:
        if key in _GRANTS:
            message = f"`{key}` of the server {name!r} allows nothing: its calls are asked about"
            hint = "to allow them: consent.allow in your own settings, with patterns such as mcp__NAME"
            report(finding.make("unknown-mcp-key", place(key), message, hint=hint))
        elif key not in _KEYS and key not in _WORDLESS:
            message = f"the server {name!r} has the unknown key `{key}`"
            report(finding.make("unknown-mcp-key", place(key), message))
    return server


class _WrongError(Exception):
    """A field, empty for the entry as a whole, and what is wrong with it."""


def _server(value: object, fields: dict[str, object], plain: McpServer) -> McpServer:
    if mapping(value) is None:
        raise _WrongError("", "is no object")
    if not plain.name.strip() or len(plain.name) > _LONGEST_NAME:
        raise _WrongError("", f"has no name of 1 to {_LONGEST_NAME} characters")
    command, url = _text(fields, "command"), _text(fields, "url")
    if bool(command) == bool(url):
        raise _WrongError("", "has both `command` and `url`" if command else "has neither `command` nor `url`")
    named = _text(fields, "type")
    if named and named not in _TYPES:
        raise _WrongError("type", f"is none of: {', '.join(_TYPES)}")
    kind = _TYPES[named] if named else STDIO if command else _inferred(url)
    if (kind == STDIO) != bool(command):
        raise _WrongError("type", f"is {named!r}, which needs {'`command`' if kind == STDIO else '`url`'}")
    if url and not url.startswith(("http://", "https://", "${")):
        raise _WrongError("url", "is no http:// or https:// address")
    disabled = fields.get("disabled", False)
    if not isinstance(disabled, bool):
        raise _WrongError("disabled", "is neither true nor false")
    return plain._replace(
        type=kind, command=command, args=_texts(fields, "args"), env=_pairs(fields, "env"), cwd=_text(fields, "cwd"),
        url=url, headers=_pairs(fields, "headers"), disabled=disabled,
    )  # fmt: skip


def _inferred(url: str) -> str:
    """As the framework does where no type is given."""
    return SSE if re.search(r"/sse(/|\?|&|$)", url) else HTTP


def _text(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _WrongError(key, "is no text")
    return _checked(key, value)


def _texts(fields: dict[str, object], key: str) -> tuple[str, ...]:
    value = fields.get(key)
    if value is None:
        return ()
    items = elements(value)
    if items is None:
        raise _WrongError(key, "is no list of texts")
    return tuple(_item(key, item) for item in items)


def _pairs(fields: dict[str, object], key: str) -> tuple[tuple[str, str], ...]:
    value = fields.get(key)
    if value is None:
        return ()
    items = mapping(value)
    if items is None:
        raise _WrongError(key, "is no object of texts")
    return tuple((_item(key, str(name)), _item(key, text)) for name, text in items.items())


def _item(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _WrongError(key, "holds something that is no text")
    return _checked(key, value)


def _checked(key: str, value: str) -> str:
    """No program and no header takes a NUL; a header no line break either."""
    if "\0" in value or (key == "headers" and ("\n" in value or "\r" in value)):
        raise _WrongError(key, "holds a character that it cannot take")
    return value
