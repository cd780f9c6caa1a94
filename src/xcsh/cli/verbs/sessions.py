"""`xcsh sessions`: the conversations that are kept: which there are, what was said, as a page, and away with one."""

from __future__ import annotations

import argparse
import os
import sys

from xcsh.cli.output import print_json, print_lines, say, say_finding, style_of, write_text
from xcsh.errors import UsageError
from xcsh.session.store import (
    SessionBusyError,
    SessionFormatError,
    SessionWriteError,
    StoredSession,
    UnknownSessionError,
    list_sessions,
    read_session,
    resolve_session,
    sessions_folder,
)
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.layout import plural

_ID = "an id, the beginning of one, or `latest`"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options; each action has its own again."""
    parser.add_argument("--all", action="store_true", help="sessions of other folders too")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.add_argument("-C", dest="folder", metavar="DIR", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        added.add_argument("--reference", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        added.add_argument("--set", action="append", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        return added

    def json_option(added: argparse.ArgumentParser) -> None:
        added.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON object")

    listing = action("list", "the sessions of this folder, the last one first (this is `xcsh sessions`)")
    listing.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help="those of other folders too")
    json_option(listing)
    showing = action("show", "what was said in a session")
    showing.add_argument("id", metavar="ID", help=_ID)
    json_option(showing)
    exporting = action("export", "a session as a page to read, or as JSON")
    exporting.add_argument("id", metavar="ID", help=_ID)
    exporting.add_argument("--format", choices=("markdown", "json"), default="markdown", help="(default: markdown)")
    exporting.add_argument("-o", dest="output", metavar="FILE", help="a new file (default: standard output)")
    deleting = action("delete", "delete sessions that are not in use")
    deleting.add_argument("ids", metavar="ID", nargs="+", help=_ID)
    deleting.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for an unknown session, one in use or one that cannot be read; UsageError where nobody can answer."""
    folder = sessions_folder(os.environ, make_environment(args.cwd, args.home).home)
    try:
        if args.action == "show":
            return _show(args, _read(folder, args))
        if args.action == "export":
            return _export(args, _read(folder, args))
        if args.action == "delete":
            return _delete(args, folder)
    except (UnknownSessionError, SessionBusyError, SessionFormatError, SessionWriteError) as error:
        say(str(error), error.hint)
        return 1
    return _list(args, folder)


def _list(args: argparse.Namespace, folder: str) -> int:
    found = list_sessions(folder)
    chosen = found if args.all else [summary for summary in found if summary.is_of(args.cwd)]
    if args.json:
        from xcsh.session.store.shapes import summary_shape

        shape = {"cwd": args.cwd, "folder": folder, "sessions": [summary_shape(summary) for summary in chosen]}
        print_json(shape)
        return 0
    if chosen:
        from xcsh.session.store.rendering import render_list

        environment = make_environment(args.cwd, args.home)
        print_lines(render_list(chosen, environment, style_of(), with_folder=args.all))
    others = len(found) - len(chosen)
    if others:
        sys.stdout.flush()
        also = f"{plural(others, 'session')} of other folders: xcsh sessions --all"
        print(also if chosen else f"no session of this folder; {also}", file=sys.stderr)
    elif not chosen:
        print("there are no sessions yet", file=sys.stderr)
    return 0


def _read(folder: str, args: argparse.Namespace) -> StoredSession:
    return read_session(resolve_session(folder, args.id, cwd=args.cwd))


def _show(args: argparse.Namespace, session: StoredSession) -> int:
    if args.json:
        from xcsh.session.store.shapes import session_shape

        print_json(session_shape(session))
        return 0
    from xcsh.session.store.rendering import render_session

    print_lines(render_session(session, style_of()))
    _tell_problems(session)
    return 0


def _export(args: argparse.Namespace, session: StoredSession) -> int:
    if args.format == "json":
        import json

        from xcsh.session.store.shapes import session_shape

        text = json.dumps(session_shape(session), indent=2) + "\n"
    else:
        from xcsh.session.store.markdown import markdown_of

        text = markdown_of(session)
    if args.output in (None, "-"):
        write_text(text)
    else:
        _write_new(os.path.join(str(args.cwd), str(args.output)), text, str(args.output))
    _tell_problems(session)
    return 0


def _write_new(path: str, text: str, name: str) -> None:
    try:
        with open(path, "x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{name} is there already; it was not changed", "name another file: -o FILE") from None
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}", "name a file that can be written: -o FILE") from None


def _tell_problems(session: StoredSession) -> None:
    sys.stdout.flush()
    for problem in session.problems:
        say_finding(problem)


def _delete(args: argparse.Namespace, folder: str) -> int:
    from xcsh.session.store.deleting import delete_session
    from xcsh.session.store.listing import summarize
    from xcsh.session.store.rendering import render_list

    paths = list(dict.fromkeys(resolve_session(folder, each, cwd=args.cwd) for each in args.ids))
    if not args.yes:
        environment = make_environment(args.cwd, args.home)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError("nobody is here to answer whether to delete", "to delete unasked: add --yes")
        print_lines(render_list([summarize(path) for path in paths], environment, style_of(), with_folder=True))
        sys.stdout.flush()
        print(f"delete {'it' if len(paths) == 1 else 'them'} for good? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print("nothing was deleted", file=sys.stderr)
            return 1
    failed = 0
    for path in paths:
        try:
            delete_session(path)
        except (UnknownSessionError, SessionBusyError, SessionWriteError) as error:
            say(str(error), error.hint)
            failed += 1
    print(f"{plural(len(paths) - failed, 'session')} deleted", file=sys.stderr)
    return 1 if failed else 0
