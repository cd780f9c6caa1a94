"""The call that agents make at each of their tools' calls: known as it stands, it needs no parser of options."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from xcsh.cli.located import located
from xcsh.hooks.hosts import HOSTS

if TYPE_CHECKING:
    import argparse


def event_call(argv: Sequence[str]) -> argparse.Namespace | None:
    """What `options.parse` makes of `hook --for AGENT`, also with `--event NAME` behind it; None for any other call.

    Raises what `located` raises.
    """
    match argv:
        case ["hook", "--for", host]:
            event = ""
        case ["hook", "--for", host, "--event", event] if event and not event.startswith("-"):
            pass
        case _:
            return None
    if host not in [each.id for each in HOSTS]:
        return None
    args = SimpleNamespace(
        verb="hook", folder=None, reference=False, set=[],
        host=host, event=event, install=None, remove=None, user=False, yes=False,
    )  # fmt: skip
    return located(cast("argparse.Namespace", args))  # the same attributes; argparse takes longer to load than this
