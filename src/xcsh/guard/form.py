"""What can be told of an expression without running it: widths, how far it looks ahead, literals that it requires."""

from __future__ import annotations

import re
from typing import NamedTuple

ENDLESS = float("inf")
_DEEPEST = 60
_SELDOM = 3
"""Characters of a literal that a text does not hold everywhere."""

_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d{1,6})(,)?(\d{1,6})?\})\??")
_CLASS = re.compile(r"\[(?:[^\]\\]|\\.)*\]", re.DOTALL)
_HEX = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z])")
_NAMED = re.compile(r"\(\?<[^>=!]*>")
_REFERENCE = re.compile(r"<[^>]*>")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}


class Form(NamedTuple):
    """Of an expression: the least and greatest width of a match, and `ahead`, how much of the text behind a match may
    still undo it, all in UTF-16 units; whether it holds a look-ahead; texts of which every match holds one, if known,
    and how much of a match may follow that text.
    """

    least: float = 0
    greatest: float = 0
    ahead: float = 0
    looks: bool = False
    literals: frozenset[str] | None = None
    after: float = 0


UNKNOWN = Form(0, ENDLESS, ENDLESS, looks=True)
_ONE = Form(1, 1)


def form_of(body: str) -> Form:
    """The form of an expression that compiles; of one that is too deep or too odd to read, the form that says least."""
    reader = _Reader(body)
    try:
        form = reader.alternatives(0)
    except (_UnreadableError, IndexError):
        return UNKNOWN
    return form if reader.at == len(body) else UNKNOWN


class _UnreadableError(ValueError):
    pass


class _Reader:
    def __init__(self, body: str) -> None:
        self.body = body
        self.at = 0

    def alternatives(self, depth: int) -> Form:
        if depth > _DEEPEST:
            raise _UnreadableError
        form = self._sequence(depth)
        while self.body.startswith("|", self.at):
            self.at += 1
            other = self._sequence(depth)
            both = form.literals is not None and other.literals is not None
            form = Form(
                min(form.least, other.least),
                max(form.greatest, other.greatest),
                max(form.ahead, other.ahead),
                form.looks or other.looks,
                (form.literals or frozenset()) | (other.literals or frozenset()) if both else None,
                max(form.after, other.after),
            )
        return form

    def _sequence(self, depth: int) -> Form:
        total, run = Form(), ""
        best = Form()
        while self.at < len(self.body) and self.body[self.at] not in "|)":
            form, character = self._item(depth)
            quantified, form = self._quantified(form)
            if character and not quantified:
                run += character
            elif form.greatest > 0:
                best, run = _better(best, _plain(run)), ""
            best = best._replace(after=best.after + form.greatest)
            if not run:
                best = _better(best, form)
            total = Form(
                total.least + form.least,
                total.greatest + form.greatest,
                max(total.ahead - form.least, form.ahead, 0),
                total.looks or form.looks,
            )
        best = _better(best, _plain(run))
        return total._replace(literals=best.literals, after=best.after)

    def _quantified(self, form: Form) -> tuple[bool, Form]:
        match = _QUANTIFIER.match(self.body, self.at)
        if match is None:
            return False, form
        self.at = match.end()
        sign, low, comma, high = match.groups()
        least = int(low) if low else int(sign == "+")
        greatest = (1 if sign == "?" else ENDLESS) if sign else int(high) if high else ENDLESS if comma else least
        widest = 0 if 0 in (greatest, form.greatest) else form.greatest * greatest
        literals = form.literals if least else None
        return True, Form(form.least * least, widest, form.ahead, form.looks, literals, form.after)

    def _item(self, depth: int) -> tuple[Form, str]:
        """The form of the next item, and the character where it is a plain one."""
        body, at = self.body, self.at
        character = body[at]
        if character == "(":
            return self._group(depth), ""
        self.at += 1
        if character == "\\":
            return self._escape()
        if character == "[":
            match = _CLASS.match(body, at)
            if match is None:
                raise _UnreadableError
            self.at = match.end()
            return _ONE, ""
        if character in "^.":
            return (Form() if character == "^" else _ONE), ""
        if character == "$":
            return Form(ahead=1), ""
        if character > "\uffff":
            return Form(2, 2), ""
        return Form(1, 1, literals=frozenset({character})), character

    def _escape(self) -> tuple[Form, str]:
        match = _HEX.match(self.body, self.at - 1)
        if match is not None:
            self.at = match.end()
            return _ONE, ""
        character = self.body[self.at]
        self.at += 1
        if character in "bB":
            return Form(ahead=1), ""
        if character in "dDsSwWfv0":
            return (_ONE, "") if character != "0" else (Form(0, ENDLESS), "")
        if character in _CONTROLS:
            return _ONE, _CONTROLS[character]
        if character == "k":
            name = _REFERENCE.match(self.body, self.at)
            self.at = name.end() if name else self.at
        if character.isalnum():
            return Form(0, ENDLESS), ""  # a reference, or an escape that depends on what else the expression holds
        return (_ONE, character) if character <= "\uffff" else (Form(2, 2), "")

    def _group(self, depth: int) -> Form:
        body, at = self.body, self.at
        kind = next((sign for sign in ("(?:", "(?=", "(?!", "(?<=", "(?<!") if body.startswith(sign, at)), "")
        named = None if kind else _NAMED.match(body, at)
        if not kind and named is None and body.startswith("(?", at):
            raise _UnreadableError
        self.at = named.end() if named else at + len(kind or "(")
        inner = self.alternatives(depth + 1)
        if not body.startswith(")", self.at):
            raise _UnreadableError
        self.at += 1
        if kind in ("(?=", "(?!"):
            return Form(ahead=max(inner.greatest + inner.ahead, 1), looks=True)
        if kind in ("(?<=", "(?<!"):
            return Form(ahead=inner.ahead, looks=inner.looks)
        return inner


def _plain(run: str) -> Form:
    return Form(literals=frozenset({run}) if run else None)


def _better(left: Form, right: Form) -> Form:
    """Whose literals are the better ones to wait for: seldom ones that are near the end of the match."""
    return right if _worth(right) > _worth(left) else left


def _worth(form: Form) -> tuple[int, bool, int]:
    shortest = min(map(len, form.literals)) if form.literals else 0
    return min(shortest, _SELDOM), form.after < ENDLESS, shortest
