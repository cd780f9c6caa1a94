"""A project and a home on disk, and what discovery makes of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.rule import Entry
from xcsh.model.settings import Settings, defaults
from xcsh.model.source import Skipped
from xcsh.pipeline import discover
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.sources.filesystem import make_environment

USER_SETTINGS = "~/.xcsh/agent/settings.toml"
PROJECT_SETTINGS = ".xcsh/settings.toml"
Tree = Mapping[str, "str | bytes"]


class Project:
    """A folder for a project beside a folder for its user's home. Paths that start with `~/` lie in the home."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.home = base / "home"
        self.root.mkdir(parents=True)
        self.home.mkdir()

    def path(self, name: str) -> Path:
        return self.home / name[2:] if name.startswith("~/") else self.root / name

    def write(self, tree: Tree) -> None:
        for name, content in tree.items():
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def link(self, name: str, target: str | Path) -> Path:
        """Makes `name` a symbolic link that holds `target` as it stands."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        return path

    def make_repository(self, at: str = "") -> None:
        (self.root / at / ".git").mkdir(parents=True)

    def discover(
        self, *, cwd: str = "", reference: bool = False, providers: Iterable[Provider] = BUILTIN_PROVIDERS
    ) -> Registry:
        environment = make_environment(os.fspath(self.root / cwd), os.fspath(self.home))
        registry = discover(environment, providers, reference=reference)
        check_laws(registry)
        return registry

    def __call__(self, tree: Tree, *, cwd: str = "", reference: bool = False) -> Registry:
        """Writes the tree and discovers around `cwd`."""
        self.write(tree)
        return self.discover(cwd=cwd, reference=reference)


def default_settings(*, reference: bool = False) -> Settings:
    """Settings as they are where no file says anything."""
    values = defaults(reference=reference) | {"reference": reference}
    return Settings(values, values)


def check_laws(registry: Registry) -> None:
    """What holds of every registry, whatever was found."""
    assert registry.found == len(registry.active) + len(registry.shadowed) + len(registry.skipped)
    names = [entry.rule.name for entry in registry.active]
    assert len(names) == len(set(names))
    for entry in registry.all:
        assert (entry.bucket is None) == (entry.shadowed_by is not None)
        assert entry.rule.content.strip()
        assert os.path.isabs(entry.rule.path)
    paths = [entry.rule.path for entry in registry.all] + [skipped.path for skipped in registry.skipped]
    assert len(paths) == len(set(paths))
    assert list(registry.diagnostics) == sorted(registry.diagnostics, key=Diagnostic.sort_key)


def entry_of(registry: Registry, name: str) -> Entry:
    """The active entry of a name."""
    found = [entry for entry in registry.active if entry.rule.name == name]
    assert len(found) == 1, f"{name!r} is not active; active: {names_of(registry)}"
    return found[0]


def bucket_of(registry: Registry, name: str) -> str | None:
    return entry_of(registry, name).bucket


def names_of(registry: Registry) -> list[str]:
    """The names of the active rules, in registry order."""
    return [entry.rule.name for entry in registry.active]


def skipped_of(registry: Registry, path: str) -> Skipped:
    """The skipped file whose path ends in `path`."""
    found = [skipped for skipped in registry.skipped if skipped.path.endswith(path)]
    assert len(found) == 1, f"{path!r} is not skipped once: {registry.skipped}"
    return found[0]


def codes_of(registry: Registry, path: str = "") -> list[str]:
    """The codes of the diagnostics of files whose path ends in `path`, sorted."""
    return sorted(diagnostic.code for diagnostic in registry.diagnostics if diagnostic.path.endswith(path))


def diagnostic_of(registry: Registry, code: str, path: str = "") -> Diagnostic:
    """The one diagnostic of a code."""
    found = [item for item in registry.diagnostics if item.code == code and item.path.endswith(path)]
    assert len(found) == 1, f"{code!r} is not reported once: {registry.diagnostics}"
    return found[0]
