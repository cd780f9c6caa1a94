"""Reads a shell command as far as a decision about it may rest on: one simple command, or nothing at all."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xcsh.slash.wrappers import FIND_RUNS, FINDERS, LAUNCHERS, SHELLS, WRAPPERS

_BLANKS = " \t"
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_ORDINARY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=^]")
_EXPANDING = frozenset("*?[~")
_ESCAPED_IN_QUOTES = frozenset('$`"\\')
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=")
_RESERVED = frozenset((
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "select",
    "function", "time", "coproc", "[[", "]]",
))  # fmt: skip
RUN_ANYTHING = frozenset((
    *WRAPPERS, *SHELLS, ".", "source", "eval", "trap", "coproc", "su", "watch", "at", "batch", "ssh", "dotenv",
    "compgen", "complete", "enable", "mapfile", "readarray", "fc", "bind",
))  # fmt: skip
"""Programs that run whatever command their arguments name."""

_PREFIXES = frozenset(("command", "builtin", "eval"))
"""Words before a builtin of the shell that leave it one."""

_EVALUATING = frozenset((
    "test", "printf", "let", "declare", "typeset", "local", "export", "readonly", "unset", "read", "wait", "getopts",
))  # fmt: skip
"""Commands of bash that run `$(...)` in the index of a variable's name, in quotes as well."""

_FIND_ACTS = frozenset((*FIND_RUNS, "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
_MOST_TEXTS = 500
"""Commands inside commands that are looked at before the answer is that anything may run."""

_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
"""A line that goes on: a backslash that no other one escapes."""

_SUBSTITUTED = re.compile(r"`[^`]*`|\$\([^)]*\)|\$\{[^}]*\}|\$\w*")
_SEPARATORS = re.compile(r"[;&|\n()`{}<>]+")


class Word(NamedTuple):
    """A word after quotes are removed, as it was written, and whether the shell would still expand it."""

    text: str
    raw: str
    expands: bool

    def same(self, other: Word) -> bool:
        """Whether both mean the same to a shell: `'*'` is not `*`."""
        return self.raw == other.raw if self.expands or other.expands else self.text == other.text


def simple_command(text: str) -> tuple[Word, ...] | None:
    """The words of the one program that `sh -c text` would start; None for whatever else it does or might do.

    None for every operator, redirection, substitution, variable, brace, comment, assignment in front, reserved word,
    line break and open quote. Globs and `~` are kept: they change what a program is given, not which program runs.
    """
    if _UNPRINTABLE.search(text):
        return None
    words: list[Word] = []
    at = 0
    while True:
        while at < len(text) and text[at] in _BLANKS:
            at += 1
        if at == len(text):
            break
        read = _word(text, at)
        if read is None:
            return None
        word, at = read
        words.append(word)
    if not words or not words[0].text or _ASSIGNMENT.match(words[0].raw) or words[0].raw in _RESERVED:
        return None
    return None if words[0].expands else tuple(words)


def runs_others(words: Iterable[Word]) -> bool:
    """Whether the program may run, by these arguments, another one that nobody named in the prefix."""
    listed = tuple(words)
    program = os.path.basename(listed[0].text)
    if program in RUN_ANYTHING:
        return True
    if program in _EVALUATING:
        return any("$" in word.text or "`" in word.text for word in listed[1:])
    return program in FINDERS and any(word.expands or word.text in _FIND_ACTS for word in listed[1:])


def may_run(text: str, wanted: Sequence[str], *, exactly: bool) -> bool:
    """Whether a shell that is given the text may run a program by the words `wanted`, whatever else it does.

    For refusing only, where one time too often is better than one too few. `exactly`: no words follow. A program counts
    by its base name as well, and inside of wrappers, substitutions and what is quoted for another shell. A file
    that the shell itself takes commands from (`. FILE`) may hold any; what a program does by itself is not seen.
    """
    waiting = [text]
    if (joined := _CONTINUED.sub(r"\1", text)) != text:
        waiting.append(joined)  # as well, since a line with a comment does not go on
    for _ in range(_MOST_TEXTS):
        if not waiting:
            return False
        for words in _segments(waiting.pop()):
            if _reads_a_file(words):
                return True
            waiting += _hidden(words)
            for start in _starts(words):
                if exactly and len(words) - start != len(wanted):
                    continue
                found = words[start : start + len(wanted)]
                if any(_spelled(first, found[1:], wanted) for first in (found[0], os.path.basename(found[0]))):
                    return True
    return True


def _spelled(first: str, rest: list[str], wanted: Sequence[str]) -> bool:
    """Whether words are the wanted ones, also where whatever is substituted in them turns out empty."""
    words = [first, *rest]
    return words == [*wanted] or [_SUBSTITUTED.sub("", word) for word in words] == [*wanted]


def _word(text: str, at: int) -> tuple[Word, int] | None:
    """The word that begins at `at`, and where it ends; None where it holds something that is not only text."""
    start = at
    parts: list[str] = []
    expands = False
    while at < len(text) and text[at] not in _BLANKS:
        char = text[at]
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                return None
            parts.append(text[at + 1 : end])
            at = end + 1
        elif char == '"':
            quoted = _quoted(text, at + 1)
            if quoted is None:
                return None
            parts.append(quoted[0])
            at = quoted[1]
        elif char == "\\":
            if at + 1 == len(text):
                return None
            parts.append(text[at + 1])
            at += 2
        elif char in _ORDINARY or char in _EXPANDING or (not char.isascii() and char.isalnum()):
            expands = expands or char in _EXPANDING
            parts.append(char)
            at += 1
        else:
            return None
    return Word("".join(parts), text[start:at], expands), at


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """What stands between double quotes from `at` on, and where they end; None where something is substituted."""
    parts: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return "".join(parts), at + 1
        if char in "$`":
            return None
        if char == "\\" and text[at + 1 : at + 2] in _ESCAPED_IN_QUOTES:
            at += 1
        parts.append(text[at])
        at += 1
    return None


def _segments(text: str) -> list[list[str]]:
    """The words between operators; where quotes are open, operators inside them count too."""
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return [part.split() for part in _SEPARATORS.split(text)]
    segments: list[list[str]] = [[]]
    for token in tokens:
        if token and not token.strip(";&|()<>"):
            segments.append([])
        else:
            segments[-1].append(token)
    return segments


def _hidden(words: list[str]) -> Iterator[str]:
    """Texts inside words that may be commands themselves: substitutions, and what a wrapper is given in quotes."""
    wrapped = any(os.path.basename(word) in RUN_ANYTHING for word in words)
    for word in words:
        if "`" in word or "$(" in word:
            yield from (part for part in re.split(r"`|\$\(|\)", word) if part != word)
        elif wrapped and any(char.isspace() or char in ";&|" for char in word):
            yield word


def _reads_a_file(words: list[str]) -> bool:
    """Whether the shell goes on with the commands of a file: `. FILE`, `command source FILE`."""
    for index in range(next(_starts(words), len(words)), len(words) - 1):
        word = _SUBSTITUTED.sub("", words[index])
        if word not in _PREFIXES and not word.startswith("-"):
            return word in (".", "source")
    return False


def _starts(words: list[str]) -> Iterator[int]:
    """Where in a segment a command may begin: after what is none of it, and anywhere after a wrapper."""
    for index, word in enumerate(words):
        if _ASSIGNMENT.match(word) or word in _RESERVED or word in ("!", "{", "}") or not _SUBSTITUTED.sub("", word):
            continue
        yield index
        program = os.path.basename(word)
        if program in RUN_ANYTHING or program in FINDERS:
            yield from range(index + 1, len(words))
        elif program in LAUNCHERS:
            begins = (at for at in range(index + 1, len(words)) if words[at] in LAUNCHERS[program].behind)
            yield from range(next(begins, len(words)) + 1, len(words))
        return
