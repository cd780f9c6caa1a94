"""Holds files to the size that the project has set itself: a file that grows past it wants to be two."""

from __future__ import annotations

import os
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CAP = 400
MEDIAN = 100
MOST = 250
SHARE = 0.9
AGENTS_CAP = 100


def count_lines(path: str) -> int:
    """The lines of a text file."""
    with open(path, encoding="utf-8") as file:
        return sum(1 for _ in file)


def sizes(folder: str) -> dict[str, int]:
    """Lines of every Python file below `folder`, by path relative to the checkout."""
    found: dict[str, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(parent, name)
                found[os.path.relpath(path, ROOT)] = count_lines(path)
    return found


def problems() -> list[str]:
    """What is larger than it may be, a line each."""
    found = sizes(os.path.join(ROOT, "src"))
    lines = list(found.values())
    texts = [f"{path}: {size} lines, above {CAP}" for path, size in sorted(found.items()) if size > CAP]
    if (median := statistics.median(lines)) > MEDIAN:
        texts.append(f"src: the median file has {median:g} lines, above {MEDIAN}")
    if (share := sum(size <= MOST for size in lines) / len(lines)) < SHARE:
        texts.append(f"src: {share:.0%} of the files have at most {MOST} lines, below {SHARE:.0%}")
    if (size := count_lines(os.path.join(ROOT, "AGENTS.md"))) > AGENTS_CAP:
        texts.append(f"AGENTS.md: {size} lines, above {AGENTS_CAP}")
    return texts


if __name__ == "__main__":
    found = problems()
    print("\n".join(found))
    sys.exit(bool(found))
