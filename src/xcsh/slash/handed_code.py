"""Finds shell lines that hand an argument to a program as code: `sh -c`, `eval`, `python -c`, `ssh` (C-42)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from xcsh.slash.interpreters import Interpreter, interpreter_of
from xcsh.slash.shell_line import Filled, refer
from xcsh.slash.shell_reading import read_commands
from xcsh.slash.shell_words import ShellCommand, ShellWord
from xcsh.slash.wrappers import is_wrapper, wrapped_by

_PRINT = frozenset(("echo", "printf"))
_MOST_WRAPPED = 50
"""Programs inside of others that are looked at in one command."""


def code_given_to(line: str, spans: Iterable[tuple[int, int]]) -> str:
    """Who gets a placeholder's value as code, in words: "`sh -c`, as code"; empty for nobody. `spans`: where the line
    has placeholders, by offsets.

    The line is read as the shell gets it, with a reference to a variable at each place. What a program does with its
    input or with files is not seen, but for what is plainly printed into an interpreter.
    """
    referred, values = refer(line, (Filled(start, end, "") for start, end in spans))
    if not values:
        return ""
    before: ShellCommand | None = None
    for command in read_commands(referred, (name for name, _ in values)):
        fed = command.input_given or (command.piped and before is not None and _prints_given(before))
        if found := _given_to(command.words, fed=fed):
            return found
        before = command
    return ""


def _prints_given(command: ShellCommand) -> bool:
    program = command.words[0].text
    return (program in _PRINT and any(word.given for word in command.words)) or (
        program == "cat" and command.input_given
    )


def _given_to(words: Sequence[ShellWord], *, fed: bool) -> str:
    for at, certain in _programs(words):
        if certain and words[at].begins_given:
            return "the shell, as the program to run"
        program = interpreter_of(words[at].text)
        if program is None:
            continue
        name = posixpath.basename(words[at].text)
        for label, word in _code(name, program, words[at + 1 :], fed=fed):
            if word is None or word.given:
                return f"`{label}`, as code"
    return ""


def _programs(words: Sequence[ShellWord]) -> Iterator[tuple[int, bool]]:
    """Where the program of a command stands, and those that it runs; whether it is one for sure."""
    texts = [word.text for word in words]
    waiting = [(0, True)]
    for _ in range(_MOST_WRAPPED):
        if not waiting:
            return
        at, certain = waiting.pop()
        yield at, certain
        found, sure = wrapped_by(texts, at)
        if sure:
            waiting += [(begin, certain) for begin in reversed(found)]
        elif (begin := _first_known(texts, found)) is not None:
            waiting.append((begin, False))


def _first_known(texts: Sequence[str], begins: Iterable[int]) -> int | None:
    """The first known program that no other follows at once: `docker run python sh` runs the second."""
    known = -1
    for at in begins:
        if interpreter_of(texts[at]) is not None or is_wrapper(texts[at]):
            known = at
        elif known >= 0:
            break
    return known if known >= 0 else None


def _code(
    name: str, program: Interpreter, words: Sequence[ShellWord], *, fed: bool
) -> Iterator[tuple[str, ShellWord | None]]:
    """What of the words a program takes for code, by what it is called then; None for its input that holds a value."""
    flagged, elsewhere = "", False
    operands: list[ShellWord] = []
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if len(text) < 2 or text[0] not in "-+":  # noqa: PLR2004 - a sign and a letter
            operands.append(word)
            if program.permutes:
                continue
            break
        if text == "--":
            break
        option, equals, _ = text.partition("=")
        if option in program.long + program.long_values or text.startswith("--"):
            at += not equals and option in program.long + program.long_values
            if option in program.long:
                elsewhere = True
                yield f"{name} {option}", word if equals else _at(words, at - 1)
            continue
        flag, taking, glued = _cluster(program, text[1:])
        flagged = flagged or flag
        at += bool(taking) and not glued
        elsewhere = elsewhere or (taking != "" and taking in program.code + program.instead)
        if taking and taking in program.code:
            yield f"{name} -{taking}", word if glued else _at(words, at - 1)
        if taking and taking in program.last:
            break
    operands += words[at:]
    if flagged or not elsewhere or program.operands == "all":
        yield from _operands(name, program, flagged, operands, fed=fed)


def _operands(
    name: str, program: Interpreter, flagged: str, operands: Sequence[ShellWord], *, fed: bool
) -> Iterator[tuple[str, ShellWord | None]]:
    """The same of what follows the options, none of which took code but where all operands are code anyway."""
    if flagged:
        yield f"{name} -{flagged}", _at(operands, 0)
    elif program.operands == "all":
        yield from ((name, word) for word in operands)
    elif program.operands == "first":
        yield name, _at(operands, 0)
    elif program.reads and fed and (not operands or operands[0].text == "-"):
        yield name, None


def _cluster(program: Interpreter, letters: str) -> tuple[str, str, bool]:
    """What the short options in one word mean: a flag for code, the option that takes a value, and whether the same
    word holds that value. Empty for what there is not.
    """
    flag, at = "", 0
    partly = dict(program.partly)
    while at < len(letters):
        letter, rest = letters[at], letters[at + 1 :]
        at += 1
        if letter in program.glued:
            break
        if (own := re.match(partly[letter], rest) if letter in partly else None) is not None:
            at += own.end()
        elif letter in program.flag:
            flag = letter
        elif letter in program.values + program.instead or (
            letter in program.code and (not rest or rest.strip(program.code))
        ):
            return flag, letter, bool(rest)
    return flag, "", True


def _at(words: Sequence[ShellWord], at: int) -> ShellWord:
    return words[at] if at < len(words) else ShellWord()
