"""Where a call looks, and with which settings: what its common options come to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xcsh.errors import NotAFolderError, UsageError

if TYPE_CHECKING:
    import argparse


def folder_is_gone() -> UsageError:
    """The error for a working folder that was removed."""
    return UsageError("the working folder is gone", "go to a folder that exists, or name one: -C DIR")


def located(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments with `cwd` (see `options.parse`), `home` and `settings`. UsageError: the folder is gone."""
    args.home = os.path.expanduser("~")
    try:
        args.cwd = os.path.abspath(args.folder or ".")
    except OSError:
        if args.verb != "hook" or args.install or args.remove is not None:
            raise folder_is_gone() from None
        args.cwd = ""  # the event may name another
    if args.cwd and not os.path.isdir(args.cwd):
        raise NotAFolderError(args.folder or args.cwd)
    args.settings = _settings(args.set)
    if getattr(args, "sandbox", None):
        args.settings["sandbox"] = args.sandbox
    if args.settings.get("model") and getattr(args, "model", "") is None:
        args.model = args.settings["model"]  # as a flag, before XCSH_MODEL
    return args


def _settings(texts: Sequence[str]) -> dict[str, object]:
    """What the `--set` of a call come to; lists add up."""
    if not texts:
        return {}
    from xcsh.sources.settings.given import parse_flag

    found: dict[str, object] = {}
    for key, value in map(parse_flag, texts):
        earlier = found.get(key)
        found[key] = (*earlier, *value) if isinstance(earlier, tuple) and isinstance(value, tuple) else value
    return found
