"""The words of a shell line and its commands, as far as they hold given values. For findings only."""

from __future__ import annotations


class ShellWord:
    """A word. `parts` are its text without quotes; `given`: the value of one of the variables is a part of it.

    `begins_given`: nothing stands before that value but what may turn out empty, so that it decides on the whole word.
    """

    __slots__ = ("_braces", "begins_given", "given", "literal", "parts", "quoted")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.given = False
        self.begins_given = False
        self.quoted = False
        self.literal = False
        self._braces = 0

    @property
    def text(self) -> str:
        """The word without its quotes; variables stand in it by their names, substitutions not at all."""
        return "".join(self.parts)

    def add(self, text: str) -> None:
        """Adds text that means itself, but for what stands in the braces of a variable, as in `${x:-…}`."""
        self.parts.append(text)
        if self._braces:
            self._braces -= text == "}"
        else:
            self.literal = self.literal or bool(text)

    def add_variable(self, text: str, *, given: bool) -> None:
        """Adds `$name` or what begins `${name…}`."""
        self.parts.append(text)
        self._braces += text.startswith("${")
        self.add_value(given=given)

    def add_value(self, *, given: bool) -> None:
        """Takes note of what a variable or a substitution puts here."""
        self.given = self.given or given
        self.begins_given = self.begins_given or (given and not self.literal)


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
