"""Guards an iterator of text."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from typing import overload

from xcsh.guard.adapters.steps import Delta, Step
from xcsh.guard.adapters.watching import OnMatch, watch
from xcsh.guard.stream_guard import StreamGuard


class TextReader:
    """Each item is some more of one stream."""

    def __init__(self, source: str) -> None:
        self._source = source

    def read(self, item: object) -> list[Step]:
        """The text."""
        return [Delta(self._source, item)] if isinstance(item, str) else []


@overload
def guard_text(
    guard: StreamGuard, chunks: AsyncIterable[str], *, source: str = "text", on_match: OnMatch | None = None
) -> AsyncGenerator[str, None]: ...
@overload
def guard_text(
    guard: StreamGuard, chunks: Iterable[str], *, source: str = "text", on_match: OnMatch | None = None
) -> Generator[str, None, None]: ...
def guard_text(
    guard: StreamGuard,
    chunks: Iterable[str] | AsyncIterable[str],
    *,
    source: str = "text",
    on_match: OnMatch | None = None,
) -> Generator[str, None, None] | AsyncGenerator[str, None]:
    """The texts, until one completes a match: then `chunks` is closed and StreamInterrupted raised.

    `source`: `text` or `thinking`. `on_match` is called with each match that does not interrupt.
    """
    return watch(guard, TextReader(source), chunks, on_match)
