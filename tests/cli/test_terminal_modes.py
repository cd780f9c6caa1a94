"""Which way a conversation is shown: by flags, settings, and what the terminal can."""

from __future__ import annotations

import pytest
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project

from xcsh.cli.options import parse
from xcsh.cli.terminal import FULL, INLINE, PLAIN, Wanted, wanted
from xcsh.tui.terminal_app import theme_for


@pytest.fixture
def want(project: Project, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("HOME", str(project.home))
    monkeypatch.setenv("TERM", "xterm-256color")
    return lambda *arguments: wanted(parse(["-C", str(project.root), *arguments]))


def test_a_flag_goes_before_the_setting_and_without_either_it_is_the_whole_screen(project: Project, want) -> None:
    # S-20
    assert want() == Wanted(FULL, "auto")
    project.write({USER_SETTINGS: 'terminal.mode = "inline"\nterminal.theme = "light"\n'})
    assert want() == Wanted(INLINE, "light")
    assert want("--plain") == Wanted(PLAIN, "light")
    assert want("--full").mode == FULL
    assert want("--set", "terminal.mode=plain").mode == PLAIN


def test_a_project_says_nothing_of_your_terminal_and_a_variable_does(project: Project, want, monkeypatch) -> None:
    # S-20, R-34
    project.write({PROJECT_SETTINGS: 'terminal.mode = "plain"\n'})
    assert want().mode == FULL
    monkeypatch.setenv("XCSH_TERMINAL_THEME", "ansi")
    assert want().theme == "ansi"


@pytest.mark.parametrize("term", ["dumb", "", None])
def test_a_terminal_that_cannot_move_its_cursor_has_plain_mode_and_is_told(want, monkeypatch, term: str | None) -> None:
    # S-20
    monkeypatch.delenv("TERM") if term is None else monkeypatch.setenv("TERM", term)
    assert want().mode == PLAIN
    assert "plain mode" in want().why
    assert want("--full") == Wanted(FULL, "auto")


@pytest.mark.parametrize(
    ("setting", "background", "theme"),
    [
        ("auto", None, "textual-dark"),
        ("auto", "15;0", "textual-dark"),
        ("auto", "0;15", "textual-light"),
        ("auto", "0;default;15", "textual-light"),
        ("dark", "0;15", "textual-dark"),
        ("light", None, "textual-light"),
        ("ansi", None, "ansi-dark"),
    ],
)
def test_the_theme_is_the_setting_or_what_the_terminal_says_of_itself(
    setting: str, background: str | None, theme: str
) -> None:
    # S-20
    assert theme_for(setting, {} if background is None else {"COLORFGBG": background}) == theme
