"""The one shape that every tool's rules are brought into."""

from typing import NamedTuple

from xcsh.model.document import BlockState
from xcsh.model.source import Origin


class Bucket:
    """The one surface that an active rule goes to."""

    TTSR = "ttsr"
    ALWAYS_APPLY = "always_apply"
    RULEBOOK = "rulebook"
    ATTACHED = "attached"
    INACTIVE = "inactive"
    ORDER = (ALWAYS_APPLY, TTSR, RULEBOOK, ATTACHED, INACTIVE)


TRIGGER_LABELS = {
    Bucket.ALWAYS_APPLY: "always",
    Bucket.TTSR: "stream",
    Bucket.RULEBOOK: "description",
    Bucket.ATTACHED: "glob",
    Bucket.INACTIVE: "inactive",
}


class Activation:
    """What the owning tool's own key or default says of a rule, where that decides (R-62)."""

    ALWAYS = "always"
    GLOB = "glob"
    MODEL = "model"
    MANUAL = "manual"
    DISABLED = "disabled"


INTERRUPT_MODES = ("always", "prose-only", "tool-only", "never")
"""Which matches of a stream rule stop the answer (T-12)."""


class StreamTrigger(NamedTuple):
    """An accepted stream condition: regex sources in JavaScript flavour, scope tokens, interrupt mode."""

    conditions: tuple[str, ...]
    scopes: tuple[str, ...]
    interrupt: str | None = None


class Rule(NamedTuple):
    """One normalised rule (R-1). `trigger` is None where no condition was given or none was accepted.

    `always_apply` is what the provider's row leaves: None for absent, a bool, or another value taken as it stands.
    `activation` is set where the owning tool's key or default decides instead of R-40, `decided_by` says which, or why
    neither could. `block` is how the frontmatter came out, a BlockState.
    """

    name: str
    content: str
    origin: Origin
    description: object = None
    globs: tuple[object, ...] = ()
    always_apply: object = None
    trigger: StreamTrigger | None = None
    condition: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    interrupt_mode: str | None = None
    activation: str | None = None
    decided_by: str = ""
    block: str = BlockState.ABSENT
    rank: tuple[int, int, str] = (0, 0, "")

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self.origin.path

    @property
    def glob_strings(self) -> tuple[str, ...]:
        """The globs that are strings: only those can match a path."""
        return tuple(glob for glob in self.globs if isinstance(glob, str))


class Entry(NamedTuple):
    """A rule's standing in a registry. A shadowed one has no bucket and names its winner.

    `idle` says why a stream rule can never fire; empty where it can, and where nobody has looked: discovery does not.
    """

    rule: Rule
    bucket: str | None
    reason: str
    shadowed_by: Rule | None = None
    idle: str = ""
