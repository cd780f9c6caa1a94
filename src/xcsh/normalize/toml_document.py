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
        what, hint = _without_body(keys)
        report(finding.make("invalid-toml", place, f"the command {what}; it is skipped", hint=hint))
        return None
    fields = {
        key: FieldValue(value, place_of_value(source.text, key)[0]) for key, value in keys.items() if key != _BODY
    }
    return Document(
        source.name, source.origin, body, fields, start.line, BlockState.ABSENT, source.rank, source.text, start.column
    )


def _without_body(keys: dict[str, object]) -> tuple[str, str | None]:
    """What the command has in place of a text, and what to do about that."""
    if _BODY in keys:
        return f"has a `{_BODY}` that is no text", f'write one text: {_BODY} = """…"""'
    table = next((key for key, value in keys.items() if isinstance(value, dict) and _BODY in value), "")
    if table:
        return f"has its `{_BODY}` in the table `[{table}]`", f"put `{_BODY}` above the first line in brackets"
    return f"has no `{_BODY}`", None
