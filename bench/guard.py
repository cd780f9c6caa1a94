"""The stream guard: the cost of one delta, beside a search of the whole buffer; and how long rules take to compile."""

from __future__ import annotations

import random
import re
import time

from bench.corpus import SEED
from bench.measure import Line, cpu_of_call
from xcsh.guard.condition import Condition
from xcsh.guard.engine import compile_javascript
from xcsh.guard.window import Watch, Window

DELTA, SIZE = 4, 200_000
NAIVE_SIZE = 16_000
ROUNDS = 3
BOUNDS = {50: 15.0, 1_000: 40.0}
GROWTH = 1.2
COMPILING = 1.0
RUNAWAY = 100.0
RUNAWAYS = (r"(a+)+$", r"(a|aa)+$", r"(.*a){25}", r"(a*)*\1b")
WORDS = re.findall(
    r"\w+", "alpha beta gamma console print unwrap Box leak any eval exec todo import require async await trace panic"
)
OTHERS = re.findall(r"\w+", "quick brown fox jumps over lazy dog while rivers keep running")
SHAPES = (
    r"\b{word}{at}\s*\(",
    r":\s*{word}{at}\b",
    r"{word}_{at}[a-z]+\(",
    r"(?<!\w){word}{at}!",
    r"import\s+{word}{at}",
)


def patterns(count: int) -> list[str]:
    """Conditions in five shapes that people write."""
    chance = random.Random(SEED)
    return [SHAPES[at % len(SHAPES)].format(word=chance.choice(WORDS), at=at) for at in range(count)]


def text(words: list[str], size: int) -> str:
    """Prose or code-like text of such words, every tenth with a number, so that whole literals recur too."""
    chance = random.Random(SEED)
    parts = (
        chance.choice(words) + (str(chance.randrange(1_000)) if chance.random() < 0.1 else "") + chance.choice(" \n(:_")
        for _ in range(size // 3)
    )
    return "".join(parts)[:size]


def watched(count: int) -> list[Condition]:
    """Compiled conditions."""
    return [Condition(f"rule-{at}", pattern) for at, pattern in enumerate(patterns(count))]


def feed(watch: Watch, streamed: str) -> Window:
    """A window that the text went through in deltas."""
    window = Window(watch)
    for at in range(0, len(streamed), DELTA):
        window.feed(streamed[at : at + DELTA])
    return window


def microseconds(conditions: list[Condition], streamed: str) -> float:
    """CPU time of one delta, the best of some rounds."""
    watch = Watch(conditions)
    best = min(cpu_of_call(lambda: feed(watch, streamed)) for _ in range(ROUNDS))
    return best / (len(streamed) / DELTA) * 1e6


def naive(count: int, buffer: str) -> float:
    """CPU microseconds of searching the whole buffer for every condition, once."""
    expressions = [compile_javascript(pattern) for pattern in patterns(count)]
    return min(cpu_of_call(lambda: [one.search(buffer, 0) for one in expressions]) for _ in range(ROUNDS)) * 1e6


def late_delta(conditions: list[Condition], before: int, words: list[str]) -> float:
    """CPU microseconds of a delta when so many characters came before."""
    streamed = text(words, before + 40_000)
    best = float("inf")
    for _ in range(ROUNDS):
        window = feed(Watch(conditions), streamed[:before])
        started = time.process_time()
        for at in range(before, len(streamed), DELTA):
            window.feed(streamed[at : at + DELTA])
        best = min(best, time.process_time() - started)
    return best / (40_000 / DELTA) * 1e6


def runaway(pattern: str) -> float:
    """CPU milliseconds that a stream loses by one bad condition."""
    streamed = ("a" * 3_000 + "! b\n") * 4
    without = cpu_of_call(lambda: feed(Watch([]), streamed))
    return (cpu_of_call(lambda: feed(Watch([Condition("bad", pattern)]), streamed)) - without) * 1e3


def run() -> list[Line]:
    """Every line of the group."""
    lines: list[Line] = []
    for name, words in (("absent from the text", OTHERS), ("recurring in it", WORDS)):
        streamed = text(words, SIZE)
        for count, bound in BOUNDS.items():
            lines += [
                Line(f"a delta, {count} rules, literals {name}", microseconds(watched(count), streamed), bound, " µs"),
                Line(
                    f"the same by searching {NAIVE_SIZE:,} characters again",
                    naive(count, streamed[:NAIVE_SIZE]),
                    None,
                    " µs",
                ),
            ]
    conditions = watched(50)
    early, late = (late_delta(conditions, before, WORDS) for before in (10_000, 1_000_000))
    lines.append(Line("a delta at 1 MB against one at 10 KB, 50 rules", late / early, GROWTH, " times"))
    lines.append(Line("compiling 1,000 rules", cpu_of_call(lambda: Watch(watched(1_000))), COMPILING, " s"))
    lines += [Line(f"what `{pattern}` costs a stream", runaway(pattern), RUNAWAY, " ms") for pattern in RUNAWAYS]
    return lines
