"""Makes diagnostics of one file: path and provider filled in, severity and default hint from the table of codes."""

from typing import NamedTuple

from xcsh.model.diagnostic import Diagnostic, Position


class Finding(NamedTuple):
    """The file that is being read, and whether its owning tool reads quoted patterns as patterns."""

    path: str
    provider: str = ""
    quotes_help: bool = True

    def make(
        self,
        code: str,
        position: Position | None,
        message: str,
        *,
        length: int = 0,
        hint: str | None = None,
        severity: str | None = None,
        related: tuple[str, ...] = (),
    ) -> Diagnostic:
        """A diagnostic of `code` at `position`, spanning `length` characters of that line.

        `hint` and `severity` are those of the table of codes, unless this case is a milder one.
        """
        from xcsh.model.codes import CODES  # noqa: PLC0415 - a large table, and most projects are in order

        entry = CODES[code]
        end = Position(position.line, position.column + length) if position and length else None
        text = entry.hint if hint is None else hint
        return Diagnostic(
            code, severity or entry.severity, message, self.path, position, end, text, self.provider, related
        )
