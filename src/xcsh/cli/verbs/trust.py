"""`xcsh trust`: shows what a folder's code and settings are, and lets them take effect, or no longer."""

from __future__ import annotations

import argparse
import sys

from xcsh.cli.output import print_json, print_lines, style_of
from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.sources.mcp_entries import McpServer
from xcsh.sources.trust import MCP_FILES, TrustFile, TrustState, revoke, trust, trust_state, trusted_folders
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, columns, fit, plural, shown_path, visible

_DIGITS = 12
"""Of a SHA-256; enough to compare two by eye."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("--yes", action="store_true", help="trust the folder without asking")
    parser.add_argument("--show", action="store_true", help="show the content of every file")
    parser.add_argument("--revoke", action="store_true", help="trust the folder no longer")
    parser.add_argument("--list", action="store_true", help="the folders that are trusted")
    parser.add_argument("--json", action="store_true", help="one JSON object; asks nothing")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where the folder cannot be trusted or the answer is no; UsageError where nobody can be asked."""
    if sum((args.yes, args.revoke, args.list)) > 1:
        raise UsageError("--yes, --revoke and --list exclude one another", "give one of them")
    environment = make_environment(args.cwd, args.home)
    if args.list:
        return _list(environment, as_json=args.json)
    if args.revoke:
        return _revoke(environment, as_json=args.json)
    state = trust_state(environment, _report)
    if args.json:
        if args.yes and not _problems(state):
            state = trust(environment, state)
        print_json(_shape(environment, state))
        return 1 if args.yes and not state.trusted else 0
    if state.files:
        print_lines(_lines(environment, state, style_of(), with_content=args.show))
    return _decide(environment, state, yes=args.yes)


def _decide(environment: Environment, state: TrustState, *, yes: bool) -> int:
    if not state.files:
        _say("nothing in this folder needs trust: no extensions, no commands in Python, no settings, no MCP servers")
        return 0
    if state.trusted:
        _say("this folder is trusted, and nothing has changed since; to take it back: xcsh trust --revoke")
        return 0
    if _problems(state):
        print(f"xcsh: this folder cannot be trusted: {visible(', '.join(_problems(state)))}", file=sys.stderr)
        print("  correct or remove the file, then: xcsh trust", file=sys.stderr)
        return 1
    _say(f"not trusted: {visible(state.reason)}")
    if not yes and not _confirmed():
        _say("not trusted; nothing was changed")
        return 1
    after = trust(environment, state)
    if not after.trusted:
        print(f"xcsh: a file changed while you were reading: {visible(after.reason)}", file=sys.stderr)
        print("  look at it again: xcsh trust", file=sys.stderr)
        return 1
    _say("trusted, as long as none of this changes")
    return 0


def _confirmed() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "nobody is here to answer whether to trust this folder", "to trust it unasked: xcsh trust --yes"
        )
    sys.stdout.flush()
    print("trust this folder with exactly this content? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _revoke(environment: Environment, *, as_json: bool) -> int:
    revoked = revoke(environment)
    if as_json:
        print_json(_shape(environment, trust_state(environment)))
    else:
        _say("this folder is no longer trusted" if revoked else "this folder was not trusted")
    return 0


def _list(environment: Environment, *, as_json: bool) -> int:
    found = [make_environment(folder, environment.home) for folder in trusted_folders(environment, _report)]
    states = [(each, trust_state(each)) for each in found]
    if as_json:
        print_json({"folders": [_shape(each, state) for each, state in states]})
    elif not states:
        _say("no folder is trusted")
    else:
        style = style_of()
        lines: list[str] = []
        for each, state in states:
            lines.append(style.paint(visible(each.cwd), BOLD))
            lines.append(f"  {_standing(state)}")
        print_lines(lines)
    return 0


def _standing(state: TrustState) -> str:
    return f"trusted, {plural(len(state.files), 'file')}" if state.trusted else f"not any more; {visible(state.reason)}"


def _lines(environment: Environment, state: TrustState, style: Style, *, with_content: bool) -> list[str]:
    title = "what takes effect" if state.trusted else "what would take effect"
    lines = [f"{style.paint(title, BOLD)}  {plural(len(state.files), 'file')}"]
    names = [shown_path(file.path, environment) for file in state.files]
    width = max(columns(name) for name in names)
    for name, file in zip(names, state.files, strict=True):
        what = visible(file.problem) or f"{len(file.data):>9,} bytes  sha256 {file.sha256[:_DIGITS]}"
        lines.append(f"  {style.paint(fit(name, width), CYAN)}  {what}")
        lines.extend(_servers(file))
        if with_content:
            lines.extend(_content(file, style))
    if not with_content:
        lines.append(style.paint("to read it: xcsh trust --show", DIM))
    return lines


def _servers(file: TrustFile) -> list[str]:
    """What a file of MCP servers would start, line by line; nothing of another file."""
    if file.name not in MCP_FILES or file.problem:
        return []
    from xcsh.sources.mcp_files import servers_of

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
    lines = [visible(line.replace("\t", "    ")) for line in _as_python_reads(file.data)]
    return [f"  {style.paint(f'{number:>5}', DIM)}  {line}" for number, line in enumerate(lines, 1)]


def _as_python_reads(data: bytes) -> list[str]:
    """The lines of a file in the encoding that it declares, broken wherever Python ends a line."""
    from tokenize import detect_encoding

    source = iter(data.splitlines(keepends=True))
    try:
        encoding = detect_encoding(lambda: next(source, b""))[0]
    except SyntaxError:  # Python would not run it
        encoding = "utf-8"
    text = data.decode(encoding, "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _shape(environment: Environment, state: TrustState) -> dict[str, object]:
    files = [
        {"path": file.path, "size": len(file.data), "sha256": file.sha256 or None, "problem": file.problem or None}
        for file in state.files
    ]
    return {"cwd": environment.cwd, "trusted": state.trusted, "reason": state.reason or None, "files": files}


def _problems(state: TrustState) -> list[str]:
    return [f"{file.name} {file.problem}" for file in state.files if file.problem]


def _report(diagnostic: Diagnostic) -> None:
    text = visible(f"{diagnostic.path}: {diagnostic.message}")
    print(f"{diagnostic.severity}[{diagnostic.code}] {text}", file=sys.stderr)


def _say(text: str) -> None:
    sys.stdout.flush()
    print(text, file=sys.stderr)
