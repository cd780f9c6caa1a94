"""xcsh: the rules that people write for coding agents, found in every tool's format and given to a model."""

TYPE_CHECKING = False  # type checkers take the name for typing's, whose import would cost more than all of this
if TYPE_CHECKING:
    from typing import Any

    from xcsh.api import Registry, discover, read_rule, render_prompt
    from xcsh.errors import RuleNotFoundError, RuleUrlError, UsageError, XcshError
    from xcsh.model.diagnostic import Diagnostic
    from xcsh.model.rule import Entry, Rule

__version__ = "0.1.0"

__all__ = [
    "Diagnostic",
    "Entry",
    "Registry",
    "Rule",
    "RuleNotFoundError",
    "RuleUrlError",
    "UsageError",
    "XcshError",
    "__version__",
    "discover",
    "read_rule",
    "render_prompt",
]

_HOMES = {
    "Diagnostic": "xcsh.model.diagnostic",
    "Entry": "xcsh.model.rule",
    "Registry": "xcsh.api",
    "Rule": "xcsh.model.rule",
    "RuleNotFoundError": "xcsh.errors",
    "RuleUrlError": "xcsh.errors",
    "UsageError": "xcsh.errors",
    "XcshError": "xcsh.errors",
    "discover": "xcsh.api",
    "read_rule": "xcsh.api",
    "render_prompt": "xcsh.api",
}


def __getattr__(name: str) -> "Any":
    """Loads a public name where it is first used, so that importing xcsh costs nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - a bare import of xcsh loads nothing

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
