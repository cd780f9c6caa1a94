"""Reads `rule://<name>` (R-52, R-53). Names are looked up in the registry; the file system is never touched."""

from __future__ import annotations

from xcsh.errors import RuleNotFoundError, RuleUrlError
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Rule

SCHEME = "rule://"
CONTENT_TYPE = "text/markdown"
_ADDRESSABLE = (Bucket.RULEBOOK, Bucket.ALWAYS_APPLY)


def url_of(name: str) -> str:
    """The URL of a rule: the name as it is where it is printable text without spaces or `%`, else percent-encoded."""
    if name.isprintable() and not any(character in " %" for character in name):
        return SCHEME + name
    from urllib.parse import quote  # noqa: PLC0415 - most names need none

    return SCHEME + quote(name, safe="", errors="surrogateescape")


def read_rule(registry: Registry, url: str) -> Rule:
    """The active rulebook or always-apply rule that a URL names: the exact name wins, then its percent-decoded form.

    Raises RuleUrlError for a text that is no rule:// URL, RuleNotFoundError, which lists the names, for an unknown one.
    """
    if not url.startswith(SCHEME):
        raise RuleUrlError(f"{url!r} is no rule URL; it must begin with {SCHEME}")
    name = url[len(SCHEME) :]
    rules = {entry.rule.name: entry.rule for entry in registry.all if entry.bucket in _ADDRESSABLE}
    rule = rules.get(name)
    if rule is None and "%" in name:
        from urllib.parse import unquote  # noqa: PLC0415 - as above

        name = unquote(name, errors="surrogateescape")
        rule = rules.get(name)
    if rule is None:
        raise RuleNotFoundError(name, sorted(rules), _why_not(registry, name))
    return rule


def _why_not(registry: Registry, name: str) -> str:
    """What there is of that name that cannot be read through a URL."""
    for entry in registry.all:
        if entry.rule.name == name and entry.bucket is not None:
            return f"the rule exists, in the bucket {entry.bucket}, which is not addressable"
    return ""
