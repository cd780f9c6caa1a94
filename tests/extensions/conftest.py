"""A project with code in Python, and what is loaded of it."""

from __future__ import annotations

import os
from typing import NamedTuple

import pytest
from tests.support import Project, Tree

from xcsh.extensions.custom import CustomCommands, list_custom_commands
from xcsh.extensions.files import Code, read_code
from xcsh.extensions.loading import Extensions, load_extensions
from xcsh.extensions.registration import CommandContext
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust


class Loaded(NamedTuple):
    extensions: Extensions
    customs: CustomCommands
    diagnostics: list[Diagnostic]
    code: Code

    @property
    def names(self) -> list[str]:
        return [command.name for command in self.extensions.commands]

    def finding(self, code: str) -> Diagnostic:
        found = [item for item in self.diagnostics if item.code == code]
        assert len(found) == 1, self.diagnostics
        return found[0]


class Loader:
    """Writes a tree, trusts the project unless told not to, and loads."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @property
    def environment(self) -> Environment:
        return make_environment(os.fspath(self.project.root), os.fspath(self.project.home))

    def __call__(
        self, tree: Tree | None = None, *, trusted: bool = True, installed: bool = False, seconds: float = 5.0
    ) -> Loaded:
        self.project.write(tree or {})
        if trusted:
            trust(self.environment)
        diagnostics: list[Diagnostic] = []
        code = read_code(self.environment, diagnostics.append)
        customs = list_custom_commands(code, diagnostics.append)
        extensions = load_extensions(code, diagnostics.append, seconds=seconds, installed=installed)
        return Loaded(extensions, customs, diagnostics, code)

    def context(self, said: list[str] | None = None) -> CommandContext:
        registry = self.project.discover()
        heard = [] if said is None else said
        return CommandContext(registry.environment.cwd, registry.environment.home, registry, heard.append)


@pytest.fixture
def load(project: Project) -> Loader:
    return Loader(project)
