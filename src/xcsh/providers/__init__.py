"""The tables: one module per tool, data only. Order here breaks ties of priority."""

from __future__ import annotations

from xcsh.model.provider import Provider
from xcsh.providers.agents_folder import AGENTS_FOLDER
from xcsh.providers.agents_md import AGENTS_MD
from xcsh.providers.amazon_q import AMAZON_Q
from xcsh.providers.antigravity import ANTIGRAVITY
from xcsh.providers.augment import AUGMENT
from xcsh.providers.bundled import BUNDLED
from xcsh.providers.claude import CLAUDE, CLAUDE_PLUGINS
from xcsh.providers.claude_md import CLAUDE_MD
from xcsh.providers.claude_rules import CLAUDE_PLUGIN_RULES, CLAUDE_RULES
from xcsh.providers.cline import CLINE, CLINE_USER
from xcsh.providers.codex import CODEX, CODEX_PROMPTS
from xcsh.providers.continue_rules import CONTINUE
from xcsh.providers.copilot import COPILOT
from xcsh.providers.cursor import CURSOR, CURSOR_NESTED
from xcsh.providers.devin import DEVIN
from xcsh.providers.gemini import GEMINI
from xcsh.providers.gemini_md import GEMINI_MD
from xcsh.providers.grok import GROK
from xcsh.providers.junie import JUNIE
from xcsh.providers.kiro import KIRO
from xcsh.providers.legacy import CURSOR_LEGACY, WINDSURF_LEGACY
from xcsh.providers.native import NATIVE
from xcsh.providers.opencode import OPENCODE
from xcsh.providers.qwen import QWEN
from xcsh.providers.roo import ROO
from xcsh.providers.trae import TRAE
from xcsh.providers.warp import WARP
from xcsh.providers.windsurf import WINDSURF
from xcsh.providers.zed import ZED

BUILTIN_PROVIDERS: tuple[Provider, ...] = (
    NATIVE,
    CLAUDE,
    CLAUDE_PLUGINS,
    CODEX,
    CURSOR,
    WINDSURF,
    CLINE,
    CURSOR_NESTED,
    DEVIN,
    ANTIGRAVITY,
    CLINE_USER,
    CLAUDE_RULES,
    KIRO,
    TRAE,
    CONTINUE,
    CURSOR_LEGACY,
    WINDSURF_LEGACY,
    CODEX_PROMPTS,
    COPILOT,
    GEMINI,
    OPENCODE,
    AGENTS_FOLDER,
    QWEN,
    GROK,
    AUGMENT,
    ROO,
    AGENTS_MD,
    CLAUDE_MD,
    GEMINI_MD,
    JUNIE,
    ZED,
    WARP,
    AMAZON_Q,
    CLAUDE_PLUGIN_RULES,
    BUNDLED,
)
