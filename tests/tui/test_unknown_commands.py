"""What is asked about a text that calls a command which there is not."""

from __future__ import annotations

from tests.support import Project

from xcsh.extensions.custom import CustomCommands
from xcsh.extensions.loading import Extensions
from xcsh.session.prompt_pipeline import PromptContext
from xcsh.tui.unknown_commands import question_about


# C-26, and nothing is dropped silently
def test_the_question_names_a_file_that_would_be_the_command(project: Project) -> None:
    project.write({".gemini/commands/plan.toml": "prompt = x"})
    context = PromptContext(project.discover(), Extensions(), CustomCommands(), print)
    question = question_about("plan", context)
    assert question.startswith("There is no command /plan; .gemini/commands/plan.toml:1:10 is skipped: no TOML: ")
    assert question.endswith(". What is to be done?")
    assert question_about("plain", context) == "There is no command /plain. What is to be done?"
