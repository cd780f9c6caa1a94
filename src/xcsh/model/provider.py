"""A provider: one tool whose files are read, as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xcsh.model.source import Source

Reader = Callable[[object], object]
"""Takes a parsed value and returns what the provider keeps of it; None for nothing."""


class RuleFields(NamedTuple):
    """What a provider's row keeps of each field (R-11 to R-14)."""

    globs: Reader
    always_apply: Reader
    description: Reader
    trigger: Reader


class OwnerKeys(NamedTuple):
    """How the owning tool decides when a rule applies (R-62).

    `decide` reads the tool's own `key` and returns an Activation, or None where its value decides nothing.
    `default` is the tool's activation for a file where no key decides, `bare_default` for one without a block.
    """

    key: str | None = None
    decide: Callable[[object], str | None] | None = None
    patterns: bool = False
    default: str | None = None
    bare_default: str | None = None


class Provider(NamedTuple):
    """A named, prioritised source of rules. `reference` marks the four of R-10."""

    id: str
    title: str
    priority: int
    sources: tuple[Source, ...]
    fields: RuleFields | None
    """None: the tool knows no frontmatter, the text is taken as it stands."""
    owner: OwnerKeys = OwnerKeys()
    own_keys: frozenset[str] = frozenset()
    reference: bool = False
    context: bool = False
    """A context file such as AGENTS.md, which agents often put into the prompt by themselves (R-51)."""
    reads: str = ""
    """One sentence for people: what the tool itself reads and does."""
    yaml_needs_quotes: bool = True
    """Whether quoting a pattern is right for the owning tool; where it is not, no hint may advise it."""
