"""Pictures of the application, to be compared with those that somebody has looked at."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App


class Picture(SingleFileSnapshotExtension):
    """A file of its own, that a browser shows."""

    file_extension = "svg"
    _write_mode = WriteMode.TEXT


def is_as_pictured(app: App[None], snapshot: SnapshotAssertion) -> bool:
    """Whether what is on the screen is what the picture in `__snapshots__` shows; `--snapshot-update` draws it anew."""
    return app.export_screenshot() == snapshot(extension_class=Picture)
