"""What a folder's trust is about, for people: files, the servers that they would start, and their content."""

from __future__ import annotations

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.mcp.entries import McpServer
from xcsh.sources.mcp_paths import MCP_FILES
from xcsh.sources.trust.deciding import TrustFile, TrustState
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, columns, fit, plural, shown_path, visible

NOTHING_TO_TRUST = (
    "nothing in this folder needs trust: no extensions, no commands in Python, no settings, no MCP servers, "
    "no text that includes or hides anything"
)
_DIGITS = 12
"""Of a SHA-256; enough to compare two by eye."""


def render_trust(environment: Environment, state: TrustState, style: Style, *, with_content: bool) -> list[str]:
    """Each file with what it is, what servers it would start, and where asked for its content."""
    title = "what takes effect" if state.trusted else "what would take effect"
    lines = [f"{style.paint(title, BOLD)}  {plural(len(state.files) + len(state.texts), 'file')}"]
    names = [shown_path(file.path, environment) for file in state.files]
    width = max((columns(name) for name in names), default=0)
    for name, file in zip(names, state.files, strict=True):
        what = visible(file.problem) or f"{len(file.data):>9,} bytes  sha256 {file.sha256[:_DIGITS]}"
        lines.append(f"  {style.paint(fit(name, width), CYAN)}  {what}")
        lines.extend(_servers(file))
        if with_content:
            lines.extend(_content(file, style))
    for held in state.texts:
        done = "" if held.accepted else "  not accepted as it is now"
        lines.append(f"  {style.paint(shown_path(held.path, environment), CYAN)}{done}")
        lines.extend(f"    {visible(' '.join(line.split()))}" for line in held.what)
        if with_content:
            lines.extend(_numbered(held.text.split("\n"), style))
    return lines


def _servers(file: TrustFile) -> list[str]:
    """What a file of MCP servers would start, line by line; nothing of another file."""
    if file.name not in MCP_FILES or file.problem:
        return []
    from xcsh.sources.mcp.files import servers_of  # noqa: PLC0415 - few folders name any

    found: list[Diagnostic] = []
    servers = servers_of(file, found.append)
    lines = [f"    {visible(each.name)} {_does(each)}" for each in servers]
    return [*lines, *(f"    {item.severity}: {visible(item.message)}" for item in found)]


def _does(server: McpServer) -> str:
    if server.disabled:
        return "is disabled"
    where = f", in {visible(server.cwd)}" if server.cwd else ""
    given = f", given your {', '.join(server.variables)}" if server.variables else ""
    return f"{'connects to' if server.url else 'runs'}: {visible(server.shown)}{where}{given}"


def _content(file: TrustFile, style: Style) -> list[str]:
    """The lines of a file, numbered; whatever could hide something is written out."""
    return _numbered(_as_python_reads(file.data), style)


def _numbered(content: list[str], style: Style) -> list[str]:
    lines = [visible(line.replace("\t", "    ")) for line in content]
    return [f"  {style.paint(f'{number:>5}', DIM)}  {line}" for number, line in enumerate(lines, 1)]


def _as_python_reads(data: bytes) -> list[str]:
    """The lines of a file in the encoding that it declares, broken wherever Python ends a line."""
    from tokenize import detect_encoding  # noqa: PLC0415 - only where content is shown

    source = iter(data.splitlines(keepends=True))
    try:
        encoding = detect_encoding(lambda: next(source, b""))[0]
    except SyntaxError:  # Python would not run it
        encoding = "utf-8"
    text = data.decode(encoding, "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []
