"""What was probably meant by a name that there is none of, and how that is asked."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(wanted: str, names: Iterable[str], *, most: int = 1, alike: float = 0.6) -> list[str]:
    """At most `most` of the names that are most like `wanted`, the nearest first; upper and lower case are the same.

    `alike` is the least likeness, between 0 (nothing in common) and 1 (the same).
    """
    import difflib  # noqa: PLC0415 - only where a name is unknown

    spellings: dict[str, dict[str, None]] = {}
    for name in names:
        spellings.setdefault(name.lower(), {})[name] = None
    close = difflib.get_close_matches(wanted.lower(), spellings, most, alike)
    return [name for folded in close for name in spellings[folded]][:most]


def did_you_mean(near: Iterable[str], otherwise: str = "") -> str:
    """The question for the names that are near; `otherwise` where none is."""
    names = ", ".join(near)
    return f"did you mean {names}?" if names else otherwise
