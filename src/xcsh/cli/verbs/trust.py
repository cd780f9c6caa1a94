"""`xcsh trust`: shows what a folder's code and settings are, and lets them take effect, or no longer."""

from __future__ import annotations

import argparse
import sys

from xcsh.cli.output import discover_for, print_json, print_lines, style_of
from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import TrustState, revoke, trust, trust_state, trusted_folders
from xcsh.sources.trust.held_texts import held_texts
from xcsh.surfaces.layout import BOLD, DIM, plural, visible
from xcsh.surfaces.trust_listing import NOTHING_TO_TRUST, render_trust


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("--yes", action="store_true", help="trust the folder without asking")
    parser.add_argument("--show", action="store_true", help="show the content of every file")
    parser.add_argument("--revoke", action="store_true", help="trust the folder no longer")
    parser.add_argument("--list", action="store_true", help="the folders that are trusted")
    parser.add_argument("--json", action="store_true", help="one JSON object; asks nothing")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where the folder cannot be trusted or the answer is no; UsageError where nobody can be asked."""
    if sum((args.yes, args.revoke, args.list)) > 1:
        raise UsageError("--yes, --revoke and --list exclude one another", "give one of them")
    environment = make_environment(args.cwd, args.home)
    if args.list:
        return _list(environment, as_json=args.json)
    if args.revoke:
        return _revoke(environment, as_json=args.json)
    state = trust_state(environment, _report, held_texts(discover_for(args)))
    if args.json:
        if args.yes and not _problems(state):
            state = trust(environment, state)
        print_json(_shape(environment, state))
        return 1 if args.yes and not state.trusted else 0
    if state.files or state.texts:
        print_lines(_listing(environment, state, with_content=args.show))
    return _decide(environment, state, yes=args.yes)


def _decide(environment: Environment, state: TrustState, *, yes: bool) -> int:
    if not state.files and not state.texts:
        _say(NOTHING_TO_TRUST)
        return 0
    if state.trusted:
        _say("this folder is trusted, and nothing has changed since; to take it back: xcsh trust --revoke")
        return 0
    if _problems(state):
        print(f"xcsh: this folder cannot be trusted: {visible(', '.join(_problems(state)))}", file=sys.stderr)
        print("  correct or remove the file, then: xcsh trust", file=sys.stderr)
        return 1
    _say(f"not trusted: {visible(state.reason)}")
    if not yes and not _confirmed():
        _say("not trusted; nothing was changed")
        return 1
    after = trust(environment, state)
    if not after.trusted:
        print(f"xcsh: a file changed while you were reading: {visible(after.reason)}", file=sys.stderr)
        print("  look at it again: xcsh trust", file=sys.stderr)
        return 1
    _say("trusted, as long as none of this changes")
    return 0


def _listing(environment: Environment, state: TrustState, *, with_content: bool) -> list[str]:
    style = style_of()
    lines = render_trust(environment, state, style, with_content=with_content)
    return lines if with_content else [*lines, style.paint("to read it: xcsh trust --show", DIM)]


def _confirmed() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "nobody is here to answer whether to trust this folder", "to trust it unasked: xcsh trust --yes"
        )
    sys.stdout.flush()
    print("trust this folder with exactly this content? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _revoke(environment: Environment, *, as_json: bool) -> int:
    revoked = revoke(environment)
    if as_json:
        print_json(_shape(environment, trust_state(environment)))
    else:
        _say("this folder is no longer trusted" if revoked else "this folder was not trusted")
    return 0


def _list(environment: Environment, *, as_json: bool) -> int:
    found = [make_environment(folder, environment.home) for folder in trusted_folders(environment, _report)]
    states = [(each, trust_state(each)) for each in found]
    if as_json:
        print_json({"folders": [_shape(each, state) for each, state in states]})
    elif not states:
        _say("no folder is trusted")
    else:
        style = style_of()
        lines: list[str] = []
        for each, state in states:
            lines.append(style.paint(visible(each.cwd), BOLD))
            lines.append(f"  {_standing(state)}")
        print_lines(lines)
    return 0


def _standing(state: TrustState) -> str:
    if not state.files and not state.reason:
        return "trusted, as far as single texts go"
    return f"trusted, {plural(len(state.files), 'file')}" if state.trusted else f"not any more; {visible(state.reason)}"


def _shape(environment: Environment, state: TrustState) -> dict[str, object]:
    files = [
        {"path": file.path, "size": len(file.data), "sha256": file.sha256 or None, "problem": file.problem or None}
        for file in state.files
    ]
    texts = [
        {"path": held.path, "purpose": held.purpose, "what": list(held.what), "accepted": held.accepted}
        for held in state.texts
    ]
    return {
        "cwd": environment.cwd,
        "trusted": state.trusted,
        "reason": state.reason or None,
        "files": files,
        "texts": texts,
    }


def _problems(state: TrustState) -> list[str]:
    return [f"{file.name} {file.problem}" for file in state.files if file.problem]


def _report(diagnostic: Diagnostic) -> None:
    text = visible(f"{diagnostic.path}: {diagnostic.message}")
    print(f"{diagnostic.severity}[{diagnostic.code}] {text}", file=sys.stderr)


def _say(text: str) -> None:
    sys.stdout.flush()
    print(text, file=sys.stderr)
