"""Runs every check of `make check`, all of them whatever fails first, and says which did."""

from __future__ import annotations

import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

PY = sys.executable
LINT_IMPORTS = 'from importlinter.cli import lint_imports_command as run; run(["--no-cache"])'

CHECKS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("lint", "ruff", (PY, "-m", "ruff", "check", ".")),
    ("format", "ruff format; to apply: .venv/bin/ruff format", (PY, "-m", "ruff", "format", "--check", ".")),
    ("types", "basedpyright, strict", (PY, "-m", "basedpyright")),
    ("layers", "import-linter: what may import what", (PY, "-c", LINT_IMPORTS)),
    ("docs", "generated pages; to apply: make docs", (PY, "tools/generate_docs.py", "--check")),
    ("sizes", "lines of the files in src and of AGENTS.md", (PY, "tools/check_sizes.py")),
)


def main(chosen: list[str]) -> int:
    """Runs the checks named in `chosen`, or all; 1 where one of them failed."""
    known = [name for name, _, _ in CHECKS]
    if unknown := [name for name in chosen if name not in known]:
        print(f"no check named {unknown[0]}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed: list[str] = []
    for name, what, command in CHECKS:
        if chosen and name not in chosen:
            continue
        started = time.monotonic()
        done = subprocess.run(  # noqa: S603 - the commands are those above
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        verdict = "ok" if done.returncode == 0 else "FAILED"
        print(f"{verdict:7} {name:7} {time.monotonic() - started:5.1f} s  {what}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}   again: make check ARGS='{' '.join(failed)}'")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
