"""Says of one provider's files what is not read and why: each goes to the skipped ones, a fault also to the report."""

from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.source import QUARANTINED, Skipped
from xcsh.parsing.finding import Finding
from xcsh.sources.filesystem import ReadRefusedError, leads_outside


class Skips(NamedTuple):
    """Where one provider's skipped files and faults go."""

    provider: str
    title: str
    skipped: list[Skipped]
    report: Report

    def skip(self, path: str, reason: str, detail: str = "") -> None:
        """Lists a file that is rightly no item; `reason` is one of SKIP_REASONS."""
        self.skipped.append(Skipped(path, self.provider, reason, detail))

    def refuse(self, path: str, problem: ReadRefusedError) -> None:
        """Lists a file that should have been an item, and reports why it is none."""
        self.skip(path, problem.reason, problem.message)
        self.report(self.finding(path).make(problem.code, problem.position, problem.message))

    def hold_back(self, path: str, text: str, place: Position, character: str) -> None:
        """Lists and reports a text that deceives who reads it, for the user to decide on."""
        detail = f"{character} in line {place.line}, column {place.column}; to look at it: xcsh trust --show"
        self.skipped.append(Skipped(path, self.provider, QUARANTINED, detail, text))
        message = f"held back, since people do not read here what a model reads: {character}"
        self.report(self.finding(path).make("text-held-back", place, message, length=1))

    def refuse_link(self, path: str, target: str) -> None:
        """Lists and reports a link that leaves the project."""
        self.refuse(path, leads_outside(target))

    def finding(self, path: str) -> Finding:
        """Makes diagnostics of a file of this provider."""
        return Finding(path, self.provider)
