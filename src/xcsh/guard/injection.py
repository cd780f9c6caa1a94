"""What the model is told of the rules that its output began to break (T-10), or broke without being stopped (T-12)."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.rule import Rule
from xcsh.parsing.enclosing import attribute, closing_of, enclosed
from xcsh.parsing.globs import relative

_INTERRUPT = "system-interrupt"
_REMINDER = "system-reminder"
_STOPPED = (
    "This comes from the agent, not from the user: it enforces the rules of the project. Your output was cut off "
    "because it began to break the rule below. Follow this instruction, and continue with the task."
)
_REFUSED = (
    "This comes from the project, not from the user: it enforces the project's rules. The call was not run, because "
    "what it writes breaks the rule below. Follow this instruction, make the call so that it keeps to the rule, and "
    "continue with the task."
)
_NOTICED = (
    "This comes from the agent, not from the user: it enforces the rules of the project. Your output matched the rule "
    "below and was not stopped. Follow this instruction in what you do next: continue with the task, and put right "
    "what breaks the rule."
)
_CLOSING = closing_of(_INTERRUPT, _REMINDER)


def injection(rules: Iterable[Rule], cwd: str = "") -> str:
    """The text that is sent to the model after its request was ended: a block a rule, empty for no rules.

    The content of a rule stands in its block as it is, but that `</system-interrupt` and `</system-reminder` are
    written with a backslash before the slash, so that no content ends its block early. `cwd` is the absolute working
    folder: the path of a rule inside it is given relative to it.
    """
    return "\n".join(_block(_INTERRUPT, _STOPPED, rule, cwd) for rule in rules)


def refusal(rules: Iterable[Rule], cwd: str = "") -> str:
    """As `injection`, for a call of a tool that is not run because of what it would write."""
    return "\n".join(_block(_INTERRUPT, _REFUSED, rule, cwd) for rule in rules)


def reminder(rules: Iterable[Rule], cwd: str = "") -> str:
    """As `injection`, for rules whose match did not end the request."""
    return "\n".join(_block(_REMINDER, _NOTICED, rule, cwd) for rule in rules)


def _block(tag: str, said: str, rule: Rule, cwd: str) -> str:
    name, path = map(attribute, (rule.name, relative(rule.path, cwd)))
    content = enclosed(rule.content.strip("\n"), _CLOSING)
    return f'<{tag} reason="rule_violation" rule="{name}" path="{path}">\n{said}\n\n{content}\n</{tag}>'
