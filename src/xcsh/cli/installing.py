"""`--install`: shows the change of another program's file, asks, and writes it; `--remove` takes it out again."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from xcsh.cli.output import print_lines, say
from xcsh.errors import UsageError
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    from xcsh.installing.targets import Target


def add_install_options(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """The options that `install` takes."""
    group = parser.add_argument_group("to make another program call it")
    group.add_argument("--install", choices=list(names), help="write it into that program's settings, shown first")
    group.add_argument("--user", action="store_true", help="into your own settings (default: the project's)")
    group.add_argument("--remove", action="store_true", help="take it out again")
    group.add_argument("--yes", action="store_true", help="do not ask")


def wants_install(args: argparse.Namespace) -> bool:
    """Whether `install` is asked for. UsageError for one of its options without `--install`."""
    given = next((f"--{name}" for name in ("remove", "user", "yes") if getattr(args, name)), "")
    if given and not args.install:
        raise UsageError(f"{given} is said of no program", f"name it: --install PROGRAM {given}")
    return bool(args.install)


def install(args: argparse.Namespace, verb: str, targets: Mapping[str, Target]) -> int:
    """Exit code 1 where nothing was written. UsageError for a file that cannot be changed."""
    from xcsh.installing.writing import difference, read_text, write_text

    target = targets[args.install]
    path = _path(args, target)
    change = target.remove if args.remove else target.install
    before = read_text(path)
    after = before if args.remove and not before else change(before, path, _command(user=args.user))
    if after == before:
        say(f"{path}: {'it is not in there' if args.remove else 'it is in there already'}")
        return 0
    print_lines([visible(line) for line in difference(path, before, after)])
    sys.stdout.flush()
    if not args.yes and not _agreed(path):
        return 1
    write_text(path, before, after)
    scope = " --user" if args.user else ""
    undo = "" if args.remove else f"take it out again: xcsh {verb} --install {args.install}{scope} --remove"
    say(f"written: {path}", undo)
    if target.note and not args.remove:
        say(target.note)
    return 0


def _path(args: argparse.Namespace, target: Target) -> str:
    relative = target.user if args.user else target.project
    if not relative:
        raise UsageError(f"{target.title} keeps this for projects only", "leave --user away")
    if args.user:
        return os.path.join(args.home, relative.removeprefix("~/"))
    return os.path.join(args.cwd, relative)


def _command(*, user: bool) -> list[str]:
    """How xcsh is called: by its name in a project's file, which others share, whole in the user's own."""
    import shutil

    found = shutil.which("xcsh")
    if not user:
        if found is None:
            say("xcsh is not on your PATH", "the program that reads this file has to find it there")
        return ["xcsh"]
    return [os.path.abspath(found)] if found else [sys.executable, "-P", "-m", "xcsh"]


def _agreed(path: str) -> bool:
    if not (sys.stdin and sys.stdin.isatty()):
        say("nothing was written", "to write it without being asked: --yes")
        return False
    print(f"write this to {path}? [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        say("nothing was written")
    return agreed
