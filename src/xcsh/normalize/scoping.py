"""Limits a rule to the folder that its file lies in, where that is not the working folder (R-60)."""

from __future__ import annotations

from collections.abc import Callable

from xcsh.model.rule import Activation, Rule
from xcsh.parsing.rebasing import from_above, from_below


def scoped(rule: Rule, folder: str, above: str) -> Rule:
    """The rule with its globs relative to the working folder.

    `folder`: it lies in that folder below the working folder; what would apply always is attached with the files there.
    `above`: the working folder lies so far below the rule's own; what applies always does so here too.
    """
    if above:
        return rule._replace(globs=_rebased(rule.globs, lambda pattern: from_below(pattern, above)))
    globs = _rebased(rule.globs, lambda pattern: from_above(pattern, folder))
    everything = from_above("**", folder)
    if rule.always_apply is True:
        why = rule.decided_by or "alwaysApply is true"
        rule = rule._replace(
            always_apply=None, activation=Activation.GLOB, globs=everything, decided_by=f"{why}, in {folder}"
        )
    elif rule.trigger is not None or rule.activation == Activation.GLOB:
        rule = rule._replace(globs=globs or (everything if rule.trigger is not None else ()))
    else:
        rule = rule._replace(globs=globs)
    return rule


def _rebased(globs: tuple[object, ...], rebase: Callable[[str], tuple[str, ...]]) -> tuple[object, ...]:
    found: dict[object, None] = {}
    for glob in globs:
        found.update(dict.fromkeys(rebase(glob) if isinstance(glob, str) else (glob,)))
    return tuple(found)
