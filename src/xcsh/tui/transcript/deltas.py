"""Deltas that wait for the next frame: thousands a second become a few."""

from __future__ import annotations

from xcsh.agent.events import TextDelta, ThinkingDelta


class Deltas:
    """Joins deltas of one kind that follow each other."""

    def __init__(self) -> None:
        self._waiting: list[tuple[type[TextDelta | ThinkingDelta], list[str]]] = []

    def add(self, delta: TextDelta | ThinkingDelta) -> None:
        """One more."""
        kind = type(delta)
        if not self._waiting or self._waiting[-1][0] is not kind:
            self._waiting.append((kind, []))
        self._waiting[-1][1].append(delta.text)

    def take(self) -> list[TextDelta | ThinkingDelta]:
        """What waits, joined; nothing waits any more."""
        waiting, self._waiting = self._waiting, []
        return [kind("".join(texts)) for kind, texts in waiting]
