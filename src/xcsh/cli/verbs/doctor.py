"""`xcsh doctor`: every finding, with place, excerpt and hint."""

from __future__ import annotations

import argparse
import os

from xcsh.cli.output import discover_for, print_json, print_lines, say, style_of
from xcsh.diagnosis import with_every_finding
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Registry
from xcsh.surfaces.doctor import files_looked_at, render_doctor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only findings on these files or below these folders")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--sarif", action="store_true", help="a log in SARIF 2.1.0, for code scanners")
    form.add_argument("--github", action="store_true", help="annotations of a workflow of GitHub Actions")
    parser.add_argument("--all", action="store_true", help="also each of many findings that say the same")
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings too")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for findings of severity error, with --strict for warnings too."""
    registry = with_every_finding(discover_for(args))
    wanted = [os.path.normpath(os.path.join(registry.environment.cwd, path)) for path in args.paths]
    missing = [path for path in wanted if not os.path.lexists(path)]
    for path in missing:
        say(f"{path}: no such file or folder", "give a file that xcsh reads, or a folder above some")
    diagnostics = [item for item in registry.diagnostics if not wanted or _below(item.path, wanted)]
    files = [path for path in files_looked_at(registry) if not wanted or _below(path, wanted)]
    if args.json:
        from xcsh.surfaces.shapes import doctor_shape

        print_json(doctor_shape(registry, diagnostics))
    elif args.sarif:
        from xcsh import __version__
        from xcsh.surfaces.sarif import sarif_log

        print_json(sarif_log(diagnostics, _root(registry), __version__))
    elif args.github:
        from xcsh.surfaces.annotations import annotation_lines

        print_lines([*annotation_lines(diagnostics, _root(registry)), _summary(diagnostics)])
    else:
        from xcsh.sources.excerpt import lines_of

        print_lines(render_doctor(registry, diagnostics, len(files), lines_of, style_of(), whole=args.all))
    failing = {Severity.ERROR, Severity.WARNING} if args.strict else {Severity.ERROR}
    return 1 if missing or any(diagnostic.severity in failing for diagnostic in diagnostics) else 0


def _root(registry: Registry) -> str:
    return registry.environment.repo_root or registry.environment.cwd


def _summary(diagnostics: list[Diagnostic]) -> str:
    """For the log of the workflow, in which the annotations are not shown."""
    from xcsh.surfaces.layout import plural

    errors = sum(item.severity == Severity.ERROR for item in diagnostics)
    return f"{plural(errors, 'error')}, {plural(len(diagnostics), 'finding')} in all"


def _below(path: str, folders: list[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
