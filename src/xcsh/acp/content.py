"""What a client sends with a prompt, as the text that the session takes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from acp import RequestError
from acp.schema import (
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from xcsh.parsing.enclosing import attribute, closing_of, enclosed
from xcsh.session.images.reading import Image, image_of

_TAG = "file"
_CLOSING = closing_of(_TAG)


async def prompt_text(blocks: Sequence[Any], attach: Callable[[Image], Awaitable[str]]) -> str:
    """The text of a prompt. A file that is mentioned is named in it; one whose text comes along stands behind it.

    In the place of an image stands the mark that `attach` gives. RequestError for a prompt without any of them, and
    for what was not announced: sound, files that are no text. ImageError for an image that cannot be sent.
    """
    said: list[str] = []
    files: list[str] = []
    for block in blocks:
        if isinstance(block, TextContentBlock):
            said.append(block.text)
        elif isinstance(block, ResourceContentBlock):
            said.append(_path(str(block.uri)))
        elif isinstance(block, EmbeddedResourceContentBlock) and isinstance(block.resource, TextResourceContents):
            path = _path(str(block.resource.uri))
            said.append(path)
            files.append(f'<{_TAG} path="{attribute(path)}">\n{enclosed(block.resource.text, _CLOSING)}\n</{_TAG}>')
        elif isinstance(block, ImageContentBlock):
            said.append(await attach(_image(block)))
        else:
            raise RequestError.invalid_params({"reason": f"a block of the type {block.type!r} cannot be sent"})
    if not "".join(said).strip():
        raise RequestError.invalid_params({"reason": "the prompt is empty"})
    return _encodable("\n\n".join(["".join(said), *files]))


def _image(block: ImageContentBlock) -> Image:
    """Called by the name of its file, where the client says one. What it is, its content says."""
    try:
        data = base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        raise RequestError.invalid_params({"reason": "the data of an image is not base64"}) from None
    name = _path(block.uri).rstrip("/").rpartition("/")[2] if block.uri else ""
    return image_of(_encodable(name) or "image", data)


def _encodable(text: str) -> str:
    """JSON may hold half a character, which can be sent to no model and would stay in the history."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _path(uri: str) -> str:
    """The path of a file's URI; any other URI as it stands, and what is none."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # a host in brackets that is no address, as in a name like [slug]
        return uri
    return unquote(parts.path) if parts.scheme == "file" else uri
