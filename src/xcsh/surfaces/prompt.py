"""What the model is told of the rules, and what each of them costs (R-50, R-51)."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule
from xcsh.parsing.tokens import estimate_tokens

HEADING = "# Rules"
INSTRUCTION = "Read rule://<name> when working in matching domain"


class PromptPart(NamedTuple):
    """One rule's share of the prompt. `kind` is its bucket, or "duplicate" for one left out by R-51."""

    rule: str
    kind: str
    tokens: int
    path: str


class Prompt(NamedTuple):
    """The text for the system prompt, empty where no rule has a part in it, and the shares of the rules."""

    text: str
    tokens: int
    parts: tuple[PromptPart, ...]


def render_prompt(registry: Registry, context_providers: frozenset[str] = frozenset()) -> Prompt:
    """R-50: every always-apply rule's content as it stands, then the list of the rulebook.

    `context_providers` are the ids of providers of context files; an always-apply rule whose trimmed content equals
    one of theirs is not said twice (R-51, `prompt.dedupe`).
    """
    said: set[str] = set()
    if registry.settings.get("prompt.dedupe") is True:
        always = registry.bucket(Bucket.ALWAYS_APPLY)
        said = {rule.content.strip() for rule in always if rule.origin.provider in context_providers}
    contents: list[str] = []
    parts: list[PromptPart] = []
    for rule in registry.bucket(Bucket.ALWAYS_APPLY):
        trimmed = rule.content.strip()
        in_context = rule.origin.provider in context_providers
        if trimmed in said and not in_context:
            parts.append(PromptPart(rule.name, "duplicate", 0, rule.path))
            continue
        if in_context and registry.settings.get("prompt.dedupe") is True:
            if trimmed not in said:
                parts.append(PromptPart(rule.name, "duplicate", 0, rule.path))
                continue
            said.discard(trimmed)
        contents.append(rule.content)
        parts.append(PromptPart(rule.name, Bucket.ALWAYS_APPLY, estimate_tokens(rule.content), rule.path))
    listed = [(rule, _listing(rule)) for rule in registry.bucket(Bucket.RULEBOOK)]
    parts.extend(PromptPart(rule.name, Bucket.RULEBOOK, estimate_tokens(text), rule.path) for rule, text in listed)
    if listed:
        lines = "\n".join(text for _, text in listed)
        contents.append(f"{HEADING}\n\n{INSTRUCTION}\n\n<rules>\n{lines}\n</rules>")
    text = "\n\n".join(contents)
    return Prompt(text, estimate_tokens(text), tuple(parts))


def _listing(rule: Rule) -> str:
    description = " ".join(str(rule.description).split())
    globs = "".join(f"\n<glob>{_escape(str(glob))}</glob>" for glob in rule.globs)
    return f'<rule name="{_escape(rule.name, quote=True)}">\n{_escape(description)}{globs}\n</rule>'


def _escape(text: str, *, quote: bool = False) -> str:
    """Text that cannot end or open an element of the list."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        escaped = escaped.replace('"', "&quot;").replace("\n", "&#10;")
    return escaped
