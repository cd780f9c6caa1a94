"""`xcsh prompt`: exactly what the model is told of the rules."""

from __future__ import annotations

import argparse
import sys

from xcsh.api import render_prompt
from xcsh.cli.output import discover_for, print_json, write_text
from xcsh.surfaces.layout import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("--json", action="store_true", help="one JSON object: text, tokens, the share of each rule")


def run(args: argparse.Namespace) -> int:
    """Exit code 0; nothing on standard output where no rule has a part in the prompt."""
    registry = discover_for(args)
    prompt = render_prompt(registry)
    if args.json:
        from xcsh.surfaces.shapes import prompt_shape

        print_json(prompt_shape(prompt))
        return 0
    if prompt.text:
        write_text(prompt.text + "\n")
    for part in prompt.parts:
        print(f"~{part.tokens:>6,} tokens  {part.kind:12}  {visible(part.rule)}", file=sys.stderr)
    framing = prompt.tokens - sum(part.tokens for part in prompt.parts)
    if framing > 0:
        print(f"~{framing:>6,} tokens  around the list of the rulebook", file=sys.stderr)
    print(f"~{prompt.tokens:>6,} tokens in all", file=sys.stderr)
    return 0
