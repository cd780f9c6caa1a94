"""Looks for an Ollama server that answers, briefly."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import NamedTuple, cast
from urllib.parse import urlsplit

_TIMEOUT = 0.3
_PORT = 11434
_MOST_BYTES = 1_000_000


class Ollama(NamedTuple):
    """A server that answered, the first model that it has, and all of them."""

    url: str
    model: str
    models: tuple[str, ...] = ()


def ollama_url(environment: Mapping[str, str]) -> str:
    """The address that OLLAMA_HOST names, in any form that Ollama itself takes, or the usual one."""
    host = environment.get("OLLAMA_HOST", "").strip() or f"127.0.0.1:{_PORT}"
    scheme, _, rest = host.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
    except ValueError:  # no address at all
        parts = urlsplit(f"//127.0.0.1:{_PORT}")
    try:
        port = parts.port
    except ValueError:
        port = None
    # A server that listens on every address is reached at this one.
    name = "127.0.0.1" if parts.hostname in (None, "0.0.0.0", "::") else parts.hostname  # noqa: S104
    name = f"[{name}]" if name and ":" in name else name
    default = {"http": 80, "https": 443}.get(scheme, _PORT)
    return f"{scheme or 'http'}://{name}:{port or default}"


def find_ollama(environment: Mapping[str, str]) -> Ollama | None:
    """The server and its models; None where none answers in time, or it has no model."""
    url = ollama_url(environment)
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)
    try:
        connection.request("GET", "/api/tags")
        answer: object = json.loads(connection.getresponse().read(_MOST_BYTES))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    models: object = cast("dict[str, object]", answer).get("models") if isinstance(answer, dict) else None
    found: list[str] = []
    for model in cast("list[object]", models) if isinstance(models, list) else []:
        name: object = cast("dict[str, object]", model).get("name") if isinstance(model, dict) else None
        if isinstance(name, str) and name:
            found.append(name)
    return Ollama(url, found[0], tuple(found)) if found else None
