"""Reads a JSON object of Claude Code's, with a finding where it is none (C-8)."""

from __future__ import annotations

from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.parsing.values import mapping
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.skips import Skips

_LIMIT = 4_194_304


def read_json_object(path: str, skips: Skips) -> dict[object, object] | None:
    """The JSON object that a file holds; None, with a diagnostic, where it holds none."""
    import json  # noqa: PLC0415 - only where Claude Code has a registry of plugins

    try:
        document = mapping(json.loads(decode(read_bytes(path, _LIMIT), skips.report, skips.finding(path))))
        if document is None:
            report_malformed(path, "it is no JSON object", skips)
    except ReadRefusedError as problem:
        skips.report(skips.finding(path).make("invalid-plugin-registry", problem.position, problem.message))
    except json.JSONDecodeError as error:
        report_malformed(path, f"it is no JSON ({error.msg})", skips, Position(error.lineno, error.colno))
    except RecursionError:
        report_malformed(path, "it is nested too deeply", skips)
    except ValueError as error:
        report_malformed(path, f"it holds a value that cannot be read ({error})", skips)
    else:
        return document
    return None


def report_malformed(path: str, message: str, skips: Skips, place: Position | None = None) -> None:
    """Says what is wrong with a file of Claude Code's plugins."""
    skips.report(skips.finding(path).make("invalid-plugin-registry", place, message))


def quietly(skips: Skips) -> Skips:
    """For a file that is looked at once more: what is wrong with it has been said."""
    return skips._replace(skipped=[], report=_say_nothing)


def _say_nothing(_: Diagnostic) -> None:
    """It has been said."""
