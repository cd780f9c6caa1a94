"""Prompts of MCP servers as commands `/server:prompt` (C-40): their arguments, their text, and what is said without."""

from __future__ import annotations

import pytest
from tests.llm.wire_models import bodies
from tests.session.mcp.mcp_projects import USER_FILE, WHOLE, Pids, findings, named, pids, program, sdk_program, talking
from tests.session.sessions import says
from tests.support import Project

from xcsh.errors import UsageError
from xcsh.session.events import CommandHandled
from xcsh.session.mcp.prompts import Argument, Prompt, values_of

__all__ = ["pids"]

TWO = Prompt("s:p", "p", "", (Argument("a", required=True), Argument("b", required=False)))
ONE = Prompt("s:p", "p", "", (Argument("a", required=True),))
NONE = Prompt("s:p", "p", "", ())


# C-40: positional, the last one takes the rest
@pytest.mark.parametrize(
    ("prompt", "raw", "values"),
    [
        (TWO, "x", {"a": "x"}),
        (TWO, "x y  z", {"a": "x", "b": "y  z"}),
        (TWO, "'x y' z", {"a": "x y", "b": "z"}),
        (TWO, 'x "y z"', {"a": "x", "b": "y z"}),
        (TWO, 'x "y" and "z"', {"a": "x", "b": '"y" and "z"'}),
        (TWO, "x line\nline", {"a": "x", "b": "line\nline"}),
        (TWO, "'x y", {"a": "'x", "b": "y"}),
        (TWO, "'don't x' l'été d'y", {"a": "don't x", "b": "l'été d'y"}),
        (TWO, "x 'don't'", {"a": "x", "b": "don't"}),
        (ONE, "x 'y' z", {"a": "x 'y' z"}),
        (NONE, " ", {}),
    ],
)
def test_what_is_typed_fills_the_declared_arguments_in_their_order(
    prompt: Prompt, raw: str, values: dict[str, str]
) -> None:
    assert values_of(prompt, raw) == values


@pytest.mark.parametrize(
    ("prompt", "raw", "said", "hint"),
    [
        (TWO, "", "/s:p needs a", "type: /s:p <a> [b]"),
        (NONE, "x", "/s:p takes no arguments", "type: /s:p"),
    ],
)
def test_missing_and_superfluous_arguments_are_a_sentence(prompt: Prompt, raw: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        values_of(prompt, raw)
    assert (str(caught.value), caught.value.hint) == (said, hint)


# C-40, S-1
async def test_a_prompt_becomes_the_text_that_is_sent(project: Project, pids: Pids) -> None:
    project.write({
        USER_FILE: named(fake=sdk_program(pids)),
        ".xcsh/commands/fake:file.md": "of the file $1",
    })  # fmt: skip
    texts = ("/fake:greet Ann 'very well'", "/fake:plain", "/fake:../x", "/fake:mixed", "/fake:file x", "/other:plain")
    async with talking(project, *(says("ok") for _ in texts)) as talk:
        for text in texts:
            assert (await talk.session.prompt(text)).outcome == "completed"
        assert [talk.sent(number)[-1] for number in range(len(texts))] == [
            "greet how=very well name=Ann",
            "plain",
            "../x",
            "mixed\n\nassistant: yes\n\n[left out: image/png of 4 bytes]",
            "of the file x",  # a file goes before a server
            "/other:plain",  # C-26: of no server
        ]
        servers = talk.session.context.servers
        assert servers is not None
        (greet, *_) = servers.prompts
        assert (greet.name, greet.hint, greet.description) == (
            "fake:greet",
            "<name> [how]",
            "[2J ]0;title Search the web",
        )
        assert len(pids.started) == 1


# C-40, S-5: an error is a sentence, and nothing is sent
async def test_what_cannot_be_had_from_a_server_is_said_and_nothing_is_sent(project: Project, pids: Pids) -> None:
    project.write(
        {
            USER_FILE: named(fake=program(pids), gone={"command": "/no/such/program"}),
            ".mcp.json": named(strange=program(pids)),
        }
    )
    async with talking(project, allow=WHOLE) as talk:
        for text in ("/fake:greet", "/fake:nothing", "/fake:fails", "/fake:plain x", "/gone:x", "/strange:x"):
            assert (await talk.session.prompt(text)).outcome == "handled"
        assert len(talk.of(CommandHandled)) == 6
        assert bodies(talk.server) == []
        said = [message for code, message in findings(talk) if code == "command-failed"]
        assert said[0] == "/fake:greet needs name"
        assert said[1] == "the MCP server fake has no prompt 'nothing'"
        assert said[2].startswith("the MCP server fake gives no prompt: ")
        assert said[3] == "/fake:plain takes no arguments"
        assert said[4].startswith("the MCP server gone is not there: ")
        assert said[5] == "the MCP server strange is not there: it was not started"
        hints = [item.hint for event in talk.events if hasattr(event, "diagnostics") for item in event.diagnostics]
        assert any(hint.startswith("it has: /fake:greet, /fake:plain, /fake:../x") for hint in hints)
        assert len(pids.started) == 1
