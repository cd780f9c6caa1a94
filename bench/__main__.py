"""Runs every benchmark, prints its lines, and writes docs/benchmarks.md."""

from __future__ import annotations

import datetime as dt
import os
import platform
import sys

from bench import discovery, expansion, guard, hook, nested, protocols, session, startup, tui, tui_start
from bench.measure import Line

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "benchmarks.md")
STARTUP = f"""
CPU time (user and system) of the whole process against `python -c pass` with the same interpreter; byte code
compiled, medians of {startup.RUNS} runs that alternate.
"""
DISCOVERY = f"""
CPU time of `xcsh.discover()` against a loop in the same process that lists the folder with `os.scandir` and
reads every file with `open(path, encoding="utf-8").read()`; {discovery.ROUNDS} rounds, in each of which every size and
both sides have their turn.
"""
CORPUS = """
The rule files are generated (`bench/corpus.py`, fixed seed) in the mix that real `.cursor/rules` folders show:
70 % plain `key: value` blocks, 15 % patterns that start with an unquoted `*` and are no YAML, 8 % JSON lists,
7 % block lists and folded texts; bodies of 400 to 4,000 bytes.
"""
EXPANSION = f"""
CPU time of `expand_template()` against one `re.sub` with a function over the same text that finds the same
placeholders and knows no blocks, no escapes and no nesting; medians of {expansion.ROUNDS} rounds of
{expansion.CALLS} calls that alternate. The verb is measured as those above, on {expansion.FILES} generated commands
in Claude Code's format, a quarter of which need a YAML reader.
"""
NESTED = f"""
CPU time of `xcsh.discover()` on {nested.PROJECTS * nested.FOLDERS * nested.FILES:,} files in some
{nested.PROJECTS * nested.FOLDERS:,} folders: {nested.PROJECTS} sub-projects, each with an ignore file and a rule or a
context file. Against `git ls-files -co --exclude-standard` there, user and system; a second discovery
after a file was added. Minima of {nested.ROUNDS} rounds that alternate.
"""
GUARD = f"""
CPU time of one delta of {guard.DELTA} characters, over {guard.SIZE:,} characters of generated text: with words that no
rule's literal is made of, and with those words, every tenth numbered as in the rules. Beside it, one search of
{guard.NAIVE_SIZE:,} characters for every rule, which is what a delta costs where the whole buffer is searched again.
"""
SESSION = f"""
CPU time of an answer of {session.DELTAS:,} deltas, minima of {session.ROUNDS} rounds that alternate; a ratio of
{session.EVENTS} is 0.8 times the framework's events a second. `xcsh -p` and a script that imports the same model
class ask a server on loopback the same; minima of {session.STARTS}. A long session is written down, in a process of its
own, and so is the framework's side of it.
"""
HOOK = f"""
CPU time of the whole process at one call of a tool, against `python -c pass`; {hook.STREAM_RULES} of the rules are
stream rules. Each answers the first call of a session of its own; medians of {hook.RUNS} runs that alternate.
"""
PROTOCOLS = f"""
Wall-clock time over the pipes of `xcsh mcp`, from the request or the save until its line is read; the quiet time that
ends a change of files, {protocols.QUIET} ms, is in it.
"""
TUI = f"""
A transcript above a prompt on a pseudo-terminal of {tui.WIDTH} columns and {tui.HEIGHT} lines, which is read as fast as
it is written. Milliseconds are CPU time of the event loop's thread; the floor is Textual's own `Log`, fed the same.
"""
TUI_START = f"""
Seconds from the start of the process until a pseudo-terminal has been sent the first screen with its keys, beside the
same of a program with Textual and one line of text; minima of {tui_start.RUNS} runs that alternate.
"""
GROUPS = (
    ("The light verbs", startup, STARTUP),
    ("The hook", hook, HOOK),
    ("The MCP server", protocols, PROTOCOLS),
    ("Commands", expansion, EXPANSION),
    ("Discovery", discovery, DISCOVERY),
    ("Sub-projects", nested, NESTED),
    ("The stream guard", guard, GUARD),
    ("The session", session, SESSION),
    ("The terminal application", tui, TUI),
    ("The start of the application", tui_start, TUI_START),
)


def page(results: list[tuple[str, str, list[Line]]]) -> str:
    """docs/benchmarks.md."""
    today = dt.datetime.now(tz=dt.UTC).date()
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    lines = ["# Benchmarks", "", f"Written by `make bench` on {today}: {machine}."]
    lines += ["Run it on your machine; the ratios matter, not the milliseconds.", "", CORPUS.strip()]
    for title, how, measured in results:
        lines += ["", f"## {title}", "", how.strip(), "", "| | measured | bound | | |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(line.cells())} |" for line in measured]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs the groups in turn."""
    results: list[tuple[str, str, list[Line]]] = []
    for title, module, how in GROUPS:
        print(title, flush=True)
        measured = module.run()
        for line in measured:
            what, value, bound, verdict, note = line.cells()
            print(f"  {what.replace('`', ''):56} {value:>10}  {bound:>12}  {verdict:7} {note}")
        results.append((title, how, measured))
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page(results))
    print("wrote docs/benchmarks.md")


if __name__ == "__main__":
    sys.exit(main())
