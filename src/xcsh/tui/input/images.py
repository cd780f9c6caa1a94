"""Images in what is typed: those that were pasted or dropped, and files that are mentioned."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from xcsh.session.images.reading import ENDINGS, Image, ImageError, read_image
from xcsh.surfaces.layout import visible

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_ENDING = r"\.(?:png|jpe?g|gif|webp)"
_MENTION = re.compile(
    rf"""(?<!\S)@(?:"(?P<double>[^"\n]+?{_ENDING})"|'(?P<single>[^'\n]+?{_ENDING})'"""
    rf"""|(?P<bare>(?:\\.|[^\s\\"'])+?{_ENDING})(?![\w/-]|\.\w))""",
    re.IGNORECASE,
)
_PASTED = re.compile(r"\[image [^\[\]\n]{1,100}\]")
_MAY_BE = re.compile(rf"{_ENDING}['\"]?\s*\Z", re.IGNORECASE)
_LONGEST, _LONGEST_NAME = 8_000, 60
_MOST = 32
"""So many pasted images are held for texts that are sent once more."""


class Places(NamedTuple):
    """Where a path that a user gives is looked for; `project` is the folder whose links stay in it, empty for none."""

    cwd: str
    home: str
    project: str = ""

    def path(self, given: str) -> str:
        """The absolute path of a given one, or of a file's URL."""
        if given.startswith("file://"):
            given = unquote(urlsplit(given).path)
            if os.name == "nt":
                given = given.lstrip("/")
        elif given.startswith("~/"):
            given = self.home + given[1:]
        return os.path.join(self.cwd, given)


class Inserted(NamedTuple):
    """A piece of a typed text that stands for an image.

    `image`: it was read when it was pasted; else that of `path` is to be read. Neither: it stands for none any more.
    """

    text: str
    path: str = ""
    image: Image | None = None


class PastedImages:
    """The images that were pasted, by what stands for them in the prompt."""

    def __init__(self) -> None:
        self._images: dict[str, Image] = {}  # the one that was pasted last at the end
        self._gone: set[str] = set()

    def add(self, image: Image, prompt: str = "") -> str:
        """What is to stand for an image. `prompt`: what stands there, whose images are kept."""
        name = image.name.replace("\\", "/").rpartition("/")[2][-_LONGEST_NAME:]
        name = visible(name).replace("[", "(").replace("]", ")")
        mark, number = f"[image {name}]", 2
        while mark in self._gone or self._images.get(mark, image) != image:
            mark = f"[image {name} #{number}]"
            number += 1
        self._images.pop(mark, None)
        self._images[mark] = image
        wanted = {mark, *_PASTED.findall(prompt)}
        for each in [each for each in self._images if each not in wanted][: max(0, len(self._images) - _MOST)]:
            del self._images[each]
            self._gone.add(each)  # no other image takes its place in a text that undo brings back
        return mark

    def in_text(self, text: str) -> list[Inserted]:
        """What of a text stands for an image, or looks as if it did; mentions too."""
        pasted = [Inserted(mark, image=self._images.get(mark)) for mark in _PASTED.findall(text)]
        return list(dict.fromkeys([*pasted, *mentions(text)]))


def mentions(text: str) -> list[Inserted]:
    """The images that a text mentions as `@path`, in quotes where the path has spaces, or with backslashes."""
    return [Inserted(match[0], _path(match)) for match in _MENTION.finditer(text)]


def exchange(text: str, marks: dict[str, str]) -> str:
    """The text with these marks in place of what stood for their images."""
    text = _MENTION.sub(lambda match: marks.get(match[0], match[0]), text)
    return _PASTED.sub(lambda match: marks.get(match[0], match[0]), text)


def may_be_dropped(pasted: str) -> bool:
    """Whether a pasted text may be nothing but paths of images. Looks at no file."""
    return len(pasted) <= _LONGEST and _MAY_BE.search(pasted) is not None


def places_of(session: AgentSession | None) -> Places:
    """Where paths of a session's user are looked for; before it is open, where the program was begun."""
    if session is None:
        return Places(os.getcwd(), os.path.expanduser("~"))
    environment = session.context.registry.environment
    return Places(environment.cwd, environment.home, environment.repo_root or environment.cwd)


def read_dropped(pasted: str, places: Places) -> list[tuple[str, Image | ImageError]]:
    """The paths of a pasted text that is nothing but paths of files, each with its image, or why it is none.

    Terminals write a file that is dropped on them as it stands, in quotes, with backslashes, or as a URL. Empty where
    the text is something else.
    """
    found: list[tuple[str, Image | ImageError]] = []
    for path in _dropped(pasted.strip(), places):
        try:
            found.append((path, read_mentioned(path, places)))
        except ImageError as error:
            found.append((path, error))
    return found


def read_mentioned(given: str, places: Places) -> Image:
    """The image of a path as a user gives it. ImageError: it cannot be sent, and why."""
    path = places.path(given)
    return read_image(path, name=path if given.startswith("file://") else given, project=places.project)


def _dropped(pasted: str, places: Places) -> list[str]:
    for paths in _readings(pasted):
        if paths and all(_names_image(path) and os.path.exists(places.path(path)) for path in paths):
            return paths
    return []


def _readings(pasted: str) -> Iterator[list[str]]:
    """The paths that a text may mean, the likeliest first."""
    lines = [line.strip() for line in pasted.splitlines() if line.strip()]
    yield lines
    yield [line[1:-1] if line[:1] == line[-1:] and line[:1] in ("'", '"') else line for line in lines]
    if os.name != "nt":  # where a backslash is no escape
        with suppress(ValueError):  # a quote that is not closed
            yield shlex.split(pasted)


def _names_image(path: str) -> bool:
    """A name alone is more likely a word than a file that was dropped."""
    return path.lower().endswith(ENDINGS) and ("/" in path or "\\" in path)


_UNESCAPED: Callable[[re.Match[str]], str] = lambda match: match[1]  # noqa: E731 - one expression


def _path(match: re.Match[str]) -> str:
    bare = match["bare"]
    if bare is None:
        return match["double"] or match["single"]
    return bare if os.name == "nt" else re.sub(r"\\(.)", _UNESCAPED, bare)
