"""Which surface an active rule goes to (R-40 to R-42, R-54, R-62)."""

from __future__ import annotations

from xcsh.model.document import BlockState
from xcsh.model.rule import Activation, Bucket, Rule
from xcsh.parsing.values import as_text


def bucket_of(rule: Rule, *, attach: bool, ttsr: bool) -> tuple[str, str]:
    """The bucket, and why. `attach`: globs attach rules (`rules.attach = "auto"`); `ttsr`: stream rules are on."""
    if rule.trigger is not None and ttsr:
        return Bucket.TTSR, "has a condition"
    if rule.always_apply is True:
        return Bucket.ALWAYS_APPLY, rule.decided_by or "alwaysApply is true"
    described = rule.description is not None and bool(as_text(rule.description).strip())
    globs = any(isinstance(glob, str) and not glob.startswith("!") for glob in rule.globs)
    if rule.activation is not None:
        return _by_owner(rule, described=described, globs=globs, attach=attach)
    if not rule.always_apply and described:
        return Bucket.RULEBOOK, "has a description"
    if globs:
        return (
            (Bucket.ATTACHED, "has globs")
            if attach
            else (Bucket.INACTIVE, "has only globs, and globs do not attach in this mode")
        )
    return Bucket.INACTIVE, _why_inactive(rule)


def _by_owner(rule: Rule, *, described: bool, globs: bool, attach: bool) -> tuple[str, str]:
    why = rule.decided_by
    if rule.activation == Activation.GLOB:
        if not globs:
            return Bucket.INACTIVE, f"{why}, and no pattern is given"
        if attach:
            return Bucket.ATTACHED, why
        return (
            (Bucket.RULEBOOK, "has a description")
            if described
            else (Bucket.INACTIVE, "globs do not attach in this mode")
        )
    if rule.activation == Activation.MODEL:
        return (
            (Bucket.RULEBOOK, why)
            if described
            else (Bucket.INACTIVE, f"{why}, and there is no description to decide by")
        )
    if rule.activation == Activation.DISABLED:
        return Bucket.INACTIVE, f"{why} switches it off"
    return Bucket.INACTIVE, f"{why}: only when it is asked for"


def _why_inactive(rule: Rule) -> str:
    if rule.block == BlockState.FAILED:
        return "its frontmatter could not be read"
    if rule.condition and rule.trigger is None:
        return f"{_why_refused(rule)}, and nothing else makes it apply"
    if rule.condition:
        return "stream rules are switched off, and nothing else makes it apply"
    if rule.always_apply:
        return f"alwaysApply is {as_text(rule.always_apply)}, which is not true"
    return rule.decided_by or "no description, globs, alwaysApply or condition"


def _why_refused(rule: Rule) -> str:
    """What of a rule with a condition is no stream rule's (T-1)."""
    if not any(rule.condition):
        return "its condition is empty"
    from xcsh.parsing.scopes import reaches_a_stream  # noqa: PLC0415 - only where a stream rule is wrong

    if rule.scope and not any(map(reaches_a_stream, rule.scope)):
        return "its scope reaches no stream"
    return "its condition was not accepted"
