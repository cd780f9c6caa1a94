"""`xcsh explain`: why one rule or file is as it is."""

from __future__ import annotations

import argparse

from xcsh.api import providers_of
from xcsh.cli.output import discover_for, print_json, print_lines, say, style_of
from xcsh.diagnosis import with_every_finding
from xcsh.nearest import did_you_mean
from xcsh.surfaces.explain import explain, explanation_shape, nearest_names, render_explanation

_SEE = "see: xcsh rules --all   xcsh commands --all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("wanted", metavar="NAME|/NAME|PATH", help="a rule's name, a command, or a file")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where nothing has that name or path; the nearest names are given."""
    registry = with_every_finding(discover_for(args))
    found = explain(registry, args.wanted, {provider.id: provider for provider in providers_of(registry)})
    suggestions = [] if found else nearest_names(registry, args.wanted)
    if args.json:
        print_json({"matches": [explanation_shape(explanation) for explanation in found], "suggestions": suggestions})
    elif found:
        style = style_of()
        blocks = [render_explanation(registry, explanation, style) for explanation in found]
        print_lines([line for number, block in enumerate(blocks) for line in (["", *block] if number else block)])
    if not found:
        hint = did_you_mean(suggestions, _SEE)
        say(f"nothing here is named {args.wanted!r}, and no such file was looked at", hint)
    return 0 if found else 1
