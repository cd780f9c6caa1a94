"""What the plain mode writes for an event, and what it takes for an answer."""

from __future__ import annotations

import io
from typing import get_type_hints

import pytest

from xcsh.agent.consent.request import Always, ConsentRequest, No, Once, Session
from xcsh.agent.events import MessageCompleted, MessageRetracted, RulesTriggered, TextDelta, ToolCalled
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.session.events import EVENTS, DiagnosticsFound, SessionEvent, Usage
from xcsh.tui.front_end import Choice
from xcsh.tui.plain.questions import ConsentQuestion, ListQuestion
from xcsh.tui.plain.sentences import sentence
from xcsh.tui.plain.spoken import Spoken

HOSTILE = "\x1b[2Jgone\r\u202e"
VALUES: dict[object, object] = {
    str: HOSTILE,
    int | None: 3,
    float | None: 2.0,
    int: 3,
    float: 2.0,
    bool: True,
    tuple[str, ...]: (HOSTILE,),
    dict[str, object]: {"path": HOSTILE},
    Usage: Usage(),
    tuple[Diagnostic, ...]: (Diagnostic(Severity.ERROR, "code", HOSTILE, HOSTILE),),
}


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_an_event_of_any_kind_is_written_without_what_drives_a_terminal(kind: type[SessionEvent]) -> None:
    # S-14
    event = kind(*(VALUES[hint] for hint in get_type_hints(kind).values()))
    out = io.StringIO()
    Spoken(out)(event)
    assert all(line.isprintable() for line in out.getvalue().split("\n"))
    assert sentence(event).isprintable() or "\n" in sentence(event)


def test_an_error_is_written_with_what_to_do() -> None:
    # U-5
    wrong = Diagnostic("c", "error", "It is wrong.", "/w/a.md", hint="mend it")
    assert sentence(DiagnosticsFound((wrong,))) == "error: It is wrong. (/w/a.md)\nWhat to do: mend it"
    assert sentence(DiagnosticsFound((wrong._replace(severity="warning"),))) == "warning: It is wrong. (/w/a.md)"


def test_an_answer_is_written_by_whole_words_as_it_comes() -> None:
    out = io.StringIO()
    spoken = Spoken(out)
    text = "one two three " * 10
    for at in range(0, len(text), 5):
        spoken(TextDelta(text[at : at + 5]))
        assert out.getvalue() == "" or out.getvalue().endswith(" ")
    assert len(out.getvalue()) > 60
    spoken(ToolCalled("read_file", {"path": "a"}, "1"))
    spoken(MessageCompleted(text))
    assert out.getvalue().startswith(f"Model: {text}\nThe model uses read_file a.\n")
    assert spoken.last_answer == text


def test_a_message_that_is_taken_back_is_said_to_be_once() -> None:
    # S-24
    out = io.StringIO()
    spoken = Spoken(out)
    for event in (TextDelta("so far\n"), MessageRetracted(), TextDelta("again"), MessageCompleted("again")):
        spoken(event)
    assert out.getvalue().split("\n")[1] == "What is written above is taken back; the model begins again."
    out.truncate(0)
    for event in (TextDelta("so far\n"), MessageRetracted(), RulesTriggered(("r",), ("p",), False, 3)):
        spoken(event)
    assert out.getvalue().count("taken back") == 1


def test_the_answers_to_a_question_about_consent() -> None:
    # S-12
    question = ConsentQuestion(ConsentRequest("shell", "it is a command", "git push", patterns=("shell(git push:*)",)))
    assert "    git push\n" in question.text
    assert question.answer("1") == Once()
    assert question.answer("yes") == Once()
    assert question.answer("2") == Session("shell(git push:*)")
    assert question.answer("3") == Always("shell(git push:*)")
    assert question.answer("4 not today") == No("not today")
    assert question.answer("n") == No()
    for typed in ("", "5", "0", "yes but not all of it", "1 2", "²"):
        assert question.answer(typed) is None
    assert ConsentQuestion(ConsentRequest("fetch", "it is foreign")).answer("2") == Session()
    once = ConsentQuestion(ConsentRequest("include", "it runs", "sh", patterns=("include(a 0)",), once=True))
    assert [once.answer(typed) for typed in ("1", "2 no", "3")] == [Once(), No("no"), None]


def test_a_list_is_chosen_from_by_number_or_by_a_part_of_a_name() -> None:
    choices = [Choice("1", "Alpha", "the first"), Choice("2", "Beta"), Choice("3", "Alphabet")]
    question = ListQuestion("Which one", choices)
    assert "1. Alpha: the first\n2. Beta\n3. Alphabet" in question.text
    assert question.answer("2") == (True, "2")
    assert question.answer("beta") == (True, "2")
    assert question.answer("alpha") == (False, None)
    assert "2. Alphabet" in question.text
    assert question.answer("2") == (True, "3")
    assert question.answer("nothing like it") == (False, None)
    assert "3. Alphabet" in question.text
    assert question.answer("") == (True, None)
