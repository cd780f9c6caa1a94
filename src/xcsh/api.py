"""The library's front door: discovery with the built-in providers, and the surfaces that a program needs."""

from __future__ import annotations

import os

from xcsh.errors import NotAFolderError
from xcsh.model.registry import Registry
from xcsh.pipeline import discover as _discover
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.prompt import Prompt
from xcsh.surfaces.prompt import render_prompt as _render_prompt
from xcsh.surfaces.rule_url import read_rule

__all__ = ["CONTEXT_PROVIDERS", "Registry", "discover", "read_rule", "render_prompt"]

CONTEXT_PROVIDERS = frozenset(
    provider.id for provider in BUILTIN_PROVIDERS if provider.rules and provider.rules.context
)


def discover(
    cwd: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None, reference: bool = False
) -> Registry:
    """Finds every rule around the folder `cwd` and in `home` (the user's by default).

    NotAFolderError: `cwd` is none. Faults in files are in `Registry.diagnostics`; nothing is raised for them.
    `reference` switches everything off that goes beyond the reference behaviour, whatever the settings files say.
    """
    home_folder = os.path.expanduser("~") if home is None else os.fspath(home)
    if not os.path.isdir(cwd):
        raise NotAFolderError(os.fspath(cwd))
    environment = make_environment(os.fspath(cwd), home_folder)
    return _discover(environment, BUILTIN_PROVIDERS, reference=reference)


def render_prompt(registry: Registry) -> Prompt:
    """The part of the system prompt that carries the rules (R-50, R-51)."""
    return _render_prompt(registry, CONTEXT_PROVIDERS)
