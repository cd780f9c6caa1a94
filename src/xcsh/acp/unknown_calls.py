"""What a client is told of a text that calls a command which there is not."""

from __future__ import annotations

from xcsh.acp.commands import OWN
from xcsh.session.agent_session import AgentSession
from xcsh.session.offered_commands import offered_commands
from xcsh.session.unknown_commands import unknown_command
from xcsh.slash.lookup import nearest_commands
from xcsh.surfaces.skipped_commands import skipped_command


def about_unknown(text: str, session: AgentSession) -> tuple[str, str] | None:
    """What to say of a text that calls a command which there is not, and more of it; None for any other (C-26)."""
    context = session.context
    name = unknown_command(text, context)
    if name is None:
        return None
    said = f"/{name} is sent as text, since no command is named so"
    if skipped := skipped_command(context.registry, name):
        return f"{said}; {skipped.place} is skipped", "; ".join(filter(None, (skipped.reason, skipped.hint)))
    near = nearest_commands([*OWN, *(each.name for each in offered_commands(context, OWN))], name)
    return f"{said}; did you mean {', '.join(f'/{each}' for each in near)}?" if near else said, ""
