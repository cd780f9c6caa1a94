"""Iterates over a stream while the guard watches it: the item that breaks a rule is not passed on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Generator, Iterable
from typing import TypeVar, overload

from xcsh.errors import XcshError
from xcsh.guard.adapters.steps import Delta, Reader
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.model.rule import Rule

Item = TypeVar("Item")
OnMatch = Callable[[Match], object]
"""Takes a match that does not interrupt (T-12). What it returns is not looked at, and not awaited."""


class StreamInterrupted(XcshError):  # noqa: N818 - no mistake of anyone: the guard does its work
    """The output began to break rules and was cut off. `matches`: what interrupts; `rules`: theirs, for `injection`."""

    def __init__(self, matches: tuple[Match, ...], rules: tuple[Rule, ...]) -> None:
        self.matches = matches
        self.rules = rules
        broken = ", ".join(f"{match.rule} ({match.condition!r} in {match.tool or match.source})" for match in matches)
        super().__init__(f"the output began to break {broken}; send the rules to the model and ask again")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules, for `StreamGuard.acknowledge`."""
        return tuple(rule.name for rule in self.rules)


@overload
def watch(
    guard: StreamGuard, reader: Reader, items: AsyncIterable[Item], on_match: OnMatch | None
) -> AsyncGenerator[Item, None]: ...
@overload
def watch(
    guard: StreamGuard, reader: Reader, items: Iterable[Item], on_match: OnMatch | None
) -> Generator[Item, None, None]: ...
def watch(
    guard: StreamGuard, reader: Reader, items: Iterable[Item] | AsyncIterable[Item], on_match: OnMatch | None
) -> Generator[Item, None, None] | AsyncGenerator[Item, None]:
    """The items, unchanged and in order, up to the one that completes a match that interrupts.

    That one is withheld: the source is closed, then StreamInterrupted is raised. What is held until the end of the
    stream is decided before the end is passed on. A request begins with the first item that is asked for (T-6), so
    a guard watches one stream at a time; `StreamGuard.sibling` makes another for a stream beside it.
    """
    judge = _Judge(guard, reader, on_match)
    return _watch_async(judge, items) if isinstance(items, AsyncIterable) else _watch_sync(judge, items)


class _Judge:
    """What both ways of iterating have in common."""

    def __init__(self, guard: StreamGuard, reader: Reader, on_match: OnMatch | None) -> None:
        self._guard = guard
        self._reader = reader
        self._on_match = on_match
        self._noticed: list[Match] = []

    def begin(self) -> None:
        self._guard.begin_request()

    def item(self, item: object) -> StreamInterrupted | None:
        matches: list[Match] = []
        for step in self._reader.read(item):
            if isinstance(step, Delta):
                matches += self._guard.feed(step.source, step.text, call=step.call, tool=step.tool)
            else:
                matches += self._guard.end(step.source, call=step.call)
        return self._decide(matches)

    def end(self) -> StreamInterrupted | None:
        return self._decide(self._guard.finish())

    def tell(self) -> None:
        """Hands over the matches that do not interrupt."""
        noticed, self._noticed = self._noticed, []
        if self._on_match is not None:
            for match in noticed:
                self._on_match(match)

    def _decide(self, matches: list[Match]) -> StreamInterrupted | None:
        stopping = tuple(match for match in matches if match.interrupts)
        self._noticed += [match for match in matches if not match.interrupts]
        if stopping:
            return StreamInterrupted(stopping, tuple(self._guard.rules[match.rule].rule for match in stopping))
        self.tell()
        return None


def _watch_sync(judge: _Judge, items: Iterable[Item]) -> Generator[Item, None, None]:
    judge.begin()
    iterator = iter(items)
    for item in iterator:
        stop = judge.item(item)
        if stop is not None:
            break
        yield item
    else:
        stop = judge.end()
    if stop is None:
        return
    # The request ends first; whoever wants to hear of other matches hears of them after that (T-8).
    failure: Exception | None = None
    for closing in _closers(iterator, items, ("close",)):
        try:
            closing()
        except Exception as error:  # noqa: BLE001 - a source that fails to close does not undo the interrupt
            failure = error
    judge.tell()
    raise stop from failure


async def _watch_async(judge: _Judge, items: AsyncIterable[Item]) -> AsyncGenerator[Item, None]:
    judge.begin()
    iterator = aiter(items)
    async for item in iterator:
        stop = judge.item(item)
        if stop is not None:
            break
        yield item
    else:
        stop = judge.end()
    if stop is None:
        return
    failure: Exception | None = None
    for closing in _closers(iterator, items, ("aclose", "close")):
        try:
            closed = closing()
            if isinstance(closed, Awaitable):
                await closed
        except Exception as error:  # noqa: BLE001 - as above
            failure = error
    judge.tell()
    raise stop from failure


def _closers(iterator: object, items: object, names: tuple[str, ...]) -> list[Callable[[], object]]:
    """How to close the iterator and, where that is another object, what it came from: an SDK's stream is one."""
    closers: list[Callable[[], object]] = []
    for source in (iterator,) if iterator is items else (iterator, items):
        found: object = next((method for name in names if (method := getattr(source, name, None))), None)
        if callable(found):
            closers.append(found)
    return closers
