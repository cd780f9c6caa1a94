"""Reads a shell line as its commands, and which of their words hold the value of given variables. For findings only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xcsh.slash.shell_quotes import closing_bracket
from xcsh.slash.shell_words import ShellCommand, ShellWord

_VARIABLE = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_DECLARES = frozenset(("export", "local", "readonly", "declare", "typeset"))
_RESERVED = frozenset(("if", "then", "else", "elif", "while", "until", "do", "!", "{", "}", "time", "fi", "done"))
_CONTINUATION = "\\\n"
"""A line that goes on: the shell drops both, also inside of a word."""
_DEEPEST = 8
"""Substitutions inside substitutions that are read; each level is read once more."""


def read_commands(line: str, names: Iterable[str]) -> list[ShellCommand]:
    """The commands of a line and of its substitutions. `names`: the variables whose values are followed, also where
    the line assigns them to others.
    """
    given = set(names)
    found: list[ShellCommand] = []
    waiting = [(line, 0)]
    while waiting:
        text, depth = waiting.pop()
        reader = _Reader(text, given)
        reader.read()
        found += reader.commands
        if depth < _DEEPEST:
            waiting += [(inner, depth + 1) for inner in reversed(reader.inner)]
    return found


class _Reader:
    """One walk over a text."""

    def __init__(self, text: str, given: set[str]) -> None:
        self.text = text
        self.given = given
        self.commands: list[ShellCommand] = []
        self.inner: list[str] = []
        self._at = 0
        self._command = ShellCommand()
        self._word: ShellWord | None = None
        self._redirected = ""
        self._documents: list[tuple[ShellCommand, str, bool]] = []

    def read(self) -> None:
        text = self.text
        while self._at < len(text):
            character = text[self._at]
            if text.startswith(_CONTINUATION, self._at):
                self._at += len(_CONTINUATION)
            elif character in " \t":
                self._end_word()
                self._at += 1
            elif character == "#" and self._word is None:
                self._at = _or_end(text.find("\n", self._at), text)
            elif character in "\n;&|()":
                self._operator(character)
            elif character in "<>":
                self._redirection()
            else:
                self._part(character)
        self._end_command()

    def _part(self, character: str) -> None:
        """A part of a word: quoted, substituted, or a character."""
        word = self._word = self._word or ShellWord()
        text, at = self.text, self._at
        if character == "'":
            end = _or_end(text.find("'", at + 1), text)
            word.add(text[at + 1 : end])
            word.quoted = True
            self._at = end + 1
        elif character == '"':
            word.quoted = True
            self._at += 1
            while self._at < len(text) and text[self._at] != '"':
                self._character(word, text[self._at])
            self._at += 1
        else:
            self._character(word, character)

    def _character(self, word: ShellWord, character: str) -> None:
        """One character as both unquoted text and double quotes read it."""
        text, at = self.text, self._at
        if text.startswith(_CONTINUATION, at):
            self._at += len(_CONTINUATION)
        elif character == "\\":
            word.add(text[at + 1 : at + 2])
            word.quoted = True
            self._at += 2
        elif character == "`" or text.startswith("$(", at):
            self._substitution(word)
        elif character == "$" and (variable := _VARIABLE.match(text, at)) is not None:
            word.add_variable(variable[0], given=variable[1] in self.given)
            self._at = variable.end()
        else:
            word.add(character)
            self._at += 1

    def _substitution(self, word: ShellWord) -> None:
        at = self._at
        if self.text[at] == "`":
            self._inner(word, at + 1, _closing_backtick(self.text, at + 1))
            return
        end = closing_bracket(self.text, at + 2)
        if self.text[at + 2 : at + 3] == "(" and closing_bracket(self.text, at + 3) == end - 1:
            self._arithmetic(at + 3, end)
            word.literal = True
        else:
            self._inner(word, at + 2, end)

    def _arithmetic(self, start: int, end: int) -> None:
        """What `$((…))` makes is a number, whatever it is made of; only substitutions in it run something."""
        number = ShellWord()
        self._at = start
        while self._at < end - 1:
            if self.text.startswith("$((", self._at):
                self._at += 3  # arithmetic in arithmetic is read with it
            else:
                self._character(number, self.text[self._at])
        self._at = max(self._at, end + 1)

    def _inner(self, word: ShellWord, start: int, end: int) -> None:
        inner = self.text[start:end]
        self.inner.append(inner)
        word.add_value(given=self._holds_given(inner))
        self._at = end + 1

    def _redirection(self) -> None:
        """The word behind it is no argument."""
        if self._word is not None and self._word.text.isdigit():
            self._word = None  # a file descriptor
        self._end_word()
        text, at = self.text, self._at
        kind = next(each for each in ("<<<", "<<-", "<<", "<(", ">(", text[at]) if text.startswith(each, at))
        if kind in ("<(", ">("):
            self._word = ShellWord()
            self._inner(self._word, at + 2, closing_bracket(text, at + 2))
            return
        self._at += len(kind)
        while self._at < len(text) and text[self._at] in (">", "&", "|"):
            self._at += 1
        self._redirected = kind

    def _operator(self, character: str) -> None:
        self._end_command(piped=character == "|" and self.text[self._at - 1 : self._at] != "|"
                          and self.text[self._at + 1 : self._at + 2] != "|")  # fmt: skip
        self._at += 1
        if character == "\n":
            self._read_documents()

    def _end_word(self) -> None:
        word, self._word = self._word, None
        if word is None:
            return
        kind, self._redirected = self._redirected, ""
        if kind in ("<<", "<<-"):
            self._documents.append((self._command, word.text, word.quoted))
        elif kind == "<<<":
            self._command.input_given = self._command.input_given or word.given
        elif not kind:
            self._command.words.append(word)

    def _end_command(self, *, piped: bool = False) -> None:
        self._end_word()
        command, self._command = self._command, ShellCommand(piped=piped)
        words = command.words
        while words and (_is_reserved(words) or _ASSIGNMENT.match(words[0].text) is not None):
            self._assign(words.pop(0))
        if not words:
            self._command.piped = self._command.piped or command.piped
            return
        if words[0].text in _DECLARES:
            for word in words:
                self._assign(word)
        elif words[0].text == "for" and len(words) > 1 and any(word.given for word in words[2:]):
            self.given.add(words[1].text)
        self.commands.append(command)

    def _assign(self, word: ShellWord) -> None:
        if word.given and (name := _ASSIGNMENT.match(word.text)) is not None:
            self.given.add(name[1])

    def _read_documents(self) -> None:
        """The here-documents that begin on the line that has just ended."""
        for command, delimiter, quoted in self._documents:
            lines: list[str] = []
            while self._at < len(self.text):
                end = _or_end(self.text.find("\n", self._at), self.text)
                line = self.text[self._at : end]
                self._at = end + 1
                if line.strip() == delimiter:
                    break
                lines.append(line)
            command.input_given = command.input_given or (not quoted and self._holds_given("\n".join(lines)))
        self._documents = []

    def _holds_given(self, text: str) -> bool:
        return any(match[1] in self.given for match in _VARIABLE.finditer(text))


def _is_reserved(words: Sequence[ShellWord]) -> bool:
    """Whether a command has yet to begin behind its first word. With options, `time` is a program."""
    first = words[0].text
    return first in _RESERVED and not (first == "time" and len(words) > 1 and words[1].text.startswith("-"))


def _or_end(offset: int, text: str) -> int:
    return offset if offset >= 0 else len(text)


def _closing_backtick(text: str, at: int) -> int:
    while at < len(text) and text[at] != "`":
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))
