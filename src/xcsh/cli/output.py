"""What all verbs do the same way: discovery for the arguments given, terminal style, JSON."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.surfaces.layout import Style, visible

if TYPE_CHECKING:
    import argparse

_NARROWEST, _WIDEST = 60, 140
_LOGGED = "mcp-server-failed"
"""Its hint is where the log is, which nothing else tells."""

_ABSURD = 6
"""Digits of a width that no terminal has."""


def discover_for(
    args: argparse.Namespace, cwd: str = "", *, remember: bool = False, rules_only: bool = False
) -> Registry:
    """The registry around the folder (or `cwd`) and home that the arguments name, with the settings that they give.

    `remember`: it will be asked for again. `rules_only`: commands, prompts and skills are not looked for.
    """
    from xcsh.api import discover

    return discover(
        cwd or args.cwd,
        home=args.home,
        reference=args.reference,
        variables=os.environ,
        settings=args.settings,
        remember=remember,
        rules_only=rules_only,
    )


def discover_all(args: argparse.Namespace) -> Registry:
    """Like `discover_for`, with commands written in Python; none of their code runs."""
    from xcsh.diagnosis import with_python_commands

    return with_python_commands(discover_for(args))


def style_of(stream: object = None) -> Style:
    """Colours where the stream is a terminal and NO_COLOR is not set; the terminal's width, else 80 columns."""
    target = sys.stdout if stream is None else stream
    isatty = getattr(target, "isatty", None)
    terminal = bool(isatty and isatty())
    width = 80
    if terminal:
        try:
            width = os.get_terminal_size(target.fileno()).columns  # type: ignore[attr-defined]
        except (OSError, ValueError):
            width = 80
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and len(columns) < _ABSURD:
        width = int(columns)
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(colour=colour, width=max(_NARROWEST, min(_WIDEST, width)))


def say(message: str, hint: str = "") -> None:
    """What is wrong, and what to do, on standard error (U-5); names from files cannot move the cursor.

    Where that takes nothing, as on a full disk or where its reader has gone, nobody can be told; the outcome stays.
    """
    try:
        print(f"xcsh: {visible(message)}", file=sys.stderr)
        for line in hint.split("\n") if hint else ():
            print(f"  {visible(line.strip())}", file=sys.stderr)
    except OSError:
        _silence_stderr()


def _silence_stderr() -> None:
    """What is still buffered must not raise again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def print_lines(lines: list[str]) -> None:
    """Writes lines to standard output in one go."""
    sys.stdout.write("\n".join(lines) + "\n")


def say_finding(diagnostic: Diagnostic) -> None:
    """A finding in one line, on standard error. Of hints it has only where a server's log is."""
    place = f":{diagnostic.position.line}:{diagnostic.position.column}" if diagnostic.position else ""
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    where = f" {diagnostic.path}{place}" if diagnostic.path else ""
    hint = f"; {diagnostic.hint}" if diagnostic.hint and diagnostic.code == _LOGGED else ""
    print(visible(f"{label}{where}: {diagnostic.message}{hint}"), file=sys.stderr)


def write_text(text: str) -> None:
    """Writes a text of the user's byte for byte; on a terminal without the controls that would drive it."""
    if sys.stdout.isatty():
        sys.stdout.write("\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n")))
    else:
        sys.stdout.flush()
        try:
            data = text.encode("utf-8", "surrogateescape")  # a typed byte that is no text comes out as it went in
        except UnicodeEncodeError:
            data = text.encode("utf-8", "surrogatepass")
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def print_json(shape: object) -> None:
    """Writes one JSON object, ASCII only, so that any text survives any terminal."""
    import json

    sys.stdout.write(json.dumps(shape, indent=2) + "\n")
