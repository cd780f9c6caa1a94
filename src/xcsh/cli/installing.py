"""`--install`: shows the change of another program's file, asks, and writes it; `--remove` takes it out again."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xcsh.cli.output import print_lines, say
from xcsh.errors import UsageError
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    import argparse

    from xcsh.installing.targets import Target


def add_install_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """The options that `install` takes."""
    group = parser.add_argument_group("to make another program call it")
    group.add_argument("--install", choices=names, help="write it into that program's settings, shown first")
    group.add_argument("--user", action="store_true", help="into your own settings (default: the project's)")
    group.add_argument("--remove", nargs="?", const=True, choices=names, help="take it out again")
    group.add_argument("--yes", action="store_true", help="do not ask")


def wants_install(args: argparse.Namespace) -> bool:
    """Whether `install` is asked for. UsageError for one of its options without a program, or with two."""
    given = "remove" if args.remove is True else next((name for name in ("user", "yes") if getattr(args, name)), "")
    named = args.install or args.remove not in (None, True)
    if given and not named:
        line = "--remove PROGRAM" if given == "remove" else f"--install PROGRAM --{given}"
        raise UsageError(f"--{given} is said of no program", f"name it: {line}")
    if args.install and args.remove not in (None, True, args.install):
        raise UsageError(f"either --install {args.install} or --remove {args.remove}", "one after the other")
    return bool(named)


def install(args: argparse.Namespace, verb: str, targets: Mapping[str, Target]) -> int:
    """Exit code 1 where nothing was written. UsageError for a file that cannot be changed."""
    from xcsh.installing.writing import difference, read_text, remove_empty_folders, write_text

    name = args.install or args.remove
    removing = args.remove is not None
    target = targets[name]
    path = _path(args, target)
    before = read_text(path)
    after = _removed(before, path, target) if removing else target.install(before, path, _command(user=args.user))
    if after == before:
        say(f"{path}: {'it is not in there' if removing else 'it is in there already'}")
        return 0
    print_lines([visible(line) for line in difference(path, before, after)])
    sys.stdout.flush()
    if not args.yes and not _agreed(f"remove {path}" if after is None else f"write this to {path}"):
        return 1
    write_text(path, before, after)
    if after is None:
        remove_empty_folders(path, args.home if args.user else args.cwd)
        say(f"removed: {path}")
    else:
        say(f"written: {path}", "" if removing else f"take it out again: {_undo(args, verb, name)}")
    if target.note and not removing:
        say(target.note)
    return 0


def _removed(before: str, path: str, target: Target) -> str | None:
    """The text without ours; None where the file goes, since nothing of anybody else's is in it."""
    from xcsh.installing.targets import is_husk

    after = target.remove(before, path, ()) if before else before
    return None if after != before and is_husk(after, path) and not os.path.islink(path) else after


def _undo(args: argparse.Namespace, verb: str, name: str) -> str:
    """The line that takes it out again, for a shell in the folder that this call was made in."""
    from xcsh.installing.targets import command_line

    where = ["-C", args.folder] if args.folder and not args.user else []
    return command_line(["xcsh", verb, *where, "--remove", name, *(["--user"] if args.user else [])])


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


def _agreed(deed: str) -> bool:
    if not (sys.stdin and sys.stdin.isatty()):
        say("nothing was written", "to write it without being asked: --yes")
        return False
    print(f"{deed}? [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        say("nothing was written")
    return agreed
