"""Which patterns to suggest to somebody who would rather not be asked again."""

from __future__ import annotations

import posixpath
import re

from xcsh.agent.consent.patterns import FILE_TOOLS, SHELL, Request, allows, parse_pattern
from xcsh.agent.consent.shell_command import RUN_ANYTHING, simple_command
from xcsh.errors import UsageError

_SUBCOMMAND = re.compile(r"[A-Za-z][A-Za-z0-9_:-]*")
_RUNNERS = frozenset(("run", "exec", "-m"))
_NEVER_WIDE = RUN_ANYTHING | frozenset((
    "awk", "bunx", "cargo", "chmod", "chown", "cp", "curl", "dd", "deno", "docker", "git", "go", "java", "kill",
    "kubectl", "ln", "lua", "make", "mkfs", "mv", "nc", "node", "npm", "npx", "perl", "php", "pip", "pipx", "pkill",
    "pnpm", "podman", "python", "python3", "rm", "rmdir", "rsync", "ruby", "scp", "sed", "tar", "tee", "uv", "uvx",
    "wget", "yarn",
))  # fmt: skip
"""Programs that, with any arguments, run whatever they are given, reach out, or change whatever they are given."""


def suggested_patterns(request: Request) -> tuple[str, ...]:
    """Patterns that would have allowed the request, narrowest first; none where no pattern can."""
    if request.tool == SHELL:
        texts = _of_command(request.argument)
    elif request.tool in FILE_TOOLS:
        folder = posixpath.dirname(request.argument)
        texts = [f"{request.tool}({request.argument})", *([f"{request.tool}({folder}/**)"] if folder else [])]
    else:
        texts = [request.tool]
    return tuple(text for text in dict.fromkeys(texts) if _would_allow(text, request))


def _of_command(command: str) -> list[str]:
    words = simple_command(command)
    if words is None:
        return []
    exact = command.strip()
    texts = [] if exact.endswith(":*") else [f"{SHELL}({exact})"]  # that would read as a prefix
    begin = [word.raw for word in words[:3]]
    program = posixpath.basename(words[0].text)
    if len(begin) > 1 and begin[1] in _RUNNERS:
        return [*texts, f"{SHELL}({' '.join(begin)}:*)"] if len(begin) > 2 else texts  # noqa: PLR2004 - `npm run NAME`
    if len(begin) > 1 and _SUBCOMMAND.fullmatch(begin[1]) and program not in ("rm", "mv", "cp", "sed", "awk", "cat"):
        return [*texts, f"{SHELL}({' '.join(begin[:2])}:*)"]
    return texts if program in _NEVER_WIDE else [*texts, f"{SHELL}({begin[0]}:*)"]


def _would_allow(text: str, request: Request) -> bool:
    try:
        return allows(parse_pattern(text), request)
    except UsageError:
        return False
