"""Which session a turn goes on with, and where it is written down."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from xcsh.cli.output import say_finding
from xcsh.cli.turn_printer import one_line, shortened
from xcsh.errors import UsageError
from xcsh.surfaces.layout import plural

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage

    from xcsh.api import Registry
    from xcsh.llm.choose import ModelChoice
    from xcsh.session.keeping import Kept
    from xcsh.session.store import StoredSession

_SHOWN = 5


class Past(NamedTuple):
    """A session to go on with, as it was found."""

    path: str
    stored: StoredSession
    prompt: str

    @property
    def line(self) -> str:
        """Which one it is, for people."""
        begun = f", begun with: {shortened(self.prompt)}" if self.prompt else ""
        turns = plural(self.stored.turns, "turn")
        return f"going on with {self.stored.id} in {one_line(self.stored.cwd)} ({turns}{begun})"


def past_of(args: argparse.Namespace) -> Past | None:
    """The session that `--continue` or `--resume` means; None for a new one. UsageError where there is none."""
    if not args.go_on and args.resume is None:
        return None
    from xcsh.session.store.folder import LATEST

    return past_named(args, LATEST if args.go_on else args.resume)


def past_named(args: argparse.Namespace, wanted: str) -> Past:
    """The session of this id, or of the only one that begins so. UsageError where there is none."""
    from xcsh.session.store import read_session, resolve_session, sessions_folder
    from xcsh.session.store.listing import summarize

    path = resolve_session(sessions_folder(os.environ, args.home), wanted, cwd=args.cwd)
    return Past(path, read_session(path), summarize(path).prompt)


def choice_for(flag: str | None, past: Past | None, registry: Registry) -> ModelChoice:
    """The model of a session: one that was chosen in it goes before all but a flag. UsageError: there is none."""
    from xcsh.llm.choose import ModelChoice, choose_model

    earlier = past.stored.model if past is not None else ""
    if earlier and not flag and past is not None and past.stored.state.get("model_was_chosen"):
        return ModelChoice(earlier, "as it was chosen in the session")
    return choose_model(flag, os.environ, earlier or str(registry.settings.get("model") or ""))


def folder_of(args: argparse.Namespace, past: Past | None) -> str:
    """Where the turn works: in the folder of its session, unless `-C` names another.

    UsageError where that is gone.
    """
    if past is None or not past.stored.cwd or args.folder is not None:
        return args.cwd
    if not os.path.isdir(past.stored.cwd):
        what = f"the folder of the session {past.stored.id} is gone: {past.stored.cwd}"
        raise UsageError(what, f"go on with it in another: xcsh -p --resume {past.stored.id} -C DIR")
    return past.stored.cwd


def tell_damage(past: Past) -> None:
    """What of the session's file could not be read, on standard error."""
    problems = past.stored.problems
    for problem in problems[:_SHOWN]:
        say_finding(problem)
    if more := problems[_SHOWN:]:
        say_finding(more[0]._replace(message=f"and {plural(len(more), 'more finding')}", position=None))


def keep(args: argparse.Namespace, past: Past | None, cwd: str, model: str) -> Kept | None:
    """The session's file, locked; None with `--no-session`. SessionBusyError where another process has it."""
    if past is None and args.no_session:
        return None
    from xcsh.session.keeping import keep_session, resume_session
    from xcsh.session.store import sessions_folder

    if past is None:
        return keep_session(sessions_folder(os.environ, args.home), cwd, model)
    kept = resume_session(past.path)
    if model != past.stored.model or cwd != past.stored.cwd:
        other = {} if model == past.stored.model else {"model_was_chosen": False}
        kept.file.state(model=model, cwd=cwd, **other)
    return kept if cwd == past.stored.cwd else _moved(kept)


def _moved(kept: Kept) -> Kept:
    """The session in another folder."""
    if kept.stored is None:
        return kept
    return kept._replace(stored=kept.stored._replace(messages=unbound(kept.stored.messages)))


def unbound(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The history for any folder: the framework would insist on the one that the answers were given in."""
    from dataclasses import replace

    return [replace(message, workspace_ref=None) if message.kind == "response" else message for message in messages]


def discard(kept: Kept | None) -> None:
    """Lets go of a session in which no turn was begun; a new one leaves no file behind."""
    if kept is None:
        return
    kept.file.close()
    if kept.stored is None:
        from xcsh.session.store.deleting import delete_session

        delete_session(kept.file.path)
