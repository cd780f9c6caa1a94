"""Expanding a template against one `re.sub` over the same text, and `xcsh commands` against the bare interpreter."""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from bench.corpus import SEED, WORDS
from bench.measure import Line, cpu_of_child
from xcsh.slash.template import expand_template

SIZE, PLACEHOLDERS = 100_000, 200
MIXED = ("$1", "$2", "$ARGUMENTS", "$@", "$@[2:1]", "{{args}}", "{{ arguments }}")
DOLLARS = ("$1", "$2", "$ARGUMENTS", "$@", "$@[2:1]")
ARGS = ("src/checkout", "two words", "--fast")
ROUNDS, CALLS = 31, 20
RATIO = 3.0
FILES, RUNS, START = 100, 21, 7.0
DOLLAR = r"\$(?:([0-9]+)|ARGUMENTS|@(?:\[([0-9]+)(?::([0-9]+))?\])?)"
BRACES = r"\{\{\{?\s*(?:args|ARGUMENTS|arguments)\s*\}\}\}?"
PLACEHOLDER = {DOLLARS: re.compile(DOLLAR), MIXED: re.compile(f"{DOLLAR}|{BRACES}")}


def body(placeholders: tuple[str, ...]) -> str:
    """Words, with 200 placeholders spread over them, as long as the largest templates."""
    chance = random.Random(f"{SEED}/{placeholders}")
    parts: list[str] = []
    gap = SIZE // PLACEHOLDERS
    for _ in range(PLACEHOLDERS):
        words: list[str] = []
        size = 0
        while size < gap - 12:
            words.append(chance.choice(WORDS))
            size += len(words[-1]) + 1
        parts.append(" ".join(words) + (". " if chance.random() < 0.5 else ".\n\n") + chance.choice(placeholders) + " ")
    return "".join(parts)


def with_one_sub(source: str, args: tuple[str, ...], placeholder: re.Pattern[str]) -> str:
    """The same placeholders by one `re.sub` with a function: the least that a one-pass expansion can do."""
    joined = " ".join(args)

    def value(match: re.Match[str]) -> str:
        if (index := match[1]) is not None:
            number = int(index)
            return args[number - 1] if 0 < number <= len(args) else ""
        if (start := match[2]) is not None:
            first = int(start) - 1
            return " ".join(args[first : None if match[3] is None else first + int(match[3])])
        return joined

    return placeholder.sub(value, source)


def run() -> list[Line]:
    """Two templates, then the verb."""
    lines: list[Line] = []
    for what, placeholders in (("all kinds of placeholders", MIXED), ("placeholders with `$` only", DOLLARS)):
        source = body(placeholders)
        assert expand_template(source, ARGS, " ".join(ARGS)) == with_one_sub(source, ARGS, PLACEHOLDER[placeholders])
        ours, theirs = _rounds(source, PLACEHOLDER[placeholders])
        note = f"{ours * 1e6:.0f} µs, the other {theirs * 1e6:.0f}"
        lines.append(
            Line(f"{len(source) // 1000} KB, {PLACEHOLDERS} {what} / one `re.sub`", ours / theirs, RATIO, note=note)
        )
    lines.append(_verb())
    return lines


def _rounds(source: str, placeholder: re.Pattern[str]) -> tuple[float, float]:
    """Median CPU seconds of a call, ours and theirs, measured by turns."""
    calls: tuple[Callable[[], str], ...] = (
        lambda: expand_template(source, ARGS, " ".join(ARGS)),
        lambda: with_one_sub(source, ARGS, placeholder),
    )
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in range(-1, ROUNDS):
        for call, times in zip(calls, taken, strict=True):
            started = time.process_time()
            for _ in range(CALLS):
                call()
            if turn >= 0:  # the first round warms up
                times.append((time.process_time() - started) / CALLS)
    return statistics.median(taken[0]), statistics.median(taken[1])


def write_commands(folder: str) -> None:
    """A repository with 100 commands of Claude Code, as people write them: blocks, hints, tools, placeholders."""
    chance = random.Random(SEED)
    commands = os.path.join(folder, ".claude", "commands")
    os.makedirs(commands)
    os.mkdir(os.path.join(folder, ".git"))
    for number in range(FILES):
        words = " ".join(chance.choices(WORDS, k=8))
        hint = chance.choice(("<path>", "[issue]", '"[a] [b]"', "one two"))
        block = f"---\ndescription: {words}\nargument-hint: {hint}\nallowed-tools: Read, Bash(git diff:*)\n---\n"
        text = " ".join(chance.choices(WORDS, k=chance.randint(60, 600)))
        tail = chance.choice(("$ARGUMENTS", "$1 and {{#if args}}more{{/if}}", "`awk '{print $1}'`", "nothing more"))
        with open(os.path.join(commands, f"c{number:03}.md"), "w", encoding="utf-8") as file:
            file.write(f"{block if chance.random() < 0.8 else ''}{text}\n\n{tail}\n")


def _verb() -> Line:
    with tempfile.TemporaryDirectory() as folder:
        project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
        os.mkdir(home)
        write_commands(project)
        xcsh = os.path.join(os.path.dirname(sys.executable), "xcsh")
        commands = ([sys.executable, "-c", "pass"], [xcsh, "commands"])
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XCSH_"))}
        environment["HOME"] = home
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(-1, RUNS):
            for command, times in zip(commands, taken, strict=True):
                seconds = cpu_of_child(command, environment, project)
                if turn >= 0:  # the first round compiles the byte code
                    times.append(seconds)
    bare, verb = (statistics.median(times) for times in taken)
    return Line(f"`xcsh commands`, {FILES} files / `python -c pass`", verb / bare, START, note=f"{verb * 1000:.0f} ms")
