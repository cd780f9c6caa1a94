"""What a call of a tool changes, where its argument is a patch: the files, and of each the lines that it adds."""

from __future__ import annotations

from typing import NamedTuple

_FILES = ("*** Add File: ", "*** Update File: ")
_MOVED = "*** Move to: "
_BEGIN = "*** Begin Patch"
_PROGRAM = "apply_patch"


class PatchedFile(NamedTuple):
    """A file that a patch changes, and the lines that come in, with their ends."""

    path: str
    added: str


def is_patch(text: str) -> bool:
    """Whether a text is a patch in the form that `apply_patch` takes, or a line of a shell that calls it with one.

    A text that only quotes a patch, as documentation does, is none: it is to be looked at as a whole.
    """
    before, begin, _ = text.partition(_BEGIN)
    return bool(begin) and (not before.strip() or _PROGRAM in before)


def patched_files(text: str) -> list[PatchedFile]:
    """The files of a patch in its order. A file that is only taken away is none of them."""
    found: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        heading = next((name for name in _FILES if line.startswith(name)), None)
        if heading is not None:
            found.append((line[len(heading) :].strip(), []))
        elif line.startswith(_MOVED) and found:
            found[-1] = (line[len(_MOVED) :].strip(), found[-1][1])
        elif line.startswith("*** "):
            continue
        elif line.startswith("+") and found:
            found[-1][1].append(line[1:])
    return [PatchedFile(path, "".join(f"{line}\n" for line in lines)) for path, lines in found]
