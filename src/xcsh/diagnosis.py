"""A registry with every finding: discovery's, and those on stream rules, Python code, MCP servers and consent."""

from __future__ import annotations

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket
from xcsh.sources.code_paths import code_paths


def with_every_finding(registry: Registry) -> Registry:
    """The registry with all that is wrong around it, each finding once, and with its commands in Python.

    Of stream rules those are marked that can never fire. What a session found that loaded the code stays. Reads files,
    runs nothing. Of its own result it makes the same again.
    """
    whole = with_stream_findings(with_python_commands(registry))
    found = dict.fromkeys((*whole.diagnostics, *_on_servers(registry), *_on_consent(registry)))
    return whole._replace(diagnostics=tuple(sorted(found, key=Diagnostic.sort_key)))


def with_stream_findings(registry: Registry) -> Registry:
    """The registry with the findings on its stream rules, and with those marked that can never fire. Reads files."""
    if not any(entry.bucket == Bucket.TTSR for entry in registry.active):
        return registry
    from xcsh.guard.registry_findings import with_findings  # noqa: PLC0415 - only for stream rules
    from xcsh.sources.excerpt import lines_of  # noqa: PLC0415

    return with_findings(registry, lines_of)


def with_python_commands(registry: Registry) -> Registry:
    """The registry with the commands written in Python, and with what is found on all such code; none of it runs."""
    if not code_paths(registry.environment):
        return registry
    from xcsh.extensions.listing import with_code_listed  # noqa: PLC0415 - most projects have no code

    return with_code_listed(registry)


def _on_servers(registry: Registry) -> list[Diagnostic]:
    from xcsh.sources.mcp_paths import mcp_paths  # noqa: PLC0415 - listings of rules do without

    found: list[Diagnostic] = []
    if mcp_paths(registry.environment):
        from xcsh.sources.mcp.files import read_mcp_servers  # noqa: PLC0415 - most projects name no server

        read_mcp_servers(registry.environment, found.append)
    return found


def _on_consent(registry: Registry) -> list[Diagnostic]:
    if not (registry.settings.texts("consent.allow") or registry.settings.texts("consent.deny")):
        return []
    from xcsh.agent.consent.settings import findings_on_patterns  # noqa: PLC0415 - many users have no patterns

    return findings_on_patterns(registry)
