"""Decides which model is meant: a flag, XCSH_MODEL, the settings, or what can be found on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xcsh.errors import UsageError

REPLAY = "replay:"


class ModelChoice(NamedTuple):
    """A model's name, as pydantic-ai spells it or `replay:FILE`, and what decided. `detected` if nobody named it.

    `base_url` is set for a server that was found.
    """

    name: str
    decided_by: str
    detected: bool = False
    base_url: str = ""


class _Key(NamedTuple):
    """An environment variable that opens a provider: the model to take, and the package and extra that it needs."""

    variable: str
    model: str
    module: str = ""
    extra: str = ""


_KEYS = (
    _Key("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    _Key("OPENAI_API_KEY", "openai:gpt-5.5"),
    _Key("GEMINI_API_KEY", "google:gemini-flash-latest", "google.genai", "google"),
    _Key("GOOGLE_API_KEY", "google:gemini-flash-latest", "google.genai", "google"),
)
_WAYS = """\
set ANTHROPIC_API_KEY or OPENAI_API_KEY
  or run a model here: ollama pull qwen3 && ollama serve
  or name one: --model PROVIDER:NAME; to try it without any: --model replay:FILE"""


def choose_model(flag: str | None, environment: Mapping[str, str], setting: str = "") -> ModelChoice:
    """The first that is given: `--model`, XCSH_MODEL, the setting `model`, a provider's key, a running Ollama.

    Raises UsageError, which says how to get a model, where there is none. Whether a name is good is decided when the
    model is opened.
    """
    named = (("--model", flag), ("XCSH_MODEL", environment.get("XCSH_MODEL")), ("the setting `model`", setting))
    for where, name in named:
        if name and name.strip():
            return ModelChoice(name.strip(), where)
    missing = ""
    for key in _KEYS:
        if environment.get(key.variable):
            if not key.module or _importable(key.module):
                return ModelChoice(key.model, f"{key.variable} is set", detected=True)
            missing = f"{key.variable} is set, but that needs: pip install 'pydantic-ai-slim[{key.extra}]'\n  or "
    from xcsh.llm.ollama import find_ollama  # noqa: PLC0415 - opens a socket: only where nothing else is given

    found = find_ollama(environment)
    if found is not None:
        return ModelChoice(f"ollama:{found.model}", f"Ollama answers at {found.url}", detected=True, base_url=found.url)
    raise UsageError("no model is named, and none was found", missing + _WAYS)


def detected_models(environment: Mapping[str, str]) -> list[ModelChoice]:
    """Every model that could be used without naming it: of each key that is set, and all of a running Ollama."""
    from xcsh.llm.ollama import find_ollama  # noqa: PLC0415 - as above

    found = [
        ModelChoice(key.model, f"{key.variable} is set", detected=True)
        for key in _KEYS
        if environment.get(key.variable) and (not key.module or _importable(key.module))
    ]
    server = find_ollama(environment)
    if server is not None:
        why = f"Ollama answers at {server.url}"
        found += [ModelChoice(f"ollama:{name}", why, detected=True, base_url=server.url) for name in server.models]
    return list({choice.name: choice for choice in found}.values())


def _importable(module: str) -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only for providers that are extras

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
