"""Tells what is found to be wrong with rules while they are used, once each."""

from __future__ import annotations

from xcsh.agent.project_rules import ProjectRules
from xcsh.session.events import DiagnosticsFound, Sink


class Findings:
    """Of the rules in force. What they had when the session began, or was reloaded, has been told."""

    def __init__(self, rules: ProjectRules, emit: Sink) -> None:
        self._rules = rules
        self._emit = emit
        self._told = list(rules.diagnostics)

    def forget(self) -> None:
        """The rules were loaded again: their findings are those of the load, which are told with it."""
        self._told = list(self._rules.diagnostics)

    def tell_new(self) -> None:
        """Tells what was found since."""
        new = tuple(item for item in self._rules.diagnostics if item not in self._told)
        self._told += new
        if new:
            self._emit(DiagnosticsFound(new))
