"""The exceptions a caller can meet. A fault in a user's file is a Diagnostic, never one of these."""

from __future__ import annotations

from collections.abc import Sequence


class XcshError(Exception):
    """Base of everything that xcsh raises on purpose."""


class RuleNotFoundError(XcshError, LookupError):
    """No addressable rule has the name asked for."""

    def __init__(self, name: str, available: Sequence[str], why: str = "") -> None:
        self.name = name
        self.available = tuple(available)
        self.why = why
        known = ", ".join(available) if available else "none"
        reason = f" ({why})" if why else ""
        super().__init__(f"no rule named {name!r} can be read{reason}; available: {known}")


class RuleUrlError(XcshError, ValueError):
    """A text that should be a rule:// URL is not one."""


class FrontmatterError(XcshError, ValueError):
    """Frontmatter of something that the program itself brings is broken (C-13). Line and column are 1-based."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        self.path = path
        self.line = line
        self.column = column
        super().__init__(f"{path}:{line}:{column}: {message}")


class ExpansionTooLongError(XcshError, ValueError):
    """A template would make an absurd amount of text of its arguments."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the command's template makes more than {most:,} characters of these arguments")


class UsageError(XcshError, ValueError):
    """The caller asked for something that cannot be meant; `hint` says what to do instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


class NotAFolderError(UsageError, NotADirectoryError):
    """What should be a folder is none."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is no folder", "give the folder to look at")


class MissingExtraError(UsageError, ImportError):
    """A part needs the optional packages of `xcsh[agent]`."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "in the folder that xcsh was installed from: pip install '.[agent]'")


class FailedTurnError(XcshError, RuntimeError):
    """A turn of the agent ended without an answer; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)
