"""The MCP servers of the session: how each stands, and to start one anew."""

from __future__ import annotations

from xcsh.session.mcp.servers import SessionServers
from xcsh.session.mcp.standing import DISABLED, RUNNING, STARTING, ServerStanding
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, plural, shown_path, visible, wrap
from xcsh.tui.built_ins.call import Call
from xcsh.tui.front_end import Choice

_NONE = "no MCP server is named in .xcsh/mcp.json, .mcp.json or ~/.xcsh/agent/mcp.json"


async def mcp(call: Call) -> str:
    """Without a name chooses one, of which everything is shown."""
    servers = call.session.context.servers
    if not isinstance(servers, SessionServers) or not servers.standing:
        return _NONE
    slug = call.rest
    if not slug:
        choices = [Choice(each.slug, each.name, _summary(each)) for each in servers.standing]
        slug = await call.front.choose("MCP servers", choices) or ""
    if not slug:
        return ""
    standing = next((each for each in servers.standing if slug in (each.slug, each.name)), None)
    if standing is None:
        return f"no MCP server is named {slug!r}\nthere are: {', '.join(each.slug for each in servers.standing)}"
    about = "\n".join(_lines(call, standing, call.front.style))
    if standing.state in (DISABLED, STARTING):
        return about
    start = "start it anew" if standing.state == RUNNING or standing.log else "start it"
    if await call.agreed(f"MCP server {standing.name}", start, "leave it", about=about):
        await servers.restart(standing.slug)
        standing = next(each for each in servers.standing if each.slug == standing.slug)
        return "\n".join(_lines(call, standing, call.front.style))
    return ""


def _summary(standing: ServerStanding) -> str:
    parts = [standing.state]
    if standing.state == RUNNING:
        parts += [plural(len(standing.tools), "tool")] if standing.tools else []
        parts += [plural(len(standing.prompts), "prompt")] if standing.prompts else []
    elif standing.why:
        parts.append(standing.why)
    return ", ".join(parts)


def _lines(call: Call, standing: ServerStanding, style: Style) -> list[str]:
    rows = [
        ("file", shown_path(standing.path, call.environment)),
        ("does", visible(standing.does)),
        ("trusted", "yes" if standing.trusted else "no; it starts when you agree, or trust the folder: /trust"),
        ("why", visible(standing.why)),
        ("tools", ", ".join(map(visible, standing.tools))),
        ("prompts", ", ".join(f"/{visible(name)}" for name in standing.prompts)),
        ("log", shown_path(standing.log, call.environment) if standing.log else ""),
    ]
    lines = [f"{style.paint(visible(standing.name), BOLD, CYAN)}  {standing.state}"]
    for label, text in rows:
        if text:
            first, *further = wrap(f"  {label:8} ", text, style.width)
            lines += [style.paint(first[:10], DIM) + first[10:], *further]
    return lines
