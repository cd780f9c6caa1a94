"""Images for tests, and those that a request of either wire holds."""

from __future__ import annotations

import base64
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
JPEG = b"\xff\xd8\xff\xe0" + bytes(64)
GIF = b"GIF89a" + bytes(64)
WEBP = b"RIFF\x40\x00\x00\x00WEBPVP8 " + bytes(64)


def images_in(body: dict[str, Any]) -> list[tuple[int, str, bytes]]:
    """The images of a request: at which message that is not the system's, of which type, and their bytes."""
    found: list[tuple[int, str, bytes]] = []
    messages = [message for message in body["messages"] if message["role"] not in ("system", "developer")]
    for at, message in enumerate(messages):
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "image_url":
                head, data = block["image_url"]["url"].split(",", 1)
                media_type = head.removeprefix("data:").removesuffix(";base64")
                found.append((at, media_type, base64.b64decode(data, validate=True)))
            elif block["type"] == "image":
                source = block["source"]
                assert source["type"] == "base64"
                data = base64.b64decode(source["data"], validate=True)
                found.append((at, source["media_type"], data))
    return found
