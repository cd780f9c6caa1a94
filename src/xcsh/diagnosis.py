"""A registry with every finding: discovery's, and those on stream rules, Python code, MCP servers and consent."""

from __future__ import annotations

import os

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket
from xcsh.surfaces.layout import Style


def with_every_finding(registry: Registry) -> Registry:
    """The registry with all that is wrong around it, each finding once, and with its commands in Python.

    Of stream rules those are marked that can never fire. What a session found that loaded the code stays. Reads files,
    runs nothing. Given its own result, it would list the commands twice.
    """
    whole = with_stream_findings(with_python_commands(registry))
    found = dict.fromkeys((*whole.diagnostics, *_on_servers(registry), *_on_consent(registry)))
    return whole._replace(diagnostics=tuple(sorted(found, key=Diagnostic.sort_key)))


def files_looked_at(registry: Registry) -> list[str]:
    """Every file and folder that such a registry has its findings from, each once."""
    from xcsh.sources.mcp_paths import mcp_paths  # noqa: PLC0415 - listings of rules do without

    return list(dict.fromkeys((*registry.paths(), *mcp_paths(registry.environment))))


def doctor_lines(registry: Registry, style: Style, *, whole: bool = False) -> list[str]:
    """What `xcsh doctor` prints for a registry as discovery, or a session, has it; `whole` as with `--all`.

    Reads files.
    """
    from xcsh.sources.excerpt import lines_of  # noqa: PLC0415 - only where findings are shown
    from xcsh.surfaces.doctor import render_doctor  # noqa: PLC0415

    found = with_every_finding(registry)
    return render_doctor(found, found.diagnostics, len(files_looked_at(found)), lines_of, style, whole=whole)


def with_stream_findings(registry: Registry) -> Registry:
    """The registry with the findings on its stream rules, and with those marked that can never fire. Reads files."""
    if not any(entry.bucket == Bucket.TTSR for entry in registry.active):
        return registry
    from xcsh.guard.registry_findings import with_findings  # noqa: PLC0415 - only for stream rules
    from xcsh.sources.excerpt import lines_of  # noqa: PLC0415

    return with_findings(registry, lines_of)


def with_python_commands(registry: Registry) -> Registry:
    """The registry with the commands written in Python, and with what is found on all such code; none of it runs."""
    environment = registry.environment
    places = (os.path.join(environment.cwd, ".xcsh"), os.path.join(environment.home, ".xcsh", "agent"))
    if not any(os.path.lexists(os.path.join(place, name)) for place in places for name in ("extensions", "commands")):
        return registry
    from xcsh.extensions.listing import with_python_commands as listed  # noqa: PLC0415 - most projects have no code

    return listed(registry)


def _on_servers(registry: Registry) -> list[Diagnostic]:
    from xcsh.sources.mcp_paths import mcp_paths  # noqa: PLC0415 - listings of rules do without

    found: list[Diagnostic] = []
    if mcp_paths(registry.environment):
        from xcsh.sources.mcp.files import read_mcp_servers  # noqa: PLC0415 - most projects name no server

        read_mcp_servers(registry.environment, found.append)
    return found


def _on_consent(registry: Registry) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    if registry.settings.texts("consent.allow"):
        from xcsh.agent.consent.settings import always_allowed  # noqa: PLC0415 - many users allow nothing for good

        always_allowed(registry, found.append)
    return found
