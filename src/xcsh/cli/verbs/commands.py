"""`xcsh commands`: the slash commands, and where each comes from."""

from __future__ import annotations

import argparse

from xcsh.cli.output import discover_all, print_json, print_lines, style_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("--all", action="store_true", help="shadowed and skipped ones too")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 whatever the diagnostics."""
    registry = discover_all(args)
    if args.json:
        from xcsh.surfaces.shapes import commands_shape

        print_json(commands_shape(registry, show_all=args.all))
    else:
        from xcsh.surfaces.command_listing import render_commands

        print_lines(render_commands(registry, style_of(), show_all=args.all))
    return 0
