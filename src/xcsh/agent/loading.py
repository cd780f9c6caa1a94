"""Loads public names where they are first used, and says which package is missing."""

from __future__ import annotations

from importlib import import_module

from xcsh.errors import MissingExtraError

_EXTRA = (
    "pydantic_ai",
    "pydantic_ai_harness",
    "pydantic",
    "openai",
    "anthropic",
    "httpx2",
    "textual",
    "mcp",
    "fastmcp",
)


def load_public(module: str, name: str) -> object:
    """The object `name` of a module; MissingExtraError where a package of xcsh[agent] is not installed."""
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in _EXTRA:
            raise MissingExtraError(f"the agent needs the package {error.name}, which comes with xcsh[agent]") from None
        raise
