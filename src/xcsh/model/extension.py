"""A file of Python that may register commands, as far as that can be said without running it."""

from typing import NamedTuple


class ExtensionFile(NamedTuple):
    """An extension by its file. `reason`: why no session runs it, one of SKIP_REASONS; empty for one that is run.

    `detail` says the reason for this file. Which commands it registers is known only where it runs.
    """

    name: str
    level: str
    path: str
    reason: str = ""
    detail: str = ""
