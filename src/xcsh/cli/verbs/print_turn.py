"""`xcsh -p TEXT`: one turn of the agent. The answer goes to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from typing import TYPE_CHECKING, TextIO

from xcsh.cli.output import say_finding
from xcsh.errors import MissingExtraError, UsageError
from xcsh.model.diagnostic import Severity
from xcsh.surfaces.layout import plural

if TYPE_CHECKING:
    from xcsh.agent.events import RulesAttached, RulesTriggered, ToolCalled, TurnEvent
    from xcsh.api import Registry
    from xcsh.llm.choose import ModelChoice

_PATIENCE = 3.0
"""Seconds after which it is said that standard input is waited for, when there is something to ask anyway."""

_PACKAGES = ("pydantic_ai", "pydantic_ai_harness", "openai")
_REORDERING = (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROL = {code: None for code in (*range(0x20), *range(0x7F, 0xA0), *_REORDERING) if chr(code) not in "\n\t"}
_ARGUMENT_SHOWN = 60
_RETRYING = "retrying with the rule"


def run(args: argparse.Namespace) -> int:
    """Answers `args.text` and returns 0; what goes wrong is raised.

    UsageError: nothing is asked, no model, a bad model name, a bad recording, a bad `--allow`. MissingExtraError: the
    packages of xcsh[agent] are not there. FailedTurnError: no answer. KeyboardInterrupt: the connection is closed.
    """
    from xcsh.agent.consent import grants
    from xcsh.api import discover
    from xcsh.extensions.output import owned_output

    gc.enable()  # unlike a light verb, a turn lives long enough to need it
    allow = grants(args.allow)
    registry = discover(args.cwd, home=args.home, reference=args.reference)
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # the framework would introduce itself on a first run
    with owned_output() as out:
        asyncio.run(_answer(registry, args.text or "", args.model, allow, out))
    return 0


async def _answer(registry: Registry, text: str, model: str | None, allow: frozenset[str], out: TextIO) -> None:
    """A command that deals with the text itself needs no model; everything else is sent."""
    from xcsh.cli.calls import prepared_text
    from xcsh.llm.choose import choose_model

    asked = await prepared_text(text, registry, out)
    if asked is None:
        return
    _require_packages()
    prompt = _prompt(asked).encode("utf-8", "backslashreplace").decode("utf-8")  # an argument may be no text at all
    choice = choose_model(model, os.environ, str(registry.settings.get("model") or ""))
    await _turn(registry, choice, prompt, allow, out)


async def _turn(registry: Registry, choice: ModelChoice, prompt: str, allow: frozenset[str], out: TextIO) -> None:
    from xcsh.agent import StreamRules, build_agent, run_turn
    from xcsh.agent.asking import Consent
    from xcsh.agent.consent import READ_TOOLS, permissions_of, told_to_the_user
    from xcsh.llm.opening import open_model

    cwd = registry.environment.cwd
    printer = TurnPrinter(out, sys.stderr)
    async with open_model(choice, cwd) as model:
        rules = StreamRules(registry, tools=READ_TOOLS)
        known = rules.diagnostics
        permissions = permissions_of(registry, allow, report=say_finding)
        agent = build_agent(registry, model, cwd, consent=Consent(permissions, tell=_say_refused), stream_rules=rules)
        for line in (_diagnostics_line(registry), _model_line(choice), told_to_the_user(permissions)):
            if line:
                print(line, file=sys.stderr)
        try:
            await run_turn(agent, prompt, printer)
        finally:
            printer.close()
            for diagnostic in rules.diagnostics:
                if diagnostic not in known:  # a condition that had to be disarmed
                    say_finding(diagnostic)


class TurnPrinter:
    """Shows a turn (S-15): live on a terminal, discarded attempts taken back visibly; else message by message.

    Characters that would drive a terminal are left out where it is one.
    """

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self._out = out
        self._notes = notes
        self._live = out.isatty()
        self._progress = notes.isatty()
        self._messages = 0
        self._at_line_start = True
        self._streamed = False
        self._taken_back = False

    def __call__(self, event: TurnEvent) -> None:
        """The sink of a turn."""
        from xcsh.agent.events import (
            MessageCompleted,
            MessageRetracted,
            RulesAttached,
            RulesTriggered,
            TextDelta,
            ToolCalled,
            ToolReturned,
        )

        if self._taken_back and not isinstance(event, RulesTriggered):
            self._say_taken_back("(taken back: the answer above was discarded, another attempt follows)")
        match event:
            case TextDelta(text) if self._live:
                self._begin()
                self._write(text.translate(_CONTROL))
            case MessageCompleted(text):
                self._complete(text)
            case MessageRetracted():
                self._retract()
            case RulesTriggered():
                self._say_triggered(event)
            case RulesAttached() if self._progress:
                print(_attached(event), file=self._notes, flush=True)
            case ToolCalled() if self._progress:
                print(f"▸ {_call(event)}", file=self._notes, flush=True)
            case ToolReturned(name, content, _, True) if self._progress:
                print(f"  {_short(name)} failed: {_short(content)}", file=self._notes, flush=True)
            case _:
                pass

    def close(self) -> None:
        """Ends the line that a turn may have broken off in."""
        if self._taken_back:
            self._say_taken_back("(taken back: the answer above was discarded)")
        self._end_line()

    def _begin(self) -> None:
        """Separates a message from the one before it."""
        if not self._streamed and self._messages:
            self._write("\n")
        self._streamed = True

    def _complete(self, text: str) -> None:
        if not self._live and text.strip():
            self._begin()
            self._write(text)
        self._end_line()
        self._messages += bool(text.strip())
        self._streamed = False

    def _retract(self) -> None:
        self._end_line()
        self._taken_back = self._streamed
        self._streamed = False

    def _say_taken_back(self, line: str) -> None:
        self._write(line + "\n")
        self._taken_back = False
        self._messages += 1

    def _say_triggered(self, event: RulesTriggered) -> None:
        """Where text was shown that no longer counts, it is said right under it; else among the notes."""
        what = "" if event.kept else "taken back, "
        line = f"⚡ stopped by {_triggered(event)} ~{plural(event.written_tokens, 'token')} in; {what}{_RETRYING}"
        if self._taken_back:
            self._say_taken_back(line)
        else:
            print(line, file=self._notes, flush=True)

    def _end_line(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._out.flush()
            self._at_line_start = text.endswith("\n")


def _prompt(text: str | None) -> str:
    """What is asked, and what was piped in as its context."""
    asked = text or ""
    piped = _piped(waiting=not asked.strip()).strip()
    if not asked.strip() and not piped:
        raise UsageError("nothing is asked", 'xcsh -p "…"   or pipe it in: … | xcsh -p')
    if not asked.strip() or not piped:
        return piped or asked
    return f"{asked}\n\n<stdin>\n{piped}\n</stdin>"


def _piped(*, waiting: bool) -> str:
    """Standard input to its end, where it is no terminal. A wait is said: an inherited pipe may never end."""
    source = sys.stdin
    if source is None or source.closed or source.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None under pythonw
        return ""
    buffer = getattr(source, "buffer", None)
    if buffer is None:
        return source.read()
    if not waiting and not _readable(source):
        print("waiting for the end of standard input (to go on without it: </dev/null)", file=sys.stderr)
    return buffer.read().decode("utf-8", errors="replace")


def _readable(source: TextIO) -> bool:
    import select

    try:
        return bool(select.select([source], [], [], _PATIENCE)[0])
    except (OSError, ValueError):
        return True  # nothing that can be waited for: a file, or Windows


def _require_packages() -> None:
    from importlib import import_module

    for package in _PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"`xcsh -p` needs {error.name}, which is not installed") from None


def _diagnostics_line(registry: Registry) -> str:
    """How many errors and warnings there are; empty where there are none."""
    parts: list[str] = []
    for severity in (Severity.ERROR, Severity.WARNING):
        count = sum(diagnostic.severity == severity for diagnostic in registry.diagnostics)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return f"{' and '.join(parts)} in rule files: xcsh doctor" if parts else ""


def _model_line(choice: ModelChoice) -> str:
    """Which model answers, where nobody named one: it may cost money."""
    return f"model: {choice.name}, because {choice.decided_by}" if choice.detected else ""


def _say_refused(line: str) -> None:
    """What was not done for want of consent: said even where nothing shows the calls."""
    print(" ".join(line.translate(_CONTROL).split()), file=sys.stderr, flush=True)


def _triggered(event: RulesTriggered) -> str:
    return ", ".join(f"{_short(name)} ({_short(path)})" for name, path in zip(event.rules, event.paths, strict=True))


def _attached(event: RulesAttached) -> str:
    """Names and files are other people's text: they are shown on one line, without what drives a terminal."""
    waiting = "; the change waits for the model to read it" if event.held_back else ""
    return f"📎 {_short(', '.join(event.rules))} attached ({_short(event.file)}){waiting}"


def _call(event: ToolCalled) -> str:
    arguments = " ".join(str(value) for value in event.arguments.values())
    return f"{_short(event.name)} {_short(arguments)}".rstrip()


def _short(text: str) -> str:
    line = " ".join(text.translate(_CONTROL).split())
    return line if len(line) <= _ARGUMENT_SHOWN else f"{line[: _ARGUMENT_SHOWN - 1]}…"
