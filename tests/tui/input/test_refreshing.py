"""Commands that change while a person types: they are offered and expanded at once, and nothing typed is lost."""

from __future__ import annotations

from tests.llm.wire_models import bodies, until
from tests.session.sessions import says
from tests.support import Project
from tests.tui.chatting import chat
from tests.tui.input.test_prompt_input import keys, offered

from xcsh.tui.input.popup import Popup

FIRST = {".xcsh/commands/review.md": "Review $1."}


async def test_a_new_command_is_offered_while_the_popup_is_open_and_what_was_typed_stays(project: Project) -> None:
    # C-32, C-31
    async with chat(project, says("ok"), tree=FIRST) as (app, pilot, server):
        await keys(pilot, "/re")
        assert "/remind" not in offered(app)
        project.write({".xcsh/commands/remind.md": "Remind me of $1."})
        await until(lambda: "/remind" in offered(app))
        assert app.prompt.text == "/re"
        assert app.query_one(Popup).is_open
        app.prompt.put("/remind tea")
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 1)
        assert bodies(server)[0]["messages"][-1]["content"] == "Remind me of tea."


async def test_a_broken_save_keeps_the_last_good_version_in_use(project: Project) -> None:
    # C-32
    async with chat(project, says("ok"), tree=FIRST) as (app, pilot, server):
        session = app.conversation.session
        assert session is not None
        project.write({".xcsh/commands/review.md": ""})
        await until(lambda: any(item.code == "kept-last-good" for item in session.context.registry.diagnostics))
        await keys(pilot, "/revie")
        assert offered(app) == ["/review"]
        app.prompt.put("/review a")
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 1)
        assert bodies(server)[0]["messages"][-1]["content"] == "Review a."


async def test_nothing_is_watched_where_the_setting_says_so(project: Project) -> None:
    # C-32
    off = {"~/.xcsh/agent/settings.toml": "[discovery]\nwatch = false", **FIRST}
    async with chat(project, tree=off) as (app, _, __):
        assert app.conversation._watching is not None
        await until(app.conversation._watching.done)
