"""Reads a shell line as its commands, and which of their words hold the value of given variables. For findings only."""

from __future__ import annotations

import re
from collections.abc import Iterable

_VARIABLE = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_DECLARES = frozenset(("export", "local", "readonly", "declare", "typeset"))
_RESERVED = frozenset(("if", "then", "else", "elif", "while", "until", "do", "!", "{", "}", "time", "fi", "done"))
_DEEPEST = 8
"""Substitutions inside substitutions that are read; each level is read once more."""


class ShellWord:
    """A word. `parts` are its text without quotes; `given`: the value of one of the variables is a part of it."""

    __slots__ = ("given", "parts", "quoted")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.given = False
        self.quoted = False

    @property
    def text(self) -> str:
        """The word without its quotes; variables stand in it by their names, substitutions not at all."""
        return "".join(self.parts)


class ShellCommand:
    """The words of a command, without assignments and reserved words in front.

    `input_given`: a here-document or here-string of it holds one of the values. `piped`: it reads what the one before
    it in the list writes.
    """

    __slots__ = ("input_given", "piped", "words")

    def __init__(self, *, piped: bool = False) -> None:
        self.words: list[ShellWord] = []
        self.input_given = False
        self.piped = piped


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
            if character in " \t":
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
            word.parts.append(text[at + 1 : end])
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
        if character == "\\":
            word.parts.append(text[at + 1 : at + 2])
            word.quoted = True
            self._at += 2
        elif character == "`" or text.startswith("$(", at):
            self._substitution(word)
        elif character == "$" and (variable := _VARIABLE.match(text, at)) is not None:
            word.given = word.given or variable[1] in self.given
            word.parts.append(variable[0])
            self._at = variable.end()
        else:
            word.parts.append(character)
            self._at += 1

    def _substitution(self, word: ShellWord) -> None:
        at = self._at
        if self.text[at] == "`":
            self._inner(word, at + 1, _closing_backtick(self.text, at + 1))
        else:
            self._inner(word, at + 2, _closing_bracket(self.text, at + 2))

    def _inner(self, word: ShellWord, start: int, end: int) -> None:
        inner = self.text[start:end]
        self.inner.append(inner)
        word.given = word.given or self._holds_given(inner)
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
            self._inner(self._word, at + 2, _closing_bracket(text, at + 2))
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
        while words and (words[0].text in _RESERVED or (_ASSIGNMENT.match(words[0].text) is not None)):
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


def _or_end(offset: int, text: str) -> int:
    return offset if offset >= 0 else len(text)


def _closing_backtick(text: str, at: int) -> int:
    while at < len(text) and text[at] != "`":
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _closing_bracket(text: str, at: int) -> int:
    """The offset of the bracket that closes a substitution which begins at `at`; quotes in it keep theirs."""
    open_quotes = [""]
    while at < len(text):
        character, quote = text[at], open_quotes[-1]
        if character == "\\" and quote != "'":
            at += 1
        elif quote and character == quote:
            open_quotes[-1] = ""
        elif not quote and character in "'\"":
            open_quotes[-1] = character
        elif (character == "(" and not quote) or (quote == '"' and text.startswith("$(", at)):
            open_quotes.append("")
            at += bool(quote)
        elif character == ")" and not quote:
            open_quotes.pop()
            if not open_quotes:
                return at
        at += 1
    return len(text)
