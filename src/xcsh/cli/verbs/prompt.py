"""`xcsh prompt`: exactly what the model is told of the rules."""

from __future__ import annotations

import argparse
import sys

from xcsh.api import render_prompt
from xcsh.cli.output import discover_for, print_json


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
        sys.stdout.write(prompt.text + "\n")
        sys.stdout.flush()
    for part in prompt.parts:
        print(f"~{part.tokens:>6,} tokens  {part.kind:12}  {part.rule}", file=sys.stderr)
    print(f"~{prompt.tokens:>6,} tokens in all", file=sys.stderr)
    return 0
