"""The images of a session: each is kept beside its file, and known by the token of its mark."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic_ai.messages import BinaryContent

from xcsh.session.events import Notice, Sink
from xcsh.session.images.reading import Image
from xcsh.session.results import ClosedSessionError
from xcsh.session.store.marks import MARK, Mark, new_mark
from xcsh.session.undo.contents import FolderKeeper

NOTE = "image"
"""The kind of a note in the session's file that says which content a token stands for."""

_MOST_BYTES = 32_000_000


class Attached(NamedTuple):
    """What a token stands for. The content is `sha256`; `name` is told to the model."""

    mark: Mark
    name: str
    media_type: str
    sha256: str


class AttachedImages:
    """Only what was attached here has a token. No text makes a file be read: tokens are random, and looked up here."""

    def __init__(
        self,
        keeper: FolderKeeper | None,
        notes: Iterable[tuple[str, Mapping[str, Any]]],
        tell: Sink,
        *,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        """`keeper`: where contents are kept; without one, in memory alone. `notes`: of the session so far.

        `most_bytes` are held in memory of what can be read from the disk again.
        """
        self._most = most_bytes
        self._keeper = keeper
        self._tell = tell
        self._attached: dict[str, Attached] = {}
        self._contents: dict[str, BinaryContent] = {}  # what was asked for last at the end
        self._on_disk: set[str] = set()
        for kind, data in notes:
            if kind == NOTE and (known := _attached(data)) is not None:
                self._attached[known.mark.token] = known

    def __len__(self) -> int:
        return len(self._attached)

    @property
    def bytes_in_memory(self) -> int:
        """How much of the contents is held in memory."""
        return sum(len(each.data) for each in self._contents.values())

    async def attach(self, image: Image) -> str:
        """Keeps an image, and returns the mark to put into a text that it goes with.

        It is on the disk when this returns; where that cannot be, the user is told, and it is in memory. The same image
        has one mark, however often it is attached. ClosedSessionError: the session is closed.
        """
        digest = sha256(image.data).hexdigest()
        same = (each for each in self._attached.values() if (each.name, each.sha256) == (image.name, digest))
        known = next(same, None)
        attached = known or Attached(new_mark(image.name), image.name, image.media_type, digest)
        self._attached[attached.mark.token] = attached
        self._hold(attached.mark.token, BinaryContent(image.data, media_type=image.media_type))
        if self._keeper is not None:
            try:
                await asyncio.to_thread(_keep, self._keeper, attached, image.data, is_new=known is None)
                self._on_disk.add(attached.mark.token)
            except OSError as error:
                why = (error.strerror or str(error)).lower()
                self._tell(Notice(f"{image.name} is not saved: {why}; resumed, the session will not have it"))
            except ValueError:
                raise ClosedSessionError from None
        return str(attached.mark)

    def find(self, token: str) -> Attached | None:
        """What a token stands for; None where it is not one of this session."""
        return self._attached.get(token)

    def in_text(self, text: str) -> list[Attached]:
        """The images whose marks stand in a text, in order."""
        return [known for match in MARK.finditer(text) if (known := self.find(match["token"])) is not None]

    async def content(self, attached: Attached) -> BinaryContent | None:
        """The content; None where it cannot be read any more, or is not what it was."""
        token = attached.mark.token
        if token not in self._contents and self._keeper is not None:
            try:
                data = await asyncio.to_thread(self._keeper.content, attached.sha256)
            except OSError:
                return None
            self._on_disk.add(token)
            self._hold(token, BinaryContent(data, media_type=attached.media_type))
        return self._contents.get(token)

    def _hold(self, token: str, content: BinaryContent) -> None:
        """Keeps a content in memory, and lets go of the oldest that are on the disk where there are too many."""
        self._contents.pop(token, None)
        self._contents[token] = content
        held = self.bytes_in_memory
        for each in [each for each in self._contents if each in self._on_disk and each != token]:
            if held <= self._most:
                break
            held -= len(self._contents.pop(each).data)


def _keep(keeper: FolderKeeper, attached: Attached, data: bytes, *, is_new: bool) -> None:
    """The content is there before something says that it is; one that was lost is there again."""
    keeper.blob(data)
    if is_new:
        about = {"name": attached.name, "media_type": attached.media_type, "sha256": attached.sha256}
        keeper.record(NOTE, {"mark": str(attached.mark), **about})


def _attached(data: Mapping[str, Any]) -> Attached | None:
    """What a note says; None for one of another shape, as a file that was edited may hold it."""
    texts = [data.get(key) for key in ("mark", "name", "media_type", "sha256")]
    if not all(isinstance(text, str) for text in texts):
        return None
    mark, name, media_type, digest = (str(text) for text in texts)
    match = MARK.fullmatch(mark)
    whole = match is not None and media_type.startswith("image/") and len(digest) == 64 and digest.isalnum()  # noqa: PLR2004 - SHA-256 in hexadecimal
    return Attached(Mark(match["name"], match["token"]), name, media_type, digest) if match and whole else None
