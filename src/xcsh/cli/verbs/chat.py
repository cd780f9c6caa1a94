"""`xcsh [TEXT]`: the conversation in the terminal."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from xcsh.cli.output import discover_for, say_finding
from xcsh.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from xcsh.session.agent_session import AgentSession
    from xcsh.tui.conversation import Opening
    from xcsh.tui.front_end import FrontEnd


def run(args: argparse.Namespace) -> int:
    """0 when the user leaves. UsageError: no terminal, no model, a bad `--allow`, no such session.

    MissingExtraError: the packages of xcsh[agent] are not there.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the interactive mode needs a terminal", 'ask one thing: xcsh -p "…"')
    from xcsh.agent.consent.settings import grants
    from xcsh.cli.kept_session import folder_of, past_of, tell_damage
    from xcsh.llm.choose import choose_model

    try:
        from xcsh.tui.app import ChatApp
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the interactive mode needs {error.name}, which is not installed") from None

    gc.enable()
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    allow = grants(args.allow)
    past = past_of(args)
    registry = discover_for(args, folder_of(args, past))
    if past is not None:
        tell_damage(past)
    earlier = past.stored.model if past is not None else ""
    choice = choose_model(args.model, os.environ, earlier or str(registry.settings.get("model") or ""))
    cwd = registry.environment.cwd

    @asynccontextmanager
    async def open_session(_: Opening | None, front: FrontEnd) -> AsyncGenerator[AgentSession]:
        await asyncio.to_thread(import_module, "xcsh.session.creating")  # heavy: the user is typing meanwhile
        from xcsh.agent.consent.capability import Consent
        from xcsh.agent.consent.settings import keep_in_settings, permissions_of
        from xcsh.cli.kept_session import discard, keep
        from xcsh.llm.choose import ModelChoice
        from xcsh.llm.opening import open_model
        from xcsh.session.creating import create_agent_session

        permissions = permissions_of(registry, allow, asks=True, report=say_finding)
        async with open_model(choice, cwd) as model:
            kept = keep(args, past, cwd, choice.name)
            try:
                session = await create_agent_session(
                    model,
                    cwd,
                    home=registry.environment.home,
                    reference=args.reference,
                    consent=lambda found: Consent(permissions, front.ask, keep=keep_in_settings(found)),
                    kept=kept,
                    open_model=None if args.model else lambda name: open_model(ModelChoice(name, "a command"), cwd),
                )
            except BaseException:
                discard(kept)
                raise
            async with session:
                yield session

    home = registry.environment.home
    folder = f"~{cwd[len(home) :]}" if cwd.startswith(home + os.sep) else cwd
    app = ChatApp(open_session, title=f"xcsh ─ {folder} ─ {choice.name}", first=args.text or "")
    app.run()
    if app.failure is not None:
        raise app.failure
    return 0
