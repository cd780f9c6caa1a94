"""Claude Code's registry of plugins: whose commands are read, under which names, and why others are not."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tests.slash.found import check_command_laws, command_of, found, skipped_of
from tests.support import Project, codes_of, diagnostic_of

from xcsh.model.registry import Registry
from xcsh.slash.expansion import expand
from xcsh.slash.lookup import names_of

REGISTRY = "~/.claude/plugins/installed_plugins.json"
PROVIDER = "claude-plugins"


class Plugins:
    """Writes a registry of plugins whose folders lie in the project's home."""

    def __init__(self, project: Project, *, reference: bool) -> None:
        self.project = project
        self.reference = reference
        self.plugins: dict[str, Any] = {}

    def root(self, folder: str) -> str:
        return str(self.project.home / folder)

    def add(self, name: str, *commands: str, **fields: object) -> dict[str, object]:
        """One more entry of a plugin, its folder named like it, with commands that say where they come from."""
        folder = name.partition("@")[0]
        self.project.path(f"~/{folder}").mkdir(exist_ok=True)
        for command in commands:
            self.project.write({f"~/{folder}/commands/{command}.md": f"{folder} {command}"})
        entry: dict[str, object] = {"installPath": self.root(folder), **fields}
        self.plugins.setdefault(name, []).append(entry)
        return entry

    def discover(self, *, cwd: str = "", **fields: object) -> Registry:
        self.project.write({REGISTRY: json.dumps({"version": 2, "plugins": self.plugins, **fields})})
        registry = self.project.discover(cwd=cwd, reference=self.reference)
        check_command_laws(registry)
        return registry


@pytest.fixture
def plugins(project: Project, *, reference: bool) -> Plugins:
    return Plugins(project, reference=reference)


def texts(registry: Registry) -> list[str]:
    """All templates of plugins, the shadowed ones too, in registry order."""
    commands = [entry.command for entry in registry.commands.all]
    return [command.template for command in commands if command.origin.provider == PROVIDER]


# C-8: "No registry file: nothing"
def test_without_a_registry_there_are_no_plugins(plugins: Plugins) -> None:
    plugins.project.write({"~/.claude/plugins/kit/commands/a.md": "A."})
    registry = plugins.project.discover(reference=plugins.reference)
    assert found(registry) == []
    assert registry.commands.skipped == registry.diagnostics == ()


# C-8: "in the file's own iteration order, plugin by plugin, entry by entry; no further sort across roots"
def test_commands_come_in_the_order_of_the_registry(plugins: Plugins) -> None:
    plugins.add("zebra@m", "b", "a")
    plugins.add("apple@m", "c")
    plugins.add("mango@m", "z")
    plugins.plugins["zebra@m"].append({"installPath": plugins.root("later")})
    plugins.project.write({"~/later/commands/0.md": "later 0"})
    assert texts(plugins.discover()) == ["zebra a", "zebra b", "later 0", "apple c", "mango z"]


# C-8: the level is the entry's scope; `local` counts as project, absent as user
@pytest.mark.parametrize(
    ("scope", "level"), [("user", "user"), ("project", "project"), ("local", "project"), (None, "user")]
)
def test_the_level_is_the_scope(plugins: Plugins, scope: str | None, level: str) -> None:
    plugins.add("kit@m", "a", **({} if scope is None else {"scope": scope}))
    command = command_of(plugins.discover(), "a")
    assert (command.origin.level, command.origin.provider, command.origin.plugin) == (level, PROVIDER, "kit")
    assert command.source == f"via Claude Plugins {level.capitalize()}"


# C-8: version 1 has one object where version 2 has a list
def test_an_entry_may_be_one_object(plugins: Plugins) -> None:
    (entry,) = [plugins.add("kit@m", "a")]
    plugins.plugins["kit@m"] = entry
    assert found(plugins.discover(version=1)) == ["a"]


@pytest.mark.parametrize("version", [None, 0, 3, "2", [], {}])
def test_the_version_decides_nothing(plugins: Plugins, version: object) -> None:
    plugins.add("kit@m", "a")
    assert found(plugins.discover(version=version)) == ["a"]


# C-8: the name is the stem, `plugin:stem` an alias that always works
def test_the_alias_reaches_each_of_two_plugins_with_one_command(plugins: Plugins) -> None:
    plugins.add("two@m", "scan")
    plugins.add("one@m", "scan")
    plugins.project.write({".xcsh/commands/scan.md": "mine"})
    registry = plugins.discover()
    assert found(registry) == ["scan"]
    assert len(registry.commands.shadowed) == 2
    calls = {name: expand(registry, f"/{name}").text for name in ("scan", "two:scan", "one:scan")}
    assert calls == {"scan": "mine", "two:scan": "two scan", "one:scan": "one scan"}
    plugins.project.path(".xcsh/commands/scan.md").unlink()
    assert expand(plugins.discover(), "/scan").text == "two scan"


# C-8
@pytest.mark.parametrize(("name", "alias"), [("kit", "kit:a"), ("kit@m", "kit:a"), ("kit@m@n", "kit:a"), ("@m", None), ("", None)])  # fmt: skip
def test_the_alias_has_the_plugins_name_without_its_marketplace(plugins: Plugins, name: str, alias: str | None) -> None:
    entry = plugins.add("kit@m", "a")
    plugins.plugins = {name: [entry]}
    registry = plugins.discover()
    assert found(registry) == ["a"]
    assert [other for other in names_of(registry.commands.all) if other.endswith(":a")] == ([alias] if alias else [])


# C-8, C-40: a sub-folder is part of the alias
def test_the_alias_of_a_command_in_a_sub_folder_has_every_part(project: Project) -> None:
    plugins = Plugins(project, reference=False)
    plugins.add("kit@m", "sub/scan")
    registry = plugins.discover()
    assert found(registry) == ["sub:scan"]
    assert expand(registry, "/kit:sub:scan").text == "kit sub/scan"


# C-8: "an entry whose `projectPath` is another folder is skipped"
def test_an_entry_of_another_project_is_skipped(plugins: Plugins) -> None:
    plugins.add("here@m", "a", scope="project", projectPath=str(plugins.project.root))
    plugins.add("there@m", "b", scope="project", projectPath=plugins.root("elsewhere"))
    plugins.add("gone@m", "c", scope="local", projectPath="/nowhere/at/all")
    plugins.add("odd@m", "d", scope="user", projectPath=7)
    plugins.add("relative@m", "e", scope="project", projectPath=".")
    registry = plugins.discover()
    assert found(registry) == ["a", "d"]
    for name, where in (("there", "elsewhere"), ("gone", "/nowhere/at/all"), ("relative", "for .")):
        skipped = skipped_of(registry, f"home/{name}")
        assert skipped.reason == "disabled"
        assert where in skipped.detail


# C-8: the project is the same where it is named through a link, or from a folder inside of its repository
def test_the_same_folder_by_another_name_is_the_same_project(plugins: Plugins) -> None:
    plugins.project.make_repository()
    plugins.project.write({"deep/er/x": ""})
    plugins.project.link("~/link", plugins.project.root)
    plugins.add("linked@m", "a", projectPath=plugins.root("link"))
    plugins.add("slash@m", "b", projectPath=f"{plugins.project.root}/")
    assert found(plugins.discover()) == ["a", "b"]
    assert found(plugins.discover(cwd="deep/er")) == ["a", "b"]


# C-8: "a plugin that Claude Code's own settings disable is skipped with that reason"
@pytest.mark.parametrize(
    "file", ["~/.claude/settings.json", "~/.claude/settings.local.json", ".claude/settings.json", ".claude/settings.local.json"]
)  # fmt: skip
def test_a_plugin_that_claudes_settings_disable_is_skipped(plugins: Plugins, file: str) -> None:
    plugins.add("off@m", "a")
    plugins.add("on@m", "b")
    plugins.project.write({file: '{"enabledPlugins": {"off@m": false, "on@m": true, "other@m": false}}'})
    registry = plugins.discover()
    assert found(registry) == ["b"]
    skipped = skipped_of(registry, "home/off")
    assert (skipped.reason, skipped.provider) == ("disabled", PROVIDER)
    assert "disable the plugin off@m" in skipped.detail
    assert codes_of(registry) == []


# C-8: the project's settings come after the user's, the local ones after the shared ones
def test_later_settings_override_earlier_ones(plugins: Plugins) -> None:
    plugins.add("kit@m", "a")
    plugins.project.write({"~/.claude/settings.json": '{"enabledPlugins": {"kit@m": false}}'})
    assert found(plugins.discover()) == []
    plugins.project.write({".claude/settings.json": '{"enabledPlugins": {"kit@m": true}}'})
    assert found(plugins.discover()) == ["a"]
    plugins.project.write({".claude/settings.local.json": '{"enabledPlugins": {"kit@m": false}}'})
    assert found(plugins.discover()) == []


@pytest.mark.parametrize(
    "text", ["{}", '{"enabledPlugins": []}', '{"enabledPlugins": "kit@m"}', '{"enabledPlugins": {"kit@m": null, "x": [1]}}', '{"enabledPlugins": null}']
)  # fmt: skip
def test_settings_that_say_nothing_clear_disable_nothing(plugins: Plugins, text: str) -> None:
    plugins.add("kit@m", "a")
    plugins.project.write({"~/.claude/settings.json": text})
    registry = plugins.discover()
    assert found(registry) == ["a"]
    assert codes_of(registry) == []


def test_settings_that_are_no_json_are_reported_at_their_place(plugins: Plugins) -> None:
    plugins.add("kit@m", "a")
    plugins.project.write({".claude/settings.json": '{\n  "enabledPlugins": {,}\n}'})
    registry = plugins.discover()
    assert found(registry) == ["a"]
    finding = diagnostic_of(registry, "invalid-plugin-registry", ".claude/settings.json")
    assert finding.position == (2, 22)


# C-8: "A malformed file or a stale entry: a diagnostic, the rest loads"
def test_a_stale_entry_is_reported_and_the_rest_loads(plugins: Plugins) -> None:
    plugins.add("gone@m")["installPath"] = plugins.root("deleted")
    plugins.project.write({"~/plain": "no folder"})
    plugins.add("file@m")["installPath"] = plugins.root("plain")
    plugins.add("kit@m", "a")
    registry = plugins.discover()
    assert found(registry) == ["a"]
    for name, plugin in (("deleted", "gone@m"), ("plain", "file@m")):
        finding = diagnostic_of(registry, "stale-plugin", name)
        assert (finding.severity, finding.provider) == ("warning", PROVIDER)
        assert plugin in finding.message
        assert skipped_of(registry, f"home/{name}").reason == "dangling-link"


def test_a_plugin_without_commands_is_no_fault(plugins: Plugins) -> None:
    plugins.add("kit@m")
    registry = plugins.discover()
    assert registry.commands.skipped == registry.diagnostics == ()


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", (1, 1)),
        ("{", (1, 2)),
        ('{\n  "version": 2,\n  "plugins": {]\n}', (3, 15)),
        ("plugins: {}", (1, 1)),
        ('{"plugins": {}} x', (1, 17)),
        ("[]", None),
        ("null", None),
        ('"plugins"', None),
        ("2", None),
        ("{}", None),
        ('{"version": 2}', None),
        ('{"plugins": []}', None),
        ('{"plugins": null}', None),
        ('{"plugins": "kit@m"}', None),
        ('{"plugins": {"a": ' + "9" * 5_000 + "}}", None),
        ('{"plugins": ' * 10_000, None),
        ("[" * 100_000, None),
        ('{"plugins": {"a": "\0"}}', (1, 20)),
        (" " * 5_000_000 + "{}", None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_malformed_registry_is_reported_and_everything_else_loads(
    plugins: Plugins, text: str, position: tuple[int, int] | None
) -> None:
    plugins.project.write({REGISTRY: text, ".claude/commands/c.md": "C."})
    registry = plugins.project.discover(reference=plugins.reference)
    assert found(registry) == ["c"]
    finding = diagnostic_of(registry, "invalid-plugin-registry", "installed_plugins.json")
    assert (finding.severity, finding.position) == ("warning", position)
    assert len(finding.message) < 200


@pytest.mark.parametrize(
    "entry",
    [
        None, True, 7, "text", [], [[]], {}, {"installPath": None}, {"installPath": 7}, {"installPath": []}, {"installPath": {}},
        {"installPath": ""}, {"installPath": "relative/path"}, {"installPath": "~/kit"}, {"installPath": "/x", "scope": 7},
        {"installPath": "/x", "scope": []}, {"installPath": "/x", "scope": "managed"}, {"installPath": "/x", "scope": ""},
        {"installPath": "/x", "scope": None}, {"installPath": "/nowhere\0"}, {"installPath": "/\ud800"}, {"installPath": "/" + "x" * 5_000},
        {"installPath": "/" + "x/" * 5_000}, {"installPath": "/x", "projectPath": "a\0b"}, {"installPath": "/x", "projectPath": "/\udfff"},
        {"installPath": "/x", "projectPath": "/" + "y" * 5_000}, {"installPath": "/x", "projectPath": ""},
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_an_entry_of_a_wrong_shape_is_reported_and_the_rest_loads(plugins: Plugins, entry: object) -> None:
    plugins.plugins["odd@m"] = [entry]
    plugins.add("kit@m", "a")
    registry = plugins.discover()
    assert found(registry) == ["a"]
    odd = [*registry.diagnostics, *registry.commands.skipped]
    assert odd or entry == []
    assert "provider-failed" not in codes_of(registry)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/proc/self/mem"])
def test_a_registry_that_is_no_file_is_not_read(plugins: Plugins, path: str) -> None:
    plugins.project.link(REGISTRY, path)
    registry = plugins.project.discover(reference=plugins.reference)
    assert found(registry) == []
    assert len(registry.diagnostics) == 1


def test_a_registry_that_is_a_dangling_link_is_reported(plugins: Plugins) -> None:
    plugins.project.link(REGISTRY, "nowhere.json")
    assert codes_of(plugins.project.discover(reference=plugins.reference)) == ["invalid-plugin-registry"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_registry_in_another_encoding_is_read(plugins: Plugins, encoding: str) -> None:
    plugins.add("kit@m", "a")
    text = json.dumps({"plugins": plugins.plugins})
    plugins.project.write({REGISTRY: text.encode(encoding)})
    assert found(plugins.project.discover(reference=plugins.reference)) == ["a"]


def test_forty_thousand_entries_are_bounded(plugins: Plugins) -> None:
    plugins.add("kit@m", "a")
    plugins.plugins.update({f"p{number}": {"installPath": f"/n/{number}"} for number in range(40_000)})
    started = time.process_time()
    registry = plugins.discover()
    assert time.process_time() - started < 10
    assert found(registry) == ["a"]
    assert codes_of(registry).count("stale-plugin") == 40_000


def test_the_same_plugin_installed_twice_is_one_plugin_to_type(plugins: Plugins) -> None:
    plugins.add("kit@m", "a", scope="user")
    plugins.add("kit@m", "a", scope="project", projectPath=str(plugins.project.root))
    registry = plugins.discover()
    assert found(registry) == ["a"]
    assert command_of(registry, "a").origin.level == "user"
    assert expand(registry, "/kit:a").text == "kit a"


# R-15a: a plugin's link may not lead out of the plugin, where a project installed it
def test_links_of_a_projects_plugin_stay_inside_of_it(plugins: Plugins) -> None:
    plugins.add("kit@m", "a", scope="project")
    plugins.project.write({"~/secret.md": "Secret."})
    plugins.project.link("~/kit/commands/out.md", "../../secret.md")
    plugins.project.link("~/kit/commands/in.md", "a.md")
    registry = plugins.discover()
    assert found(registry) == ["a", "in"]
    assert skipped_of(registry, "out.md").reason == "outside-project"
