"""Questions as numbered lines, and what an answer that was typed means."""

from __future__ import annotations

from collections.abc import Sequence

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session
from xcsh.tui.front_end import Choice
from xcsh.tui.plain.sentences import lines_shown, shown

_WORDS: dict[str, type[Once | No]] = {"y": Once, "yes": Once, "n": No, "no": No}


class ConsentQuestion:
    """A question about consent: the lines that ask it, and its answers by number."""

    def __init__(self, request: ConsentRequest) -> None:
        self._request = request
        self._answers: list[tuple[str, Answer]] = [("Yes, this time.", Once())]
        if request.patterns and not request.once:
            pattern = request.patterns[0]
            self._answers.append((f"Yes, for this session, to all of: {shown(pattern)}", Session(pattern)))
            self._answers += [(f"Yes, always, to all of: {shown(each)}", Always(each)) for each in request.patterns]
        elif not request.once:  # else the next call may do something else
            self._answers.append(("Yes, to the very same for this session.", Session()))
        self._answers.append(("No. What stands behind the number is told to the model.", No()))

    @property
    def text(self) -> str:
        """What is asked: exactly what would happen, then the answers."""
        request = self._request
        lines = [f"Question: {shown(request.origin)} wants to use {shown(request.tool)}. {_sentence(request.why)}"]
        if request.path:
            lines.append(f"The file: {shown(request.path)}")
        lines += [
            f"    {line}" for line in lines_shown(request.command or request.diff or request.arguments).split("\n")
        ]
        lines += [_sentence(note) for note in request.notes]
        lines += [f"{number}. {label}" for number, (label, _) in enumerate(self._answers, 1)]
        return "\n".join([*lines, f"Type a number from 1 to {len(self._answers)}."])

    def answer(self, typed: str) -> Answer | None:
        """What was answered; None where it is no answer."""
        word, _, rest = typed.strip().partition(" ")
        word = word.rstrip(",.:;")
        if word.lower() in _WORDS:
            given: Answer = _WORDS[word.lower()]()
        elif (number := _number(word)) is not None and 1 <= number <= len(self._answers):
            given = self._answers[number - 1][1]
        else:
            return None
        if rest and not isinstance(given, No):
            return None  # something else was meant
        return No(rest.strip()) if isinstance(given, No) else given

    @property
    def count(self) -> int:
        """How many answers there are."""
        return len(self._answers)


class ListQuestion:
    """One of several things: by its number, or by a part of its name that shortens the list."""

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        self._title = title
        self._all = list(choices)
        self._offered = list(choices)

    @property
    def text(self) -> str:
        """The list, and how to answer."""
        lines = [_sentence(self._title)]
        for number, choice in enumerate(self._offered, 1):
            detail = f": {shown(choice.detail)}" if choice.detail else ""
            lines.append(f"{number}. {shown(choice.label)}{detail}")
        return "\n".join([*lines, "Type a number, a part of a name, or nothing to leave."])

    def answer(self, typed: str) -> tuple[bool, str | None]:
        """Whether the question is answered, and by what; else the list is a shorter one now, or the whole again."""
        typed = typed.strip()
        if not typed:
            return True, None
        number = _number(typed)
        if number is not None and 1 <= number <= len(self._offered):
            return True, self._offered[number - 1].value
        fitting = [item for item in self._all if typed.lower() in f"{item.label} {item.detail}".lower()]
        if len(fitting) == 1:
            return True, fitting[0].value
        self._offered = fitting or self._all
        return False, None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None  # noqa: PLR2004 - no list is so long


def _sentence(text: str) -> str:
    """A text that ends like a sentence and begins like one."""
    line = shown(text)
    return f"{line[:1].upper()}{line[1:]}{'' if line.endswith(('.', ':', '?')) else '.'}"
