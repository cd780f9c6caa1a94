"""Who decides when a rule applies: the owning tool's key, its default, or R-40 (R-62)."""

from __future__ import annotations

from xcsh.model.diagnostic import Report
from xcsh.model.document import BlockState
from xcsh.model.provider import OwnerKeys
from xcsh.model.rule import Activation
from xcsh.normalize.keys import Fields
from xcsh.parsing.finding import Finding


def default_of(owner: OwnerKeys, state: str) -> str | None:
    """The owner's activation for a file that gives no key at all."""
    return owner.bare_default if state == BlockState.ABSENT else owner.default


def decide(
    owner: OwnerKeys, title: str, fields: Fields, report: Report, finding: Finding, *, lost: bool
) -> tuple[str | None, str]:
    """The owner's key, where alwaysApply is absent; else its default, where no key decides; and what decided.

    `lost`: a part of the block, or a stream condition, was given and could not be read, so that a missing key does not
    mean that none was given.
    """
    if (always := fields.get("alwaysApply")) is not None and always.value is not None:
        return None, ""
    field = fields.get(owner.key) if owner.key else None
    if field is not None and owner.decide is not None:
        decided = owner.decide(field.value)
        shown = "" if field.value is None else str(field.value)
        if decided is not None:
            return decided, f"has `{owner.key}`" if owner.patterns and field.value else f"`{owner.key}: {shown}`"
        known = f"; it knows {', '.join(owner.values)}" if owner.values else ""
        message = f"`{owner.key}: {shown}` is no value that {title} knows{known}"
        report(finding.make("unknown-trigger", field.position, message, length=field.length))
        return None, f"`{owner.key}: {shown}` decides nothing"
    decisive = any(key in fields and fields[key].value is not None for key in owner.decisive)
    if lost:
        return None, "a part of its frontmatter could not be read"
    if owner.default is None or decisive:
        return None, ""
    return owner.default, by_default(title, owner.default)


def by_default(title: str, activation: str) -> str:
    """What is said of a rule for which its tool's default decides."""
    if activation == Activation.ALWAYS:
        return f"{title} applies such a file always"
    return f"{title}'s default for such a file is {activation}"
