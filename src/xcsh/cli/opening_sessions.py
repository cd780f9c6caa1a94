"""Opens the sessions of a call of the program: the one that it was called for, and those that follow it (S-22)."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from xcsh.cli.output import discover_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from xcsh.api import Registry
    from xcsh.cli.kept_session import Past
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.agent_session import AgentSession
    from xcsh.tui.conversation import Opening
    from xcsh.tui.front_end import FrontEnd


class Found(NamedTuple):
    """What is known before a session opens: what it goes on with, the rules of its folder, and its model."""

    past: Past | None
    registry: Registry
    choice: ModelChoice
    allow: frozenset[str]


class OpeningSessions:
    """Opens one session after the other, as the arguments of the call say; `open` is a conversation's `OpenSession`."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Looks for nothing yet: the screen is painted first."""
        self._args = args
        self._found: Found | None = None

    def find(self) -> Found:
        """Looks for everything that the first session needs. Reads files, and may open a socket.

        UsageError: no model, a bad `--allow`, no such session.
        """
        from xcsh.agent.consent.settings import grants
        from xcsh.cli.kept_session import folder_of, past_of
        from xcsh.llm.choose import choose_model

        args = self._args
        allow = grants(args.allow)
        past = past_of(args)
        registry = discover_for(args, folder_of(args, past))
        earlier = past.stored.model if past is not None else ""
        choice = choose_model(args.model, os.environ, earlier or str(registry.settings.get("model") or ""))
        return Found(past, registry, choice, allow)

    @property
    def title(self) -> str:
        """What the session is: its folder and, once that is known, its model."""
        args, found = self._args, self._found
        cwd = found.registry.environment.cwd if found is not None else args.cwd
        folder = f"~{cwd[len(args.home) :]}" if cwd.startswith(args.home + os.sep) else cwd
        return f"xcsh ─ {folder}" + (f" ─ {found.choice.name}" if found is not None else "")

    @asynccontextmanager
    async def open(self, _: Opening | None, front: FrontEnd) -> AsyncGenerator[AgentSession]:
        """A session, which asks `front` about consent."""
        gc.freeze()  # what is there now stays: collecting it again and again would hold up the keys
        gc.enable()
        self._found = await asyncio.to_thread(self.find)  # the user is typing meanwhile
        await asyncio.to_thread(import_module, "xcsh.session.creating")  # heavy, as above
        from xcsh.agent.consent.capability import Consent
        from xcsh.agent.consent.settings import keep_in_settings, permissions_of
        from xcsh.cli.kept_session import discard, keep
        from xcsh.llm.choose import ModelChoice
        from xcsh.llm.opening import open_model
        from xcsh.session.creating import create_agent_session
        from xcsh.session.events import DiagnosticsFound

        args = self._args
        past, registry, choice, allow = self._found
        cwd = registry.environment.cwd
        findings = list(past.stored.problems if past is not None else ())
        permissions = permissions_of(registry, allow, asks=True, report=findings.append)
        if findings:
            front.tell(DiagnosticsFound(tuple(findings)))
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
