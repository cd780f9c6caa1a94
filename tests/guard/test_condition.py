"""The budget of a condition: one that runs away costs little, one that only reads the text is never given up."""

from __future__ import annotations

import random
import time
from bisect import bisect_left

import pytest
from corvus_regex_ecma262 import MAX_NESTING

from xcsh.guard.condition import BUDGET, Condition
from xcsh.guard.engine import SECONDS, OverrunError, Searching, compile_javascript
from xcsh.guard.window import Found, Watch, Window
from xcsh.parsing.patterns import problem_of

BOUND = 0.1


def stream(condition: Condition, text: str, chunk: int) -> list[Found]:
    window = Window(Watch([condition]))
    found = [hit for at in range(0, len(text), chunk) for hit in window.feed(text[at : at + chunk])]
    return found + window.finish()


def prose(size: int) -> str:
    chance = random.Random(1)
    words = ("the", "quick", "brown", "fox:", "anything", "jumps", "over", "foo(lazy)", "foobar,", "any:", "7\n")
    return " ".join(chance.choice(words) for _ in range(size // 4))[:size]


@pytest.mark.parametrize("chunk", [1, 4, 50])
@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$", r"(.*a){25}", r"(.*a){25}$", r"(a+)\1+b", r"(a|aa)+$", r"(\w+\s?)+\b", r"(\w+\s?)+$", r"(a*)*\1b",
        r"(?:(a+)+)\1+x", r"a*a*a*$",
    ],
)  # fmt: skip
def test_a_runaway_pattern_is_decided_or_disarmed_and_costs_a_tenth_of_a_second_at_most(
    pattern: str, chunk: int
) -> None:
    # T-7
    condition = Condition("r", pattern)
    found = stream(condition, "a" * 2_000 * chunk + "x" + "!b" * 200, chunk)
    assert found or condition.dead
    assert condition.spent < BOUND


@pytest.mark.parametrize("pattern", [r": any\b", r"\bfoo\w*\b", r"\w+\b", r"[a-z]+$", r"\w+;$", r"(?<!\w)any(?!\w)"])
def test_an_honest_pattern_stays_armed_over_any_length_of_text(pattern: str) -> None:
    # T-7: a condition fires once a stream, so the text comes in many
    condition = Condition("r", pattern)
    text = prose(1_000_000)
    for at in range(0, len(text), 10_000):
        stream(condition, text[at : at + 10_000], 40)
    assert not condition.dead


@pytest.mark.parametrize("letter", ["a", "é", "→", "😀"])
def test_a_match_that_is_held_for_long_costs_no_more_than_its_length(letter: str) -> None:
    # T-7, T-7a
    for pattern in (f"(?:{letter})+$", r"[^\s]+$"):
        condition = Condition("r", pattern)
        (match,) = stream(condition, letter * 12_000, 10)
        assert match.end == 12_000
        assert not condition.dead


class Interrupted:
    """An engine that gives up its first searches without having worked."""

    def __init__(self, source: str, times: int) -> None:
        self._expression = compile_javascript(source)
        self.body, self.flags, self._times = self._expression.body, self._expression.flags, times

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        if self._times:
            self._times -= 1
            raise OverrunError
        return self._expression.search(text, start)


@pytest.mark.parametrize(("times", "dead"), [(1, False), (2, False), (3, True)])
def test_a_search_that_the_machine_held_up_is_tried_again(times: int, *, dead: bool) -> None:
    # T-7
    condition = Condition("r", "foo", lambda source: Interrupted(source, times))
    assert bool(stream(condition, "a foo", 1)) != dead
    assert bool(condition.dead) == dead


class Slow:
    """An engine whose searches, one of `every`, work for some time, whatever the text."""

    body, flags = "foo", ""

    def __init__(self, seconds: float, every: int) -> None:
        self.seconds, self._every, self._count = seconds, every, 0

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        del text, start
        self._count += 1
        until = time.thread_time() + (0 if self._count % self._every else self.seconds)
        while time.thread_time() < until:
            pass
        return None


def run(engine: Searching, searches: int) -> Condition:
    condition = Condition("r", "foo", lambda _: engine)
    for _ in range(searches):
        condition.search("a" * 4_000, 0)
    return condition


def test_a_dear_search_now_and_then_is_made_good_for_by_cheap_ones() -> None:
    # T-7
    condition = run(Slow(0.001, 10), 1_000)
    assert condition.spent > BUDGET
    assert not condition.dead


def test_cheap_searches_save_no_more_than_the_budget() -> None:
    # T-7
    engine = Slow(0, 1)
    condition = run(engine, 2_000)
    cheap, engine.seconds = condition.spent, 0.002
    for _ in range(100):
        condition.search("a" * 4_000, 0)
    assert condition.dead
    assert condition.spent - cheap < BUDGET + SECONDS


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(?i)(a+)+$", r"([a-z]+)+$"])
def test_nothing_is_looked_for_once_a_condition_was_given_up(pattern: str) -> None:
    # T-7
    bad, good = Condition("bad", pattern), Condition("good", "foo")
    watch = Watch([bad, good])
    first, second = Window(watch), Window(watch)
    for _ in range(3_000):
        first.feed("aaaa")
    assert bad.dead
    assert [found for _ in range(2) for found in second.feed("aaaa")] == []
    assert watch.always == []
    assert {condition for condition, _ in watch.literals_in("Aaafoo", 0)} == {good}
    assert [found.condition for found in second.feed("foo")] == [good]


def test_many_small_searches_are_counted_together() -> None:
    # T-7
    condition = run(Slow(0.001, 1), 1_000)
    assert condition.dead
    assert condition.spent < BUDGET + SECONDS


def test_a_condition_as_deep_as_the_engine_allows_is_watched_too() -> None:
    # T-7a
    for pattern in (deepest("("), deepest("(?:")):
        for text, found in (("foo", 1), ("food", 0), ("foo ", 1)):
            condition = Condition("r", pattern)
            assert len(stream(condition, text, 1)) == found, text
            assert not condition.dead


def deepest(opening: str) -> str:
    """An expression that compiles, and would not inside one more group."""
    depths = range(1, 2 * MAX_NESTING)
    most = bisect_left(depths, True, key=lambda depth: problem_of(nested(opening, depth)) is not None)
    return nested(opening, depths[most - 1])


def nested(opening: str, depth: int) -> str:
    return opening * depth + r"foo\b" + ")" * depth
