"""The library's front door: discovery with the built-in providers, and the surfaces that a program needs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from xcsh.errors import NotAFolderError
from xcsh.installed.providers import load_installed
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.settings import PREFIX
from xcsh.model.source import FOLDER_VARIABLES
from xcsh.pipeline import discover as _discover
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.registry.last_good import with_last_good
from xcsh.registry.precedence import provider_positions
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.prompt import Prompt
from xcsh.surfaces.prompt import render_prompt as _render_prompt
from xcsh.surfaces.rule_url import read_rule

__all__ = ["CONTEXT_PROVIDERS", "Registry", "discover", "providers_of", "read_rule", "rediscover", "render_prompt"]

CONTEXT_PROVIDERS = frozenset(
    provider.id for provider in BUILTIN_PROVIDERS if provider.rules and provider.rules.context
)


def discover(
    cwd: str | os.PathLike[str] = ".",
    *,
    home: str | os.PathLike[str] | None = None,
    reference: bool = False,
    variables: Mapping[str, str] | None = None,
    settings: Mapping[str, object] | None = None,
    remember: bool = False,
    rules_only: bool = False,
) -> Registry:
    """Finds every rule around the folder `cwd` and in `home` (the user's by default).

    `reference` switches everything off that goes beyond the reference behaviour, whatever the settings say. `variables`
    are looked through for settings (`XCSH_TTSR_ENABLED`) and for folders of other tools (`CODEX_HOME`); no environment
    is looked up here. `settings` beat all others. `remember` makes `rediscover` quicker, and this a little slower.
    With `rules_only` nothing else is looked for.

    NotAFolderError: `cwd` is none. UsageError: `settings` has an unknown key or a bad value. Faults in files and
    variables are in `Registry.diagnostics`; nothing is raised for them.
    """
    home_folder = os.path.expanduser("~") if home is None else os.fspath(home)
    if not os.path.isdir(cwd):
        raise NotAFolderError(os.fspath(cwd))
    environment = make_environment(os.fspath(cwd), home_folder)
    if settings or any(name.startswith(PREFIX) for name in variables or ()):
        from xcsh.sources.settings.given import with_given  # noqa: PLC0415 - most calls give none

        environment = with_given(environment, variables or {}, settings or {})
    if variables and (folders := _folders(variables)):
        environment = environment._replace(given=environment.given._replace(folders=folders))
    providers = tuple(map(_with_rules_only, BUILTIN_PROVIDERS)) if rules_only else BUILTIN_PROVIDERS
    return _discover(environment, providers, reference=reference, remember=remember, load=load_installed)


def _with_rules_only(provider: Provider) -> Provider:
    return provider._replace(commands=None, prompts=None, skills=None)


def _folders(variables: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The folders of other tools that variables name; one that is not absolute would lie in the project."""
    return tuple((name, variables[name]) for name in FOLDER_VARIABLES if os.path.isabs(variables.get(name, "")))


def rediscover(registry: Registry) -> Registry:
    """Finds everything again, in the same surroundings and with the same variables and flags. Reads files.

    What has become broken meanwhile stays as it was, with a finding that says so (C-32).
    """
    before = registry.environment
    environment = make_environment(before.cwd, before.home)._replace(given=before.given)
    reference = registry.settings.get("reference") is True
    found = _discover(environment, BUILTIN_PROVIDERS, reference=reference, before=registry, load=load_installed)
    return with_last_good(registry, found, provider_positions(providers_of(found)))


def providers_of(registry: Registry) -> tuple[Provider, ...]:
    """The providers that a registry was made with: those of xcsh, and those of installed packages."""
    return (*BUILTIN_PROVIDERS, *registry.installed)


def render_prompt(registry: Registry) -> Prompt:
    """The part of the system prompt that carries the rules (R-50, R-51)."""
    if not registry.installed:
        return _render_prompt(registry, CONTEXT_PROVIDERS)
    context = (provider.id for provider in registry.installed if provider.rules and provider.rules.context)
    return _render_prompt(registry, CONTEXT_PROVIDERS.union(context))
