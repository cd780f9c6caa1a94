"""What may follow on a command line that is being typed: verbs, options, names of rules, commands, settings, files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from xcsh.cli.options import turn_parser, verb_parser
from xcsh.cli.verb_table import VERBS
from xcsh.surfaces.layout import shown_summary, visible

if TYPE_CHECKING:
    from xcsh.model.registry import Registry

Discover = Callable[[], "Registry"]


class Word(NamedTuple):
    """A word that may stand there, and what it is."""

    text: str
    about: str = ""


def words_of(line: str) -> list[str]:
    """The words of a line as a shell takes it apart, quotes off; the last one is being typed and may be empty."""
    words: list[str] = [""]
    quote = ""
    escaped = False
    for character in line:
        if escaped:
            words[-1] += character
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif not quote and character in " \t\n":
            if words[-1]:
                words.append("")
        else:
            words[-1] += character
    return words


def complete(words: Sequence[str], cwd: str, home: str, discover: Discover) -> list[Word]:
    """What the last of `words` may become; the first is the program. `discover` is asked only for what needs it."""
    *before, typed = words[1:] or [""]
    at = next((index for index, word in enumerate(before) if word in VERBS), None)
    parser = turn_parser() if at is None else verb_parser(before[at])
    past = before if at is None else [*before[:at], *before[at + 1 :]]
    found: Iterator[Word]
    pending = _pending(parser, past)
    if pending is not None:
        found = _values(pending, typed, cwd, home, discover)
    elif typed.startswith("-"):
        found = _options(parser)
    elif at is None:
        found = (Word(name, verb.summary) for name, verb in VERBS.items() if name not in ("turn", "chat"))
    else:
        found = _positionals(parser, past, typed, cwd, home, discover)
    unique = {word.text: word for word in found if word.text.startswith(typed) and word.text.isprintable()}
    return [word._replace(about=visible(word.about)) for _, word in sorted(unique.items())]


def _pending(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Action | None:
    """The option whose value is being typed."""
    options = parser._option_string_actions  # noqa: SLF001 - argparse has no other way to ask
    action = options.get(words[-1]) if words else None
    return action if action is not None and action.nargs != 0 else None


def _options(parser: argparse.ArgumentParser) -> Iterator[Word]:
    for text, action in parser._option_string_actions.items():  # noqa: SLF001
        if action.help != argparse.SUPPRESS:
            yield Word(text, action.help or "")


def _positionals(
    parser: argparse.ArgumentParser, words: Sequence[str], typed: str, cwd: str, home: str, discover: Discover
) -> Iterator[Word]:
    for action in parser._actions:  # noqa: SLF001
        if action.nargs == argparse.PARSER:
            below: dict[str, object] = dict(cast("dict[str, object]", action.choices or {}))
            chosen = next((below[word] for word in words if word in below), None)
            if isinstance(chosen, argparse.ArgumentParser):
                yield from _positionals(chosen, (), typed, cwd, home, discover)
            else:
                yield from map(Word, below)
        elif not action.option_strings:
            yield from _values(action, typed, cwd, home, discover)


def _values(action: argparse.Action, typed: str, cwd: str, home: str, discover: Discover) -> Iterator[Word]:
    """By what the value is called in the help of its verb."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices is not None:
        yield from (Word(str(choice)) for choice in action.choices)
    elif metavar in ("DIR", "FILE", "PATH", "P"):
        yield from _files(typed, cwd, folders_only=metavar == "DIR")
    elif metavar == "NAME|/NAME|PATH":
        yield from _commands(discover()) if typed.startswith("/") else _rules(discover())
        yield from _files(typed, cwd)
    elif metavar == "'/NAME args'":
        yield from _commands(discover())
    elif metavar == "rule://NAME":
        yield from (word._replace(text=f"rule://{word.text}") for word in _rules(discover()))
        yield from _rules(discover()) if typed and not typed.startswith("rule:") else ()
    elif metavar == "NAME":
        yield from _rules(discover())
    elif metavar in ("KEY", "KEY=VALUE"):
        yield from _settings(end="=" if metavar == "KEY=VALUE" else "")
    elif metavar == "ID":
        yield from _sessions(home)


def _rules(registry: Registry) -> Iterator[Word]:
    for entry in registry.active:
        yield Word(entry.rule.name, f"{entry.bucket}, {entry.rule.origin.title}")


def _commands(registry: Registry) -> Iterator[Word]:
    from xcsh.slash.expansion import callable_commands

    for name, command in callable_commands(registry).items():
        yield Word(f"/{name}", shown_summary(command.description))


def _settings(end: str) -> Iterator[Word]:
    from xcsh.model.settings import BY_KEY

    if not end:
        yield from (Word("set"), Word("unset"), Word("path"))
    yield from (Word(f"{key}{end}", setting.summary) for key, setting in BY_KEY.items())


def _sessions(home: str) -> Iterator[Word]:
    from xcsh.session.store import sessions_folder
    from xcsh.session.store.folder import session_ids

    yield from (Word(each) for each in session_ids(sessions_folder(os.environ, home)))


def _files(typed: str, cwd: str, *, folders_only: bool = False) -> Iterator[Word]:
    """The entries of the folder that is being typed; a folder ends with a slash, hidden ones only when meant."""
    folder, name = os.path.split(typed)
    try:
        entries = list(os.scandir(os.path.join(cwd, os.path.expanduser(folder) or ".")))
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir()
        if (is_folder or not folders_only) and entry.name.startswith(name) and (name or entry.name[0] != "."):
            yield Word(os.path.join(folder, entry.name) + ("/" if is_folder else ""))
