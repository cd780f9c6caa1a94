"""The frontmatter keys of all dialects, and what kind of value each holds."""

from __future__ import annotations

PATTERN_KEYS = frozenset({
    "globs", "glob", "paths", "applyTo", "fileMatchPattern", "filePatterns", "file_patterns",
})  # fmt: skip
"""Keys that hold file patterns: always read from their raw text."""

TEXT_KEYS = frozenset({"description", "argument-hint"})
"""Keys whose one-line unquoted value is read from raw text."""

BOOL_KEYS = frozenset({"alwaysApply", "disable-model-invocation", "user-invocable"})
"""Keys whose value is read by word: true, yes, on and their opposites, quoted or not."""

REGEX_KEYS = frozenset({"condition", "ttsr_trigger", "ttsrTrigger"})
"""Keys that hold regular expressions, in which `\\b` in double quotes must not become a backspace."""

TOKEN_KEYS = frozenset({"scope"})
"""Keys that hold comma-separated tokens, each perhaps quoted."""

OTHER_KEYS = frozenset({
    "interrupt_mode", "interruptMode", "trigger", "inclusion", "type", "activation", "name", "allowed-tools",
    "disallowed-tools", "model", "arguments",
})  # fmt: skip

ALL_KEYS = PATTERN_KEYS | TEXT_KEYS | BOOL_KEYS | REGEX_KEYS | TOKEN_KEYS | OTHER_KEYS

WRAPPER_KEYS = frozenset({"activation"})
"""Keys under which some authors nest the others."""

RULE_KEYS = frozenset({
    "globs", "description", "alwaysApply", "condition", "ttsr_trigger", "ttsrTrigger", "scope",
    "interrupt_mode", "interruptMode",
})  # fmt: skip
"""Keys that every provider of this project reads, besides the owner's own."""


COMMAND_KEYS = frozenset({
    "name", "description", "argument-hint", "arguments", "allowed-tools", "disallowed-tools", "model", "effort",
    "disable-model-invocation", "user-invocable", "context", "agent", "hooks", "paths", "shell", "when_to_use",
    "version", "author", "tags", "category", "license", "metadata", "compatibility", "title",
    "mode", "tools", "subtask", "subagent", "auto_execution_mode",
})  # fmt: skip
"""Keys of a command or skill that some tool reads, or that are plainly for people."""


def folded(key: str) -> str:
    """The key without case, hyphens and underscores: two spellings of one key are equal in this form."""
    return key.replace("-", "").replace("_", "").lower()


SPELLINGS = {folded(key): key for key in sorted(ALL_KEYS - {"ttsrTrigger", "interruptMode", "file_patterns"})}
"""Folded form to the spelling that is looked up."""


def canonical(key: str) -> str:
    """The spelling under which `key` is looked up: itself, unless it is another spelling of a known key."""
    return key if key in ALL_KEYS else SPELLINGS.get(folded(key), key)
