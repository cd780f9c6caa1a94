"""How an expression of another engine is written in JavaScript's syntax: what to say of one that does not compile."""

from __future__ import annotations

import re

_FOREIGN = (
    (re.compile(r"\(\?P<(\w+)>"), r"write (?<\1>…) for (?P<\1>…)"),
    (re.compile(r"\(\?P=(\w+)\)"), r"write \\k<\1> for (?P=\1)"),
    (re.compile(r"\(\?>"), "write (?:…) for (?>…): there are no atomic groups"),
    (re.compile(r"\(\?#"), "leave the comment (?#…) away"),
    (re.compile(r"\(\?\|"), "write (?:…) for (?|…)"),
    (re.compile(r"\(\?R\)|\(\?[0-9]+\)|\(\?&"), "an expression cannot call itself"),
    (re.compile(r"\(\?\("), "there are no conditional groups: write an alternative, a|b"),
    (
        re.compile(r"(?<=.)\(\?([ims]+)\)", re.DOTALL),
        r"put all flags at the start in one group; of a part: (?\1:…)",
    ),
    (re.compile(r"\(\?[a-zA-Z-]+\)"), "of flags there are (?i), (?m) and (?s)"),
    (re.compile(r"[*+?}]\+"), "leave the second + away: there are no possessive repetitions"),
)
_BY_PROBLEM = (
    ("unterminated group", r"close the group with ), or write \( where the character is meant"),
    ("unmatched ')'", r"write \) where the character is meant"),
    ("out of order", "the smaller one comes first"),
    ("unterminated character class", r"close the class with ], or write \[ where the character is meant"),
    ("nothing to repeat", r"something has to stand before *, + and ?; where the character is meant write \*, \+ or \?"),
    ("end of pattern", r"write \\ where a backslash is meant"),
)
_ESCAPED = re.compile(r"\\.", re.DOTALL)


def advice_on(source: str, problem: str) -> str | None:
    """What to write in place of an expression that does not compile; None where that is not plain to see.

    `problem` is what the engine says of it.
    """
    plain = _ESCAPED.sub("__", source)
    for pattern, advice in _FOREIGN:
        if match := pattern.search(plain):
            return match.expand(advice)
    said = problem.lower()
    return next((advice for words, advice in _BY_PROBLEM if words in said), None)
