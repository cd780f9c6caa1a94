"""`xcsh rules`: the active rules by bucket; with --for, which of them reach the model for a path."""

from __future__ import annotations

import argparse

from xcsh.api import render_prompt
from xcsh.cli.output import discover_for, print_json, print_lines, say, style_of
from xcsh.diagnosis import with_stream_findings
from xcsh.model.registry import Registry
from xcsh.model.rule import Entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these rules")
    parser.add_argument(
        "--for", dest="paths", nargs="+", metavar="PATH", help="which rules reach the model when it works on PATH"
    )
    parser.add_argument("--all", action="store_true", help="shadowed and skipped ones too")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 whatever the diagnostics; 1 for an unknown name."""
    registry = with_stream_findings(discover_for(args))
    entries = list(registry.all if args.all else registry.active)
    unknown = [name for name in args.names if all(entry.rule.name != name for entry in entries)]
    for name in unknown:
        from xcsh.nearest import did_you_mean
        from xcsh.surfaces.explain import nearest_names

        say(f"no rule is named {name!r}", did_you_mean(nearest_names(registry, name), "see: xcsh rules --all"))
    if args.names:
        entries = [entry for entry in entries if entry.rule.name in args.names]
        if not entries and not args.json:
            return 1
    if args.paths:
        _for_paths(args, registry, entries)
    elif args.json:
        from xcsh.surfaces.shapes import rules_shape

        print_json(rules_shape(registry, entries, with_skipped=args.all))
    else:
        from xcsh.surfaces.listing import render_rules

        show_all = args.all and not args.names
        lines = render_rules(registry, entries, render_prompt(registry), style_of(), show_all=show_all)
        if not registry.all:
            from xcsh.cli.folders_above import hint_above

            lines += filter(None, [hint_above(args, registry, lambda _: True, "rules")])
        print_lines(lines)
    return 1 if unknown else 0


def _for_paths(args: argparse.Namespace, registry: Registry, entries: list[Entry]) -> None:
    from xcsh.surfaces.reach import reach_of

    chosen = {id(entry) for entry in entries}
    found = {path: [reach for reach in reach_of(registry, path) if id(reach.entry) in chosen] for path in args.paths}
    if args.json:
        from xcsh.surfaces.shapes import reach_shape

        print_json(reach_shape(registry, found, show_all=args.all))
        return
    from xcsh.surfaces.listing import render_reach

    style = style_of()
    blocks = [render_reach(registry, path, reaches, style, show_all=args.all) for path, reaches in found.items()]
    print_lines([line for number, block in enumerate(blocks) for line in (["", *block] if number else block)])
