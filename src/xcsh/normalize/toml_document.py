"""Takes a TOML command apart: its `prompt` is the body, its other keys are fields (C-40)."""

from __future__ import annotations

from xcsh.model.diagnostic import Report
from xcsh.model.document import BlockState, Document, FieldValue
from xcsh.model.source import SourceText
from xcsh.parsing.finding import Finding
from xcsh.parsing.toml_reader import TomlProblem, place_of_value, read_toml

_BODY = "prompt"


def read_toml_document(source: SourceText, report: Report, finding: Finding) -> Document | None:
    """The document of a file; None, with a diagnostic, where it is no TOML or has no text as its `prompt`."""
    keys = read_toml(source.text)
    if isinstance(keys, TomlProblem):
        report(finding.make("invalid-toml", keys.position, f"no TOML: {keys.message}", hint=keys.hint or None))
        return None
    body = keys.get(_BODY)
    place, start = place_of_value(source.text, _BODY)
    if not isinstance(body, str):
        what = "has no `prompt`" if body is None else "has a `prompt` that is no text"
        report(finding.make("invalid-toml", place, f"the command {what}; it is skipped"))
        return None
    fields = {
        key: FieldValue(value, place_of_value(source.text, key)[0]) for key, value in keys.items() if key != _BODY
    }
    return Document(
        source.name, source.origin, body, fields, start.line, BlockState.ABSENT, source.rank, source.text, start.column
    )
