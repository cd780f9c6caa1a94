"""The tables: one module per tool, data only. Order here breaks ties of priority."""

from __future__ import annotations

from xcsh.model.provider import Provider
from xcsh.providers.agents_md import AGENTS_MD
from xcsh.providers.bundled import BUNDLED
from xcsh.providers.claude import CLAUDE, CLAUDE_PLUGINS
from xcsh.providers.cline import CLINE
from xcsh.providers.codex import CODEX
from xcsh.providers.cursor import CURSOR, CURSOR_NESTED
from xcsh.providers.gemini import GEMINI
from xcsh.providers.legacy import CURSOR_LEGACY, WINDSURF_LEGACY
from xcsh.providers.native import NATIVE
from xcsh.providers.windsurf import WINDSURF

BUILTIN_PROVIDERS: tuple[Provider, ...] = (
    NATIVE,
    CLAUDE,
    CLAUDE_PLUGINS,
    CODEX,
    CURSOR,
    WINDSURF,
    CLINE,
    CURSOR_NESTED,
    CURSOR_LEGACY,
    WINDSURF_LEGACY,
    GEMINI,
    AGENTS_MD,
    BUNDLED,
)
