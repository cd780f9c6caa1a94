"""Puts into a command's text what it includes: shown before, run only with consent, bounded, and told (C-42)."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence

from pydantic_ai.workspaces import Workspace
from pydantic_ai.workspaces.protocol import (
    CommandResult,
    WorkspaceError,
    WorkspaceOutputLimitError,
    WorkspaceTimeoutError,
)

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.patterns import INCLUDE, SHELL, Request
from xcsh.agent.consent.permissions import ALLOW, why_asked
from xcsh.agent.consent.request import ConsentRequest
from xcsh.errors import UsageError
from xcsh.model.command import SlashCommand
from xcsh.model.source import Environment, Level
from xcsh.parsing.enclosing import attribute, closing_of, enclosed
from xcsh.parsing.tokens import estimate_tokens
from xcsh.session.command_turn import grants_of, may_grant
from xcsh.session.included_files import IncludedFile, read_included
from xcsh.slash.expansion import Expansion
from xcsh.slash.includes import FILE, Include, included, put_in
from xcsh.slash.includes import SHELL as COMMAND_LINE
from xcsh.slash.variables import variables_of
from xcsh.sources.trust.accepted_texts import INCLUDES, digest_of, is_accepted

SECONDS = 60.0
"""How long one included command may run."""

OUTPUT_LIMIT = 60_000
"""Characters that are kept of what one included command says."""

_DIGITS = 16
_TAG = "file"
_CLOSING = closing_of(_TAG)
_TRUST = "look at what it includes, and trust it: xcsh trust, or /trust in the terminal"


class Including:
    """What a session does for the includes of its commands. `tell` gets a line for everything that is read or run."""

    def __init__(
        self,
        consent: Consent,
        workspace: Callable[[], Workspace],
        environment: Environment,
        tell: Callable[[str], None],
    ) -> None:
        self._consent = consent
        self._workspace = workspace
        self._environment = environment
        self._tell = tell

    async def fill(self, expansion: Expansion) -> str:
        """The text with everything in it that it includes. Reads files, and runs commands.

        UsageError: it may not run, or a command could not be run; nothing should be sent then. Cancelling it ends the
        command that runs.
        """
        command = expansion.command
        wanted = [expansion.includes[number] for number in included(expansion.marked)]
        if command is None or not wanted:
            return expansion.text
        trusted = await asyncio.to_thread(may_include, command, self._environment)
        lines = [each for each in wanted if each.kind == COMMAND_LINE]
        if lines:
            if not trusted:
                raise UsageError(f"/{command.name} runs commands, and its text has not been trusted", _TRUST)
            await self._ask(command, lines, _code_in(expansion))
        files = await self._files(command, [each for each in wanted if each.kind == FILE], trusted=trusted)
        outputs = {each: await self._run(command, each) for each in dict.fromkeys(lines)}

        def text_of(number: int) -> str:
            each = expansion.includes[number]
            if each.kind == COMMAND_LINE:
                return outputs[each]
            file = files.get(each.text)
            return file.text if file is not None and each.in_place else each.literal

        attached = [
            files[each.text] for each in wanted if each.kind == FILE and not each.in_place and each.text in files
        ]
        return put_in(expansion.marked, text_of) + "".join(map(_attached, dict.fromkeys(attached)))

    async def _ask(self, command: SlashCommand, lines: Sequence[Include], code: str) -> None:
        """Raises UsageError unless each line may run: by a pattern for it, or by consent to this text.

        `code`: who gets arguments as code, in words; consent then is to this call.
        """
        permissions = self._consent.permissions
        granted = grants_of(command).patterns if may_grant(command, permissions) else ()
        with permissions.lend(granted, f"/{command.name}"):
            decisions = [permissions.decide(Request(SHELL, each.text)) for each in lines]
        for each, decision in zip(lines, decisions, strict=True):
            if decision.denied:
                raise UsageError(f"/{command.name} runs `{each.text}`, but {decision.reason}", "change that setting")
        request = consent_to_includes(command)
        if (whole := permissions.decide(request)).denied:
            raise UsageError(f"/{command.name} may include nothing: {whole.reason}", "change that setting")
        if all(decision.verdict == ALLOW for decision in decisions):
            return
        refusal = await self._consent.settle(request, _question(command, lines, request, code, self._environment))
        if refusal:
            _, _, how = refusal.rpartition(". ")
            hint = (
                f"t{how[1:]}" if how.startswith("To allow") else "look at what it includes, or send the text yourself"
            )
            raise UsageError(f"/{command.name} is not sent, since what it includes may not run", hint)

    async def _files(
        self, command: SlashCommand, wanted: Sequence[Include], *, trusted: bool
    ) -> dict[str, IncludedFile]:
        """The files that are included, by their paths as written; what is not is told, where it was plainly meant."""
        found = await asyncio.to_thread(read_included, [each.text for each in wanted], self._environment)
        kept: dict[str, IncludedFile] = {}
        for file in found:
            if not file.exists:
                if _reads_like_a_path(file.path):
                    self._tell(f"/{command.name}: there is no {file.path}; it is left as text")
            elif not trusted:
                self._tell(f"/{command.name}: {file.path} is not included, since the text is not trusted: xcsh trust")
            elif file.problem:
                self._tell(f"/{command.name}: {file.path} is not included: {file.problem}")
            else:
                self._tell(f"/{command.name} includes {file.path}, about {file.tokens:,} tokens")
                kept[file.path] = file
        return kept

    async def _run(self, command: SlashCommand, include: Include) -> str:
        """The output of a line. What the shell gets is the line as it was shown; the values are in its environment."""
        variables = {**variables_of(command, self._environment.cwd), **dict(include.values)}
        try:
            result = await self._workspace().run(["sh", "-c", include.text], env=variables, timeout=SECONDS)
        except WorkspaceTimeoutError as error:
            message = f"`{include.text}` of /{command.name} did not end within {SECONDS:g} seconds, and was stopped"
            raise UsageError(message, "nothing was sent; let it do less") from error
        except WorkspaceOutputLimitError as error:
            result = CommandResult(exit_code=0, stdout=error.stdout, stderr=error.stderr)
        except (WorkspaceError, OSError, ValueError) as error:
            raise UsageError(
                f"`{include.text}` of /{command.name} cannot be run: {error}", "nothing was sent"
            ) from error
        text = _output(result)
        what = f"exit code {result.exit_code}, about {estimate_tokens(text):,} tokens"
        self._tell(f"/{command.name} ran `{include.text}`: {what}")
        return text


def may_include(command: SlashCommand, environment: Environment) -> bool:
    """Whether a command's includes count at all: the user's own do, a project's where its text was accepted."""
    if command.origin.level != Level.PROJECT:
        return True
    return is_accepted(environment, command.path, command.text, INCLUDES)


def consent_to_includes(command: SlashCommand) -> Request:
    """What the user consents to: that this text of the command runs what it includes."""
    return Request(INCLUDE, f"{command.name} {digest_of(command.text, INCLUDES)[:_DIGITS]}")


def _code_in(expansion: Expansion) -> str:
    """Who gets an argument as code from any include of the text, also from one that a condition has left out now."""
    return next((each.code_for for each in expansion.includes if each.code_for), "")


def _question(
    command: SlashCommand, lines: Sequence[Include], request: Request, code: str, environment: Environment
) -> ConsentRequest:
    values = dict(pair for each in lines for pair in each.values)
    given = tuple(f"{name} is the argument {shlex.quote(value)}" for name, value in values.items())
    decides = (f"an argument goes to {code}: who words the next call decides what runs then",) if code else ()
    return ConsentRequest(
        INCLUDE,
        why_asked(request),
        command="\n".join(each.text for each in lines),
        origin=command.path,
        notes=(*given, *decides, f"it runs in {environment.cwd}, before anything is sent"),
        patterns=(f"{INCLUDE}({request.argument})",),
        once=bool(code),
    )


def _attached(file: IncludedFile) -> str:
    end = "" if file.text.endswith("\n") else "\n"
    return f'\n\n<{_TAG} path="{attribute(file.path)}">\n{enclosed(file.text, _CLOSING)}{end}</{_TAG}>'


def _output(result: CommandResult) -> str:
    text = result.stdout.rstrip("\n")
    if errors := result.stderr.rstrip("\n"):
        text = f"{text}\n{errors}" if text else errors
    if len(text) > OUTPUT_LIMIT:
        text = f"{text[:OUTPUT_LIMIT]}\n[cut: {len(text) - OUTPUT_LIMIT:,} more characters]"
    return f"{text}\n[exit code {result.exit_code}]" if result.exit_code else text


def _reads_like_a_path(text: str) -> bool:
    """Whether somebody meant a file: it has a folder or an ending. A name after an `@` may be a person's."""
    base = text.rpartition("/")[2]
    return "." in base.strip(".") and not text.startswith("@")
