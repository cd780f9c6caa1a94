"""`xcsh read rule://NAME`: the content, byte for byte."""

from __future__ import annotations

import argparse

from xcsh.api import read_rule
from xcsh.cli.output import discover_for, print_json, write_text
from xcsh.surfaces.rule_url import CONTENT_TYPE, SCHEME


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("url", metavar="rule://NAME", help="the rule; a bare NAME is taken for rule://NAME")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for an unknown name, whose message lists the names."""
    url = args.url if "://" in args.url else SCHEME + args.url
    rule = read_rule(discover_for(args), url)
    if args.json:
        shape = {"url": url, "name": rule.name, "contentType": CONTENT_TYPE, "path": rule.path, "content": rule.content}
        print_json(shape)
    else:
        write_text(rule.content)
    return 0
