"""Rewrites an expression so that it matches only what a text decides, whatever may follow that text (T-7a)."""

from __future__ import annotations

import re

END = "\ufdd0"
"""Stands where a text ends for now. It is no character, so that texts do not hold it; one that does is waited for."""

_TOKEN = re.compile(
    r"(?P<negative>\(\?<?!)|(?P<open>\(\?<[^>=!]*>|\(\?<?=|\(\?[a-z-]*:|\()|(?P<close>\))"
    r"|(?P<name>\\k<[^>]*>)|(?P<place>\\[bB]|\$)|(?P<other>\\[DSW])|(?P<escape>\\.)"
    r"|(?P<class>\[(?:[^\]\\]|\\.)*\])|(?P<rest>\.[*+]\??\$)|(?P<dot>\.)|(?P<plain>[^\\\[.$()]+)",
    re.DOTALL,
)
_MODIFIED = re.compile(r"\(\?[a-z-]+:")
_PLAIN_CLASS = re.compile(r"\[(?!\^)(?:[ -\[\]-~]|\\[dswnrtfvb]|\\[^\w])*\]", re.ASCII)
"""A class that holds what stands there, all of it ASCII."""


def decided(body: str, flags: str) -> str:
    """An expression for a text with END behind it: it matches where `body` does and where nothing that follows could
    undo it. What stands in a negative look-around is left as it is. Raises ValueError for what is too odd to read.
    """
    modified = _MODIFIED.search(body) is not None
    dot = f"(?:(?!{END}).)" if modified else f"[^{END}]" if "s" in flags else f"[^\\n\\r\\u2028\\u2029{END}]"
    # `.*$` comes to an end of the line, or with `s` of the text, whatever follows: it need not wait for that.
    last = f"(?:$|(?={END}))" if flags and flags != "i" and not modified else f"(?:(?!{END})$)"
    written: list[str] = []
    at = depth = left = 0
    while at < len(body):
        token = _TOKEN.match(body, at)
        if token is None:
            raise ValueError(f"no expression continues with {body[at : at + 10]!r}")
        kind, text, at = token.lastgroup, token[0], token.end()
        depth += (kind in ("negative", "open")) - (kind == "close")
        if left:
            left = 0 if depth < left else left
        elif kind == "negative":
            left = depth
        else:
            text = dot + text[1:-1] + last if kind == "rest" else _decided(kind, text, dot)
        written.append(text)
    return "".join(written)


def _decided(kind: str | None, text: str, dot: str) -> str:
    if kind == "place":
        return f"(?:(?!{END}){text})"
    if kind == "other":
        return f"[^{text.lower()}{END}]"
    if kind == "dot":
        return dot
    if kind != "class" or _PLAIN_CLASS.fullmatch(text):
        return text
    if text.startswith("[^") and text[2] != "-":
        return f"[^{END}{text[2:]}"
    return f"(?:(?!{END}){text})"
