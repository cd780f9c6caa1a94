"""`xcsh doctor`: every finding, with place, excerpt and hint."""

from __future__ import annotations

import argparse
import os
import sys

from xcsh.cli.output import discover_for, print_json, print_lines, style_of
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Registry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only findings on these files or below these folders")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings too")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for findings of severity error, with --strict for warnings too."""
    registry = discover_for(args)
    diagnostics = _chosen(registry, args.paths)
    if args.json:
        from xcsh.surfaces.shapes import doctor_shape

        print_json(doctor_shape(registry, diagnostics))
    else:
        from xcsh.sources.excerpt import lines_of
        from xcsh.surfaces.doctor import render_doctor

        print_lines(render_doctor(registry, diagnostics, lines_of, style_of()))
    failing = {Severity.ERROR, Severity.WARNING} if args.strict else {Severity.ERROR}
    return 1 if any(diagnostic.severity in failing for diagnostic in diagnostics) else 0


def _chosen(registry: Registry, paths: list[str]) -> list[Diagnostic]:
    if not paths:
        return list(registry.diagnostics)
    wanted = [os.path.normpath(os.path.join(registry.environment.cwd, path)) for path in paths]
    for path in wanted:
        if not os.path.lexists(path):
            print(f"xcsh: {path}: no such file or folder", file=sys.stderr)
    return [
        diagnostic
        for diagnostic in registry.diagnostics
        if any(diagnostic.path == path or diagnostic.path.startswith(path.rstrip(os.sep) + os.sep) for path in wanted)
    ]
