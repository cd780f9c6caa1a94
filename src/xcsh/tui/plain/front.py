"""The front end of the plain mode: what is shown is written, what is asked is a numbered list."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from xcsh.agent.consent.request import Answer, ConsentRequest, No
from xcsh.session.events import SessionEvent, TurnAborted, TurnCompleted, TurnFailed, TurnStarted
from xcsh.surfaces.layout import Style, plural
from xcsh.tui.front_end import Choice
from xcsh.tui.plain.input_lines import InputLines
from xcsh.tui.plain.questions import ConsentQuestion, ListQuestion
from xcsh.tui.plain.sentences import lines_shown, shown
from xcsh.tui.plain.spoken import Spoken

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


_WORDS = (
    ("Enter", "send; while an answer comes: before the next request"),
    ("/later TEXT", "queue: send it when the turn has ended"),
    ("\\ at the end of a line", "go on in the next line"),
    ("Ctrl+C", "end what runs; where nothing runs, or in a list, leave"),
    ("Ctrl+D", "leave; the session can be resumed"),
)
_EDITING = (("Tab", "complete"), ("Up, Down", "what was typed before"))


class PlainFront:
    """Implements FrontEnd. Lines that are typed while a question is open answer it; `give` brings them."""

    reading_seconds: ClassVar[float] = 0.4
    """In which nobody reads a question and answers it."""

    def __init__(
        self,
        spoken: Spoken,
        lines: InputLines,
        style: Style,
        *,
        environ: Mapping[str, str],
        on_open: Callable[[AgentSession], None],
    ) -> None:
        self.style = style
        self.may_type = asyncio.Event()
        """Set while a question is open, and while a turn streams, which what is typed steers."""
        self._spoken = spoken
        self._lines = lines
        self._environ = environ
        self._session: AgentSession | None = None
        self._on_open = on_open
        self._questions: list[asyncio.Future[str | None]] = []
        self._streams = False
        self._one_question = asyncio.Lock()

    @property
    def help_keys(self) -> Sequence[tuple[str, str]]:
        """Lines in place of keys; some keys where a terminal edits the line."""
        return _WORDS + _EDITING if self._lines.is_terminal else _WORDS

    @property
    def last_answer(self) -> str:
        """The text of the last message of the model."""
        return self._spoken.last_answer

    def opened(self, session: AgentSession) -> None:
        """Says what was said before, where the session goes on."""
        self._session = session
        self._on_open(session)
        if session.messages:
            from xcsh.session.store.transcript import ANSWER, USER, turns_of  # noqa: PLC0415 - for a session that goes on

            turns = turns_of(session.messages)
            self._spoken.say(f"The session goes on after {plural(len(turns), 'turn')}. The last one was:")
            for entry in turns[-1]:
                if entry.kind in (USER, ANSWER):
                    self._spoken.say(f"{'You' if entry.kind == USER else 'Model'}: {lines_shown(entry.text)}")
                elif entry.told is not None:
                    self._spoken.say(f"The model was told: {lines_shown(entry.text)}")

    def tell(self, event: SessionEvent) -> None:
        """Writes what happened."""
        if isinstance(event, TurnStarted):
            self._streams = True
        elif isinstance(event, TurnCompleted | TurnFailed | TurnAborted):
            self._streams = False
        self._spoken(event)
        self._gate()

    async def ask(self, request: ConsentRequest) -> Answer:
        """The answer to a question about consent. The end of the input is a no.

        On a terminal a line that was typed before the question was read answers something else.
        """
        question = ConsentQuestion(request)
        clock = asyncio.get_running_loop().time
        async with self._one_question:
            self._spoken.say(question.text)
            asked = clock()
            while (typed := await self._typed()) is not None:
                if self._lines.is_terminal and clock() - asked < self.reading_seconds:
                    self._spoken.say(f"{shown(typed)!r} was typed before the question. Type a number now.")
                    asked = clock()
                    continue
                if (answer := question.answer(typed)) is not None:
                    return answer
                self._spoken.say(f"{shown(typed)!r} is no answer. Type a number from 1 to {question.count}.")
            return No("the user has left")

    async def say(self, text: str) -> None:
        """Writes a text of the program's own; a listing keeps its colours, where it has some."""
        coloured = self.style.colour and "\x1b[" in text  # a listing of ours, in which the names of others are visible
        self._spoken.say(text if coloured else lines_shown(text))

    async def choose(self, title: str, choices: Sequence[Choice], *, about: str = "") -> str | None:
        """The value of what is chosen by its number, or by a part of its name."""
        question = ListQuestion(title, choices)
        async with self._one_question:
            if about:
                await self.say(about)
            while True:
                self._spoken.say(question.text)
                typed = await self._typed()
                answered, value = (True, None) if typed is None else question.answer(typed)
                if answered:
                    return value

    async def show_extensions(self) -> None:
        """Lists rules and commands; what is typed then switches them, until an empty line."""
        if self._session is None:
            self._spoken.say("The session is not open yet.")
            return
        from xcsh.tui.plain.extensions import HELP, ExtensionsList  # noqa: PLC0415 - few conversations look at them

        extensions = ExtensionsList(self._session, self.style, self.open_file)
        async with self._one_question:
            self._spoken.say(f"{await extensions.listed()}\n{HELP}")
            while typed := (await self._typed() or "").strip():
                self._spoken.say(await extensions.done(typed))

    async def open_file(self, path: str, line: int = 1) -> None:
        """Opens the editor on this terminal; from a pipe there is none to open it on."""
        if not self._lines.is_terminal:
            self._spoken.say(f"The file is: {shown(path)}:{line}")
            return
        from xcsh.tui.editor import open_in_editor  # noqa: PLC0415 - only for whoever edits

        problem = await open_in_editor(None, path, line, environ=self._environ)
        if problem:
            self._spoken.say(f"{shown(path)}:{line}: {shown(problem)}")

    def put(self, text: str) -> None:
        """Puts a text where the user types; where that cannot be, it is written."""
        if not self._lines.put(text):
            self._spoken.say(f"To be typed again, if it is wanted: {lines_shown(text)}")

    def copy(self, text: str) -> None:
        """Asks the terminal to put a text into its clipboard; where none can, the text is written."""
        if self.style.colour:
            self._spoken.say(f"\x1b]52;c;{base64.b64encode(text.encode()).decode('ascii')}\a")
        else:
            self._spoken.say(f"There is no clipboard here; this is the text:\n{lines_shown(text)}")

    def status_changed(self) -> None:
        """Nothing stands anywhere that could change."""

    def end(self) -> None:
        """Whoever runs the conversation sees its end."""

    def give(self, line: str | None) -> bool:
        """Answers the open question with a line, None at the end of the input; False where none is open."""
        if not self._questions:
            return False
        if not self._questions[-1].done():
            self._questions[-1].set_result(line)
        return True

    async def _typed(self) -> str | None:
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._questions.append(answer)
        self._gate()
        try:
            return await answer
        finally:
            self._questions.remove(answer)
            self._gate()

    def _gate(self) -> None:
        if self._questions or (self._streams and self._lines.is_terminal):
            self.may_type.set()
        else:
            self.may_type.clear()
