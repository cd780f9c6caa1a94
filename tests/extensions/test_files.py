"""Places of code that are not what they should be."""

from __future__ import annotations

import pytest
from tests.extensions.conftest import Loader
from tests.extensions.test_loading import extension

from xcsh.errors import UsageError
from xcsh.extensions.listing import with_code_listed


def test_a_file_in_the_place_of_the_folder_of_commands_is_listed_once(load: Loader) -> None:
    load.project.write({".xcsh/commands": "a file", ".xcsh/extensions/a.py": ""})
    registry = with_code_listed(load.project.discover())
    path = str(load.project.path(".xcsh/commands"))
    assert [item.path for item in registry.commands.skipped].count(path) == 1


def test_a_link_to_nothing_in_the_place_of_the_folder_is_said(load: Loader) -> None:
    load.project.write({".xcsh/commands/a.py": ""})
    load.project.link(".xcsh/extensions", "nowhere")
    loaded = load(trusted=False)
    (skipped,) = loaded.extensions.skipped
    assert skipped.path == str(load.project.path(".xcsh/extensions"))
    assert ".xcsh/extensions is a link that leads nowhere" in skipped.detail
    with pytest.raises(UsageError, match="is a link that leads nowhere"):
        load()


def test_the_users_folder_that_is_a_link_to_nothing_is_a_finding(load: Loader) -> None:
    load.project.write({"~/.xcsh/agent/commands/a.py": ""})
    load.project.link("~/.xcsh/agent/extensions", "nowhere")
    loaded = load(trusted=False)
    assert loaded.finding("unreadable-folder").message == "it is a link that leads nowhere"


def test_a_folder_with_the_name_of_a_module_is_no_code_and_does_not_keep_the_rest_from_running(load: Loader) -> None:
    loaded = load({".xcsh/extensions/pkg.py/inner.py": "", ".xcsh/extensions/a.py": extension("one")})
    assert (loaded.names, loaded.extensions.skipped, loaded.diagnostics) == (["one"], (), [])
