"""Splits lists of tools, whose elements may hold spaces and commas in brackets: `Bash(git diff:*), Read`."""

from __future__ import annotations


def split_tools(text: str) -> list[str]:
    """The tools of a text, separated by commas or white space outside brackets."""
    if "(" not in text:
        return text.replace(",", " ").split()
    tools: list[str] = []
    current = ""
    depth = 0
    for character in text:
        if depth == 0 and (character == "," or character.isspace()):
            if current:
                tools.append(current)
            current = ""
            continue
        depth += (character == "(") - (character == ")")
        depth = max(depth, 0)
        current += character
    return [*tools, current] if current else tools
