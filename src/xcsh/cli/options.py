"""The options of each verb, and of a call without one. Only the parser that is needed is built."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from xcsh.cli.located import located
from xcsh.cli.verb_table import UNTYPED, VERBS, first_word
from xcsh.errors import UsageError
from xcsh.surfaces.layout import visible

_MODES = {
    "full": "the conversation on the whole screen, whatever the setting `terminal.mode` says",
    "inline": "the conversation below the shell's prompt",
    "plain": "the conversation by lines: for screen readers, simple terminals and scripts",
}
_NEAR = 2
_LONGEST_VERB = 20
_TYPED = tuple(verb for verb in VERBS if verb not in UNTYPED)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the options; what was typed cannot move the cursor."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width: asking for the terminal's loads half a dozen modules even where no help is shown."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of one call: `verb`, absolute `cwd`, `home`, `reference`, and the verb's own.

    For an event of a hook `cwd` is empty where the working folder is gone.
    Raises UsageError for what cannot be meant; argparse itself exits with 2 for wrong options of a verb.
    """
    at = first_word(argv)
    word = argv[at] if at is not None else None
    if word in _TYPED and at is not None and not _printing(argv[:at]):
        args = verb_parser(word).parse_args([*argv[:at], *argv[at + 1 :]])
        args.verb = word
    else:
        if word is not None and not _printing(argv):
            _check_verb(word, argv[at:])
        args = turn_parser().parse_args(argv)
        _check_turn(args)
        args.verb = "turn" if args.print_turn else "chat"
    return located(args)


def _printing(options: Sequence[str]) -> bool:
    return any(option in ("-p", "--print") for option in options)


def _check_verb(word: str, typed: Sequence[str]) -> None:
    """A first word that is nearly a verb was meant as one, whatever options and words follow it."""
    if len(word) > _LONGEST_VERB or len(word.split()) != 1:
        return
    near = min(_TYPED, key=lambda verb: distance(word, verb))
    if distance(word, near) <= min(_NEAR, len(word) // 2):  # of a short word little is left to recognise a verb by
        from shlex import quote

        asked = quote(" ".join(part for part in typed if not part.startswith("-")))
        raise UsageError(f"{word!r} is no verb; did you mean `xcsh {near}`?", f"to send it to a model: xcsh -p {asked}")


def _check_turn(args: argparse.Namespace) -> None:
    if not args.print_turn and args.text[:1] == ["help"]:
        turn_parser().print_help()
        raise SystemExit(0)
    args.text = " ".join(args.text) or None


def distance(left: str, right: str) -> int:
    """The edit distance of two short texts: insertions, deletions, substitutions.

    Verbs have it instead of a likeness, since it runs for every text that is sent: it needs no import, and of verbs of
    four letters a likeness knows too little.
    """
    row = list(range(len(right) + 1))
    for at, character in enumerate(left, 1):
        previous, row[0] = row[0], at
        for index, other in enumerate(right, 1):
            previous, row[index] = row[index], min(row[index] + 1, row[index - 1] + 1, previous + (character != other))
    return row[-1]


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", dest="folder", metavar="DIR", help="look at DIR instead of the working folder")
    parser.add_argument("--reference", action="store_true", help="the reference behaviour, nothing beyond it")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting, for this call only (xcsh config)"
    )


def verb_parser(verb: str) -> argparse.ArgumentParser:
    """The parser of a verb's arguments, without the verb."""
    parser = _Parser(prog=f"xcsh {verb}", description=VERBS[verb].summary, formatter_class=_Help, allow_abbrev=False)
    _common(parser)
    VERBS[verb].load().add_arguments(parser)
    return parser


def _session_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output", choices=("text", "json", "jsonl"), default="text", help="json: one object; jsonl: every event too"
    )
    going_on = parser.add_mutually_exclusive_group()
    going_on.add_argument("--continue", dest="go_on", action="store_true", help="go on with this folder's last session")
    going_on.add_argument("--resume", metavar="ID", help="go on with that session, in its folder (xcsh sessions)")
    going_on.add_argument("--no-session", action="store_true", help="write no session down")
    parser.add_argument("--max-turns", type=_positive, metavar="N", help="end after N requests to the model")
    parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="end the turn after so long")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


def turn_parser() -> argparse.ArgumentParser:
    """The parser of a call without a verb."""
    verbs = "\n".join(f"  {name:10} {VERBS[name].summary}" for name in _TYPED)
    parser = _Parser(
        prog="xcsh",
        usage="xcsh VERB [options]   |   xcsh [TEXT]   |   xcsh -p [--model MODEL] TEXT",
        description="Finds the rules that people write for coding agents, and gives them to a model.",
        epilog=f"verbs:\n{verbs}\n\nxcsh VERB --help says more.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    from xcsh import __version__

    _common(parser)
    parser.add_argument("--version", action="version", version=f"xcsh {__version__}")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-p", "--print", dest="print_turn", action="store_true", help="one turn: answer TEXT and exit")
    for mode, what in _MODES.items():
        how.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, help=what)
    parser.add_argument(
        "--model", help="a model as pydantic-ai names it, or replay:FILE (default: XCSH_MODEL, settings, what is found)"
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="what may change things, comma-separated: write, edit, shell, or patterns: 'shell(git status:*)'",
    )
    parser.add_argument(
        "--sandbox", choices=("none", "bubblewrap"), help="what commands of the model run in (default: the setting)"
    )
    _session_options(parser)
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what to ask; standard input is added to it")
    return parser
