"""What the model is told of the rules, and what each of them costs (R-50, R-51)."""

from typing import NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule
from xcsh.parsing.tokens import estimate_tokens
from xcsh.parsing.values import as_text
from xcsh.surfaces.layout import visible

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
    contents: list[str] = []
    parts: list[PromptPart] = []
    for rule, said_by in said_once(registry, context_providers):
        if said_by is not None:
            parts.append(PromptPart(rule.name, "duplicate", 0, rule.path))
            continue
        contents.append(rule.content)
        parts.append(PromptPart(rule.name, Bucket.ALWAYS_APPLY, estimate_tokens(rule.content), rule.path))
    listed = [(rule, _listing(rule)) for rule in registry.bucket(Bucket.RULEBOOK)]
    parts.extend(PromptPart(rule.name, Bucket.RULEBOOK, estimate_tokens(text), rule.path) for rule, text in listed)
    if listed:
        lines = "\n".join(text for _, text in listed)
        contents.append(f"{HEADING}\n\n{INSTRUCTION}\n\n<rules>\n{lines}\n</rules>")
    text = "\n\n".join(contents).encode("utf-8", "backslashreplace").decode("utf-8")
    return Prompt(text, estimate_tokens(text), tuple(parts))


def said_once(registry: Registry, context_providers: frozenset[str]) -> list[tuple[Rule, Rule | None]]:
    """The always-apply rules, each with the context file that says the same already, or None where it is said itself.

    R-51, `prompt.dedupe`: whole trimmed contents are compared. Of equal context files the first is said.
    """
    rules = list(registry.bucket(Bucket.ALWAYS_APPLY))
    if registry.settings.get("prompt.dedupe") is not True:
        return [(rule, None) for rule in rules]
    said: dict[str, Rule] = {}
    for rule in rules:
        if rule.origin.provider in context_providers:
            said.setdefault(rule.content.strip(), rule)
    return [(rule, None if (by := said.get(rule.content.strip())) is rule else by) for rule in rules]


def _listing(rule: Rule) -> str:
    description = visible(" ".join(as_text(rule.description).split()))
    globs = "".join(f"\n<glob>{_escape(visible(as_text(glob)))}</glob>" for glob in rule.globs)
    return f'<rule name="{_escape(rule.name, quote=True)}">\n{_escape(description)}{globs}\n</rule>'


def _escape(text: str, *, quote: bool = False) -> str:
    """Text that cannot end or open an element of the list."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        escaped = escaped.replace('"', "&quot;")
        if not escaped.isprintable():
            escaped = "".join(one if one.isprintable() else f"&#{ord(one)};" for one in escaped)
    return escaped
