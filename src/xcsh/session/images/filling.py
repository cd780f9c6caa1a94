"""Puts images in the place of their marks in the user's prompts; the messages that it is given stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    UserContent,
    UserPromptPart,
)

from xcsh.session.images.attached import Attached, AttachedImages
from xcsh.session.store.marks import MARK

Contents = dict[str, BinaryContent | str]
"""By token: the content, or why it is not sent."""


def marked(messages: Sequence[ModelMessage], images: AttachedImages) -> list[Attached]:
    """The images whose marks stand in prompts of the user, each once, oldest first."""
    found = (attached for text in _texts(messages) for attached in images.in_text(text))
    return list(dict.fromkeys(found))


def fill(
    messages: Sequence[ModelMessage], images: AttachedImages, contents: Mapping[str, BinaryContent | str]
) -> list[ModelMessage]:
    """The messages with an image behind its name, where it is first named, or with why it is not there.

    What holds no mark is the very same object.
    """
    there: set[str] = set()
    return [_filled(message, images, contents, there) for message in messages]


def _texts(messages: Sequence[ModelMessage]) -> Iterator[str]:
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, UserPromptPart):
                yield from (item for item in _items(part) if isinstance(item, str))


def _items(part: UserPromptPart) -> Sequence[UserContent]:
    return [part.content] if isinstance(part.content, str) else part.content


def _filled(
    message: ModelMessage, images: AttachedImages, contents: Mapping[str, BinaryContent | str], there: set[str]
) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    parts: list[ModelRequestPart] = []
    for part in message.parts:
        if isinstance(part, UserPromptPart) and marked([ModelRequest([part])], images):
            content = [piece for item in _items(part) for piece in _pieces(item, images, contents, there)]
            parts.append(replace(part, content=_simple(content)))
        else:
            parts.append(part)
    return (
        replace(message, parts=parts) if any(a is not b for a, b in zip(parts, message.parts, strict=True)) else message
    )


def _pieces(
    item: UserContent, images: AttachedImages, contents: Mapping[str, BinaryContent | str], there: set[str]
) -> list[UserContent]:
    """A text in pieces, with the images between."""
    if not isinstance(item, str):
        return [item]
    pieces: list[UserContent] = []
    text, end = "", 0
    for match in MARK.finditer(item):
        token = match["token"]
        if (attached := images.find(token)) is None:
            continue
        text += item[end : match.start()]
        end = match.end()
        content = contents[token]
        if isinstance(content, str):
            text += f"[image {attached.name}: {content}]"
            continue
        text += f"[image {attached.name}]"
        if token not in there:
            there.add(token)
            pieces += [text, content]
            text = ""
    text += item[end:]
    return [*pieces, text] if text else pieces


def _simple(content: list[UserContent]) -> str | list[UserContent]:
    """One text where there is nothing else: the templates of some local servers take no list."""
    return content[0] if len(content) == 1 and isinstance(content[0], str) else content
