"""Pictures of the application, to be compared with those that somebody has looked at."""

from __future__ import annotations

from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.app import App


def is_as_pictured(app: App[None], snapshot: SnapshotAssertion) -> bool:
    """Whether what is on the screen is what the picture in `__snapshots__` shows; `--snapshot-update` draws it anew."""
    return app.export_screenshot() == snapshot(extension_class=SVGImageExtension)
