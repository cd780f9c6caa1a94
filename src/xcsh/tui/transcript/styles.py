"""The colours of a transcript, by what stands in them; every one adds to a word or a sign."""

from __future__ import annotations

STYLES = (
    "user", "model", "muted", "tool", "rule", "failed", "added", "removed", "place", "code", "link", "cursor",
)  # fmt: skip
"""Of each there is a component class `transcript--NAME`."""

MUTED = frozenset(("muted", "place"))
"""Those whose colour is a share of the text's."""

CSS = """
Transcript { overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
Transcript .transcript--user { text-style: bold; }
Transcript .transcript--model { color: $text-accent; }
Transcript .transcript--muted { color: $text-muted; }
Transcript .transcript--rule { color: $text-warning; }
Transcript .transcript--failed { color: $text-error; }
Transcript .transcript--added { color: $text-success; }
Transcript .transcript--removed { color: $text-error; }
Transcript .transcript--place { color: $text-muted; text-style: bold; }
Transcript .transcript--code { color: $text-accent; }
Transcript .transcript--link { text-style: underline; }
Transcript .transcript--cursor { text-style: reverse; }
"""
