"""Opens the sessions of a call of the program: the one that it was called for, and those that follow it (S-22)."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from xcsh.cli.beside import beside
from xcsh.cli.output import discover_for
from xcsh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from pydantic_ai.models import Model

    from xcsh.agent.consent.permissions import Permissions
    from xcsh.agent.consent.request import Answer, ConsentRequest
    from xcsh.api import Registry
    from xcsh.cli.kept_session import Past
    from xcsh.cli.left_session import Before
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.agent_session import AgentSession
    from xcsh.session.events import SessionEvent
    from xcsh.session.keeping import Kept
    from xcsh.sources.mcp.entries import McpServer
    from xcsh.tui.opening import Opening


_HERE = (
    "or go on here with another: /model NAME; variables and flags count from the next start\n"
    "what needs no model works meanwhile: /extensions, /rules, /doctor, /help"
)


class Asked(Protocol):
    """Whoever shows a session: is asked about consent, and told what was found before it is there."""

    async def ask(self, request: ConsentRequest) -> Answer:
        """The user's answer."""
        ...

    def tell(self, event: SessionEvent) -> None:
        """Shows what happened. Returns at once."""
        ...


class Found(NamedTuple):
    """What is known before a session opens: what it goes on with, the rules of its folder, and its model.

    `before`: the session that was left and now goes on. `missing`: why there is no model, whose choice is empty then.
    """

    past: Past | None
    registry: Registry
    choice: ModelChoice
    allow: frozenset[str]
    before: Before | None = None
    missing: UsageError | None = None


class OpeningSessions:
    """Opens one session after the other, as the arguments of the call say; `open` is a conversation's `OpenSession`."""

    def __init__(
        self,
        args: argparse.Namespace,
        mcp_servers: Sequence[McpServer] = (),
        *,
        needs_model: bool = True,
        without_model: str = _HERE,
    ) -> None:
        """Looks for nothing yet: the screen is painted first. `mcp_servers`: beside those of the files.

        Without `needs_model` a session opens also where its model cannot be opened: `session.model.problem` says why,
        and behind it `without_model`: what can be done there.
        """
        self._args = args
        self._needs_model = needs_model
        self._without_model = without_model
        self._mcp_servers = mcp_servers
        self._found: Found | None = None
        self._before: Before | None = None

    def find(self, opening: Opening | None = None) -> Found:
        """Looks for everything that a session needs, by default the first. Reads files, and may open a socket.

        UsageError: no model, a bad `--allow`, no such session. NotAFolderError: its folder is none.
        """
        from xcsh.agent.consent.settings import grants
        from xcsh.cli.kept_session import folder_of, past_of

        args = self._args
        allow = grants(args.allow)
        if opening is not None and self._before is not None:
            return self._find_following(opening, self._before, allow)
        past = past_of(args)
        registry = discover_for(args, folder_of(args, past), remember=True)
        choice, missing = self._choice(args.model, past, registry)
        return Found(past, registry, choice, allow, missing=missing)

    def _prepare(self, opening: Opening | None) -> Found:
        """As `find`, and loads what a session needs."""
        from importlib import import_module

        found = self.find(opening)
        import_module("xcsh.session.creating")
        from xcsh.llm.opening import load_packages

        load_packages(found.choice)
        return found

    def _find_following(self, opening: Opening, before: Before, allow: frozenset[str]) -> Found:
        """The same session again keeps its model, and a new one has it too; another has its own."""
        from xcsh.cli.kept_session import past_named

        same = opening.resume == before.id
        past = past_named(self._args, opening.resume) if opening.resume and (before.kept or not same) else None
        cwd = opening.cwd or (past.stored.cwd if past is not None else "") or before.cwd
        if not os.path.isdir(cwd):
            raise UsageError(f"there is no folder {cwd}", "go on with the session in another: xcsh --resume ID -C DIR")
        registry = discover_for(self._args, cwd, remember=True)
        goes_on = before if same else None
        if (past is None or same) and before.choice.name:
            return Found(past, registry, before.choice, allow, goes_on)
        was_chosen = past is not None and past.stored.state.get("model_was_chosen")
        choice, missing = self._choice(None if was_chosen else self._args.model, past, registry)
        return Found(past, registry, choice, allow, goes_on, missing)

    def _choice(self, flag: str | None, past: Past | None, registry: Registry) -> tuple[ModelChoice, UsageError | None]:
        """The model, or an empty name and why there is none. UsageError where there has to be one."""
        from xcsh.cli.kept_session import choice_for
        from xcsh.llm.choose import ModelChoice

        try:
            return choice_for(flag, past, registry), None
        except UsageError as problem:
            if self._needs_model:
                raise
            return ModelChoice("", ""), problem

    @property
    def title(self) -> str:
        """What the session is: its folder and, once that is known, its model."""
        args, found = self._args, self._found
        cwd = found.registry.environment.cwd if found is not None else args.cwd
        folder = f"~{cwd[len(args.home) :]}" if cwd.startswith(args.home + os.sep) else cwd
        return f"xcsh ─ {folder}" + (f" ─ {found.choice.name}" if found is not None and found.choice.name else "")

    @asynccontextmanager
    async def open(self, opening: Opening | None, front: Asked) -> AsyncGenerator[AgentSession]:
        """A session, which asks `front` about consent."""
        found = await beside(lambda: self._prepare(opening))  # the user is typing meanwhile, or leaves
        if not gc.get_freeze_count():  # and not again: garbage of a session that was left would stay too
            gc.freeze()  # what is there now stays: collecting it again and again would hold up the keys
        gc.enable()
        from xcsh.agent.consent.settings import permissions_of
        from xcsh.cli.kept_session import keep
        from xcsh.cli.left_session import left
        from xcsh.session.events import DiagnosticsFound

        past, registry, choice, allow, before, _ = self._found = found
        cwd = registry.environment.cwd
        findings = list(past.stored.problems if past is not None and before is None else ())
        permissions = permissions_of(registry, allow, asks=True, report=findings.append)
        if before is not None and before.cwd == cwd:
            permissions.go_on_from(before.permissions)
        if findings:
            front.tell(DiagnosticsFound(tuple(findings)))
        async with self._model(found) as model:
            kept = keep(self._args, past, cwd, choice.name)
            session = await self._create(found, model, kept, permissions, front)
            try:
                async with session:
                    saying = asyncio.create_task(self._say_what_is_above(registry, front))
                    try:
                        yield session
                    finally:
                        saying.cancel()
                        await asyncio.wait({saying})
            finally:
                self._before = left(session, cwd, choice, permissions, kept)

    async def _say_what_is_above(self, registry: Registry, front: Asked) -> None:
        """Of the first session, and of one in another folder. Reads files, while the user may type."""
        from xcsh.cli.folders_above import rules_above
        from xcsh.session.audience import log_failure
        from xcsh.session.events import Notice

        if self._before is not None and self._before.cwd == registry.environment.cwd:
            return
        try:
            if said := await asyncio.to_thread(rules_above, self._args, registry):
                front.tell(Notice(said))
        except Exception as error:  # noqa: BLE001 - it is a remark: the conversation goes on without it
            log_failure("looking for rules above the folder", error)

    @asynccontextmanager
    async def _model(self, found: Found) -> AsyncGenerator[Model]:
        """The model that was chosen, or what stands in for one that cannot be opened."""
        from xcsh.llm.absent import AbsentModel
        from xcsh.llm.opening import open_model

        async with AsyncExitStack() as stack:
            try:
                if found.missing is not None:
                    raise found.missing
                model = await stack.enter_async_context(open_model(found.choice, found.registry.environment.cwd))
            except UsageError as problem:
                if self._needs_model:
                    raise
                model = AbsentModel(UsageError(str(problem), f"{problem.hint}\n{self._without_model}".lstrip()))
            yield model

    async def _create(
        self, found: Found, model: Model, kept: Kept | None, permissions: Permissions, front: Asked
    ) -> AgentSession:
        from xcsh.agent.consent.capability import Consent
        from xcsh.agent.consent.settings import keep_in_settings
        from xcsh.cli.kept_session import discard, unbound
        from xcsh.session.creating import create_agent_session

        cwd = found.registry.environment.cwd
        earlier = found.before if kept is None or kept.stored is None else None
        try:
            session = await create_agent_session(
                model,
                cwd,
                registry=found.registry,
                consent=lambda registry: Consent(permissions, front.ask, keep=keep_in_settings(registry)),
                kept=kept,
                history=unbound(earlier.messages) if earlier is not None else (),
                open_model=lambda name: _opened(name, cwd),
                command_models=not self._args.model,  # a flag is explicit: it goes before what a file says
                model_name=found.choice.name,
                mcp_servers=self._mcp_servers,
            )
        except BaseException:
            discard(kept)
            raise
        if earlier is not None:
            session.restore(earlier.steering, earlier.follow_ups, {})
        if self._before is not None and found.past is None and self._before.thinking:
            session.model.think(self._before.thinking)
        return session


@asynccontextmanager
async def _opened(name: str, cwd: str) -> AsyncGenerator[Model]:
    """A model that was named; what it needs is loaded in a thread."""
    from xcsh.llm.choose import ModelChoice
    from xcsh.llm.opening import load_packages, open_model

    choice = ModelChoice(name, "by its name")
    await asyncio.to_thread(load_packages, choice)
    async with open_model(choice, cwd) as model:
        yield model
