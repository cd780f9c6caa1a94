"""Files made to break a reader: each is a diagnostic on that file, and everything else still loads."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support import (
    PROJECT_SETTINGS,
    USER_SETTINGS,
    Project,
    bucket_of,
    codes_of,
    diagnostic_of,
    entry_of,
    names_of,
    skipped_of,
)

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket

SOUND = "---\nalwaysApply: true\n---\nSound.\n"
NOBODY = 65534


def check(project: Project, *, reference: bool, seconds: float = 20) -> Registry:
    """Discovers beside a sound rule, which must load all the same and in bounded time."""
    project.write({".xcsh/rules/sound.md": SOUND})
    start = time.process_time()
    registry = project.discover(reference=reference)
    assert time.process_time() - start < seconds
    assert bucket_of(registry, "sound") == Bucket.ALWAYS_APPLY
    assert codes_of(registry, "sound.md") == []
    return registry


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root may read everything, so the superuser looks with the rights of nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def locked() -> Iterator[Project]:
    """A project that belongs to somebody who is not the superuser."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    yield Project(base / "p")
    for path in (base, *base.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(base)


def test_a_file_without_read_permission_is_reported(locked: Project, *, reference: bool) -> None:
    locked.write({".xcsh/rules/secret.md": SOUND, ".xcsh/rules/sound.md": SOUND})
    locked.discover(reference=reference)  # imports while everything may be read
    locked.path(".xcsh/rules/secret.md").chmod(0)
    with somebody_else():
        registry = locked.discover(reference=reference)
    assert names_of(registry) == ["sound"]
    assert skipped_of(registry, "secret.md").reason == "unreadable"
    assert "permission denied" in diagnostic_of(registry, "unreadable-file", "secret.md").message


def test_a_folder_without_permission_is_reported(locked: Project, *, reference: bool) -> None:
    locked.write({".cursor/rules/a.mdc": SOUND, ".xcsh/rules/sound.md": SOUND, "~/.cursor/rules/b.mdc": SOUND})
    locked.discover(reference=reference)
    locked.path(".cursor/rules").chmod(0)
    locked.path("~/.cursor").chmod(0)
    with somebody_else():
        registry = locked.discover(reference=reference)
    assert names_of(registry) == ["sound"]
    assert skipped_of(registry, "project/.cursor/rules").reason == "unreadable"
    assert diagnostic_of(registry, "unreadable-folder", "project/.cursor/rules").severity == "error"
    assert diagnostic_of(registry, "unreadable-folder", "home/.cursor/rules").severity == "error"


def test_an_ignore_file_and_a_settings_file_without_permission_stop_nothing(
    locked: Project, *, reference: bool
) -> None:
    locked.make_repository()
    locked.write(
        {".xcsh/rules/sound.md": SOUND, ".gitignore": "*.md", PROJECT_SETTINGS: "x = 1", USER_SETTINGS: "y = 1"}
    )
    locked.discover(reference=reference)
    for name in (".gitignore", PROJECT_SETTINGS, USER_SETTINGS):
        locked.path(name).chmod(0)
    with somebody_else():
        registry = locked.discover(reference=reference)
    assert names_of(registry) == ["sound"]
    assert [item.code for item in registry.diagnostics] == ["invalid-settings-file"] * 2


def test_dangling_and_looping_links_are_reported(project: Project, *, reference: bool) -> None:
    project.link(".xcsh/rules/gone.md", "nowhere.md")
    project.link(".xcsh/rules/self.md", "self.md")
    project.link(".xcsh/rules/left.md", "right.md")
    project.link(".xcsh/rules/right.md", "left.md")
    project.link(".cursor/rules", "../nowhere")
    project.link(".windsurf/rules", "rules")
    project.link(".clinerules", ".clinerules")
    project.link("AGENTS.md", "nowhere.md")
    registry = check(project, reference=reference)
    for name in (
        "gone.md",
        "self.md",
        "left.md",
        "right.md",
        ".cursor/rules",
        ".windsurf/rules",
        ".clinerules",
        "AGENTS.md",
    ):
        assert skipped_of(registry, name).reason == "dangling-link", name
        assert codes_of(registry, name) == ["dangling-link"], name


def test_folders_linked_in_a_circle_are_walked_once(project: Project, *, reference: bool) -> None:
    project.write({".xcsh/rules/a/deep.md": SOUND})
    project.link(".xcsh/rules/a/up", "..")
    project.link(".xcsh/rules/a/here", ".")
    project.link(".xcsh/rules/b", "a")
    registry = check(project, reference=reference)
    if not reference:
        assert {"a/deep", "sound"} <= set(names_of(registry))
        assert len(registry.all) <= 3
        assert {skipped.reason for skipped in registry.skipped} == {"dangling-link"}


def test_a_file_of_300_megabytes_is_not_read(project: Project, *, reference: bool) -> None:
    project.write({".xcsh/rules/huge.md": ""})
    with project.path(".xcsh/rules/huge.md").open("r+b") as file:
        file.truncate(300_000_000)
    registry = check(project, reference=reference, seconds=10)
    assert skipped_of(registry, "huge.md").reason == "too-large"
    assert "300,000,000" in diagnostic_of(registry, "file-too-large", "huge.md").message


def test_pipes_and_sockets_and_devices_are_not_opened(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, reference: bool
) -> None:
    project.write({".xcsh/rules/sound.md": SOUND})
    folder = project.path(".xcsh/rules")
    os.mkfifo(folder / "pipe.md")
    os.mkfifo(project.root / ".clinerules")
    os.mkfifo(project.root / ".xcsh/settings.toml")
    project.link("~/.cursor/rules/device.mdc", "/dev/zero")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        registry = check(project, reference=reference, seconds=10)
    for name in ("pipe.md", "socket.md", ".clinerules", "device.mdc"):
        assert skipped_of(registry, name).reason == "not-a-file", name
        assert codes_of(registry, name) == ["not-a-file"], name
    assert codes_of(registry, "settings.toml") == ["invalid-settings-file"]


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (b"a\0b", (1, 2)),
        (b"\xef\xbb\xbfone\r\ntwo\0", (2, 4)),
        ("\u00e9\u00e9\n\u4e2d\0".encode(), (2, 2)),
        (b"\0" * 50, (1, 1)),
        (b"abc\0", (1, 4)),
    ],
)
def test_nul_bytes_are_reported_where_they_stand(
    project: Project, data: bytes, position: tuple[int, int], *, reference: bool
) -> None:
    project.write({".xcsh/rules/bad.md": data})
    registry = check(project, reference=reference)
    assert skipped_of(registry, "bad.md").reason == "binary"
    assert diagnostic_of(registry, "binary-content", "bad.md").position == position


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", [SOUND, "---\r\ndescription: Gr\u00fc\u00dfe\r\n---\r\nW\u00f6rter.\r\n"])
def test_utf_16_is_read_and_reported(project: Project, encoding: str, mark: str, text: str, *, reference: bool) -> None:
    project.write({".xcsh/rules/wide.md": (mark + text).encode(encoding), ".xcsh/rules/narrow.md": text})
    registry = check(project, reference=reference)
    wide, narrow = entry_of(registry, "wide"), entry_of(registry, "narrow")
    assert (wide.bucket, wide.rule.content, wide.rule.description) == (
        narrow.bucket,
        narrow.rule.content,
        narrow.rule.description,
    )
    assert diagnostic_of(registry, "not-utf8", "wide.md").position == (1, 1)


def test_invalid_utf_8_is_read_as_windows_1252_and_reported_where_it_begins(
    project: Project, *, reference: bool
) -> None:
    project.write(
        {
            ".xcsh/rules/latin.md": b"---\r\ndescription: Caf\xe9 \x93menu\x94\r\n---\r\nBody.",
            ".xcsh/rules/odd.md": b"a\xff\x81",
        }
    )
    registry = check(project, reference=reference)
    assert entry_of(registry, "latin").rule.description == "Caf\u00e9 \u201cmenu\u201d"
    assert diagnostic_of(registry, "not-utf8", "latin.md").position == (2, 17)
    assert diagnostic_of(registry, "not-utf8", "odd.md").position == (1, 2)


@pytest.mark.parametrize(
    "text", ["---\nalwaysApply: true\n", "---\nalwaysApply: true\n\nBody.\n", "---\nalwaysApply: true\n--\nBody."]
)
def test_a_block_that_never_closes_is_body_and_reported(project: Project, text: str, *, reference: bool) -> None:
    project.write({".xcsh/rules/open.md": text, ".clinerules/open2.md": text})
    registry = check(project, reference=reference)
    assert entry_of(registry, "open").rule.content == text
    assert bucket_of(registry, "open") == bucket_of(registry, "open2") == Bucket.INACTIVE
    if not reference:
        assert diagnostic_of(registry, "unterminated-frontmatter", "open.md").position == (1, 1)


@pytest.mark.parametrize(
    "lines",
    [
        "when: 2024-99-99",
        "number: 1_0:99",
        "big: 0x" + "f" * 5_000,
        "digits: " + "9" * 10_000,
        "float: 1e999999999",
        "merge: {<<: 3}",
        "<<: 3",
        "set: !!set {a, b}",
        "omap: !!omap [a]",
        "binary: !!binary '*'",
        "int: !!int x",
        "stamp: !!timestamp x",
        "call: !!python/object/apply:os.system ['true']",
        "? {a: b}\n: c",
        "? [a]\n: c",
        "=: x",
        "%TAG ! tag:x,2000:",
        "---\nb: 1",
        "a: \x01",
        "a: \ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
        'a: "\\ud800"',
        'a: "\\UFFFFFFFF"',
        "a: *unknown",
        "a: !<x y> z",
        "a: |99\n  b",
    ],
)
def test_yaml_that_trips_a_reader_costs_at_most_its_own_block(project: Project, lines: str, *, reference: bool) -> None:
    project.write({".xcsh/rules/bad.md": f"---\n{lines}\n---\nBody."})
    registry = check(project, reference=reference)
    assert bucket_of(registry, "bad") == Bucket.INACTIVE
    assert entry_of(registry, "bad").rule.content.endswith("Body.")


def test_an_alias_bomb_does_not_grow(project: Project, *, reference: bool) -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    mapping = "b0: &b0 {k: v}\n" + "".join(f"b{n}: &b{n} {{l: *b{n - 1}, r: *b{n - 1}}}\n" for n in range(1, 60))
    for key in ("globs", "description", "condition", "scope", "alwaysApply"):
        project.write({f".xcsh/rules/{key}.md": f"---\n{bomb}{mapping}{key}: [*a59, *b59]\n---\nBody."})
    registry = check(project, reference=reference)
    assert all(len(repr(entry)) < 10_000 for entry in registry.all)


DEEP = {
    "flow list": "a: " + "[" * 10_000 + "]" * 10_000,
    "open flow list": "a: " + "[" * 10_000,
    "flow mapping": "a: " + "{a: " * 10_000 + "}" * 10_000,
    "dashes": "a:\n  " + "- " * 10_000 + "x",
    "question marks": "? " * 10_000 + "x",
    "block": "\n".join(" " * depth + "a:" for depth in range(450)),
    "quotes in brackets": "a: ['[', " + "[" * 10_000,
    "globs": "globs: " + "[" * 10_000 + "]" * 10_000,
    "globs of dashes": "globs:\n  " + "- " * 10_000 + "x",
    "braces": "globs: " + "{" * 10_000 + "a" + "}" * 10_000,
    "brackets in a condition": "condition: " + "(" * 10_000 + ")" * 10_000,
    "scope": "condition: a\nscope: " + "(" * 10_000,
}


@pytest.mark.parametrize("lines", DEEP.values(), ids=DEEP)
def test_nesting_of_10_000_levels_is_survived(project: Project, lines: str, *, reference: bool) -> None:
    project.write(
        {".xcsh/rules/deep.md": f"---\n{lines}\n---\nBody.", ".clinerules/deep2.md": f"---\n{lines}\n---\nBody."}
    )
    registry = check(project, reference=reference)
    assert bucket_of(registry, "deep") in (Bucket.INACTIVE, Bucket.ATTACHED, Bucket.TTSR)
    assert bucket_of(registry, "deep2") != Bucket.ALWAYS_APPLY or lines.startswith(("a", "?"))


@pytest.mark.parametrize("value", ["v", "'it''s'", "a: b"])
def test_30_000_keys_are_survived(project: Project, value: str, *, reference: bool) -> None:
    project.write({USER_SETTINGS: "discovery.max_file_bytes = 3_000_000\n"})
    project.write({".xcsh/rules/many.md": "---\n" + "".join(f"k{n}: {value}\n" for n in range(30_000)) + "---\nBody."})
    registry = check(project, reference=reference, seconds=5)
    assert bucket_of(registry, "many") == Bucket.INACTIVE
    if value == "a: b" and not reference:
        assert diagnostic_of(registry, "frontmatter-too-large", "many.md").position == (2, 1)


def test_a_glob_whose_braces_would_explode_matches_nothing_and_is_reported(
    project: Project, *, reference: bool
) -> None:
    for name, glob in {"pairs": "{a,b}" * 24, "range": "{1..100}" * 5, "nested": "{a," * 500 + "}" * 500}.items():
        project.write({f".xcsh/rules/{name}.md": f"---\ndescription: D\nglobs: {glob}/*.ts\n---\nBody."})
    project.write({".xcsh/rules/two.md": "---\nglobs: [src/**, '" + "{a,b}" * 24 + "']\n---\nBody."})
    registry = check(project, reference=reference)
    assert diagnostic_of(registry, "too-many-alternatives", "pairs.md").position is not None
    assert diagnostic_of(registry, "too-many-alternatives", "two.md").position == (2, 8)


NAMES = {
    b"line\nfeed.md": "line\nfeed",
    b"tab\there.md": "tab\there",
    "over\u202eride.md".encode(): "over\u202eride",
    "zero\u200bwidth.md".encode(): "zero\u200bwidth",
    b"lone\xff.md": "lone\udcff",
    b"esc\x1b[31m.md": "esc\x1b[31m",
}
PLAIN_NAMES = {
    b"a%2Fb.md": "a%2Fb",
    b"100%.md": "100%",
    b"..md": None,
    b"a b.md": "a b",
    "\u2215slash.md".encode(): "\u2215slash",
}


def test_names_that_deceive_are_reported_and_kept_exactly(project: Project, *, reference: bool) -> None:
    folder = project.path(".xcsh/rules")
    folder.mkdir(parents=True)
    for raw in (*NAMES, *PLAIN_NAMES):
        with open(os.path.join(os.fsencode(folder), raw), "wb") as file:
            file.write(SOUND.encode())
    registry = check(project, reference=reference)
    wanted = {name for name in (*NAMES.values(), *PLAIN_NAMES.values()) if name} | {"sound"}
    assert set(names_of(registry)) == wanted
    reported = {item.path for item in registry.diagnostics if item.code == "name-characters"}
    assert reported == {os.path.join(folder, os.fsdecode(raw)) for raw in NAMES}
    assert all(item.message.isprintable() for item in registry.diagnostics)


@pytest.mark.parametrize(
    "text", ["", " \n\t\n", "---\n---\n", "---\nalwaysApply: true\n---\n\n", "---\ndescription: D\n---", "\ufeff"]
)
def test_an_empty_body_is_skipped_and_shadows_nothing(project: Project, text: str, *, reference: bool) -> None:
    project.write({".xcsh/rules/same.md": text, ".cursor/rules/same.mdc": SOUND})
    registry = check(project, reference=reference)
    assert skipped_of(registry, ".xcsh/rules/same.md").reason == "empty"
    assert codes_of(registry, ".xcsh/rules/same.md") == ["empty-rule"]
    assert entry_of(registry, "same").rule.origin.provider == "cursor"


def test_names_that_differ_in_case_only_are_two_rules_and_reported(project: Project, *, reference: bool) -> None:
    project.write({".xcsh/rules/Style.md": SOUND, ".xcsh/rules/style.md": SOUND})
    registry = check(project, reference=reference)
    assert names_of(registry) == ["Style", "sound", "style"]
    assert diagnostic_of(registry, "case-collision").path.endswith("/style.md")


def test_hidden_characters_are_reported_by_code_point_and_place(project: Project, *, reference: bool) -> None:
    project.write(
        {
            ".xcsh/rules/body.md": b"\xef\xbb\xbf---\r\ndescription: D\r\n---\r\nab\xe2\x80\x8bc\r\n\xc3\xa9\xe2\x80\xaed",
            ".xcsh/rules/many.md": "a\u200bb\n" * 500,
            ".xcsh/rules/emoji.md": "\U0001f469\u200d\U0001f4bb and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 and \u2764\ufe0f",
        }
    )
    registry = check(project, reference=reference)
    invisible = diagnostic_of(registry, "invisible-characters", "body.md")
    assert (invisible.position, invisible.end, "U+200B" in invisible.message) == ((4, 3), (4, 4), True)
    assert diagnostic_of(registry, "bidi-control", "body.md").position == (5, 2)
    assert codes_of(registry, "emoji.md") == ["inactive-rule"]
    assert len(codes_of(registry, "many.md")) == 22  # 20 places, the count of the rest, and an inactive rule


def test_a_line_of_10_000_characters_is_read(project: Project, *, reference: bool) -> None:
    line = "word " * 2_000
    project.write({".xcsh/rules/long.md": f"---\ndescription: {line}\nglobs: {'a' * 10_000}\n---\n{line}"})
    registry = check(project, reference=reference)
    assert entry_of(registry, "long").rule.description == line.strip()
    assert entry_of(registry, "long").rule.content == line.strip()


def test_lines_that_invite_a_slow_expression_are_read_quickly(project: Project, *, reference: bool) -> None:
    for number, unit in enumerate(
        (" ", "\t", "-", "\n", "'", '"', "a: ", "<!--", "#", "[", "\\", "`", ",", "{", "- ", "&a ", "\u200b")
    ):
        body = unit * (400_000 // len(unit))
        project.write({f".xcsh/rules/a{number}.md": f"---\ndescription: {body}x\n---\nBody."})
        project.write({f".xcsh/rules/b{number}.md": body + "x"})
        project.write({f".xcsh/rules/c{number}.md": f"---\nglobs: {body}\n---\nBody."})
    check(project, reference=reference, seconds=60)


def test_a_folder_where_a_file_is_expected_and_the_reverse(project: Project, *, reference: bool) -> None:
    for name in (
        ".xcsh/rules/folder.md",
        ".cursorrules",
        "AGENTS.md",
        "~/.codeium/windsurf/memories/global_rules.md",
        PROJECT_SETTINGS,
    ):
        project.path(name).mkdir(parents=True)
    project.write({".cursor/rules": "A file.", "~/.cursor": "A file.", ".windsurf": "A file."})
    registry = check(project, reference=reference)
    for name in ("folder.md", "global_rules.md", "project/.cursor/rules", ".cursorrules", "AGENTS.md"):
        assert skipped_of(registry, name).reason == "not-a-file", name
        assert codes_of(registry, name) == ["not-a-file"], name
    assert codes_of(registry, "settings.toml") == ["invalid-settings-file"]


def test_2_000_nested_folders_are_survived(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, reference: bool
) -> None:
    project.write({".xcsh/rules/sound.md": SOUND, ".xcsh/rules/d/near.md": SOUND})
    monkeypatch.chdir(project.path(".xcsh/rules"))
    for _ in range(2_000):
        os.makedirs("d", exist_ok=True)
        os.chdir("d")
    try:
        registry = check(project, reference=reference)
    finally:
        for _ in range(1_999):
            os.chdir("..")
            os.rmdir("d")
    if not reference:
        assert "d/near" in names_of(registry)
        assert [skipped.reason for skipped in registry.skipped] == ["nested"]


def test_a_cwd_2_000_folders_deep_is_survived(project: Project, *, reference: bool) -> None:
    project.make_repository()
    project.write({".xcsh/rules/a.md": SOUND, "AGENTS.md": "Words."})
    registry = project.discover(cwd="/".join(["d"] * 1_500), reference=reference)
    assert names_of(registry) == ([] if reference else ["AGENTS"])


SETTINGS = {
    "no toml": ("discovery = [", "invalid-settings-file", (1, 14)),
    "nul": ("a = 1\n\0", "invalid-settings-file", (2, 1)),
    "deep": ("a = " + "[" * 10_000, "invalid-settings-file", None),
    "deep key": ("a." * 5_000 + "b = 1", "unknown-setting", None),
    "unknown": ("\n[discovery]\nrecusive = true", "unknown-setting", (3, 1)),
    "type": ('discovery.recursive = "perhaps"', "invalid-setting", (1, 1)),
    "choice": ('[rules]\nactivation = "mine"', "invalid-setting", (2, 1)),
    "not a table": ("discovery = 1", "unknown-setting", (1, 1)),
    "list of lists": ("discovery.disabled = [[]]", "invalid-setting", (1, 1)),
    "odd key": ('"(((" = 1', "unknown-setting", None),
    "date": ("reference = 2024-01-01", "invalid-setting", (1, 1)),
    "infinity": ("discovery.max_file_bytes = inf", None, None),
    "too large": ("# " + "x" * 2_000_000, "invalid-settings-file", None),
}


@pytest.mark.parametrize("where", [PROJECT_SETTINGS, USER_SETTINGS])
@pytest.mark.parametrize(("text", "code", "position"), SETTINGS.values(), ids=SETTINGS)
def test_a_hostile_settings_file_is_a_finding_and_the_defaults_hold(
    project: Project, where: str, text: str, code: str | None, position: tuple[int, int] | None
) -> None:
    project.write({where: text})
    registry = check(project, reference=False)
    [finding] = [item for item in registry.diagnostics if item.path.endswith("settings.toml")]
    assert code in (None, finding.code)
    assert position in (None, finding.position)
    assert registry.settings.user["discovery.recursive"] is True
    assert registry.settings.project["rules.activation"] == "owner"


POSITIONS = {
    "plain": ("---\ndescription: D\nglobs: *.ts\n---\nBody.", (3, 8)),
    "mark": ("\ufeff---\ndescription: D\nglobs: *.ts\n---\nBody.", (3, 8)),
    "crlf": ("---\r\ndescription: D\r\nglobs: *.ts\r\n---\r\nBody.", (3, 8)),
    "cr": ("---\rdescription: D\rglobs: *.ts\r---\rBody.", (3, 8)),
    "mark and crlf": ("\ufeff---\r\ndescription: D\r\nglobs: *.ts\r\n---\r\nBody.", (3, 8)),
    "wide": ("---\ndescription: \u4e2d\U0001f600\nglobs: *.ts\n---\nBody.", (3, 8)),
    "spaces": ("---\ndescription: D\nglobs:    *.ts\n---\nBody.", (3, 11)),
    "blank lines": ("\n\n---\ndescription: D\nglobs: *.ts\n---\nBody.", (5, 8)),
    "comment": ("<!-- a\nb -->\n---\ndescription: D\nglobs: *.ts\n---\nBody.", (5, 8)),
    "indented": ("  ---\n  description: D\n  globs: *.ts\n  ---\nBody.", (3, 10)),
    "no fence": ("description: D\nglobs: *.ts\n---\nBody.", (2, 8)),
    "wide key above": ("---\n\u00e9\u00e9: 1\nglobs: *.ts\n---\nBody.", (3, 8)),
    "other line ends above": ('---\ntitle: "a\u2028b\u0085c"\nglobs: *.ts\n---\nBody.', (3, 8)),
    "list above": ("---\ntags:\n  - a\n  - b\nglobs: *.ts\n---\nBody.", (5, 8)),
}


@pytest.mark.parametrize(("text", "position"), POSITIONS.values(), ids=POSITIONS)
def test_positions_are_right_after_marks_line_ends_and_wide_text(
    project: Project, text: str, position: tuple[int, int]
) -> None:
    project.write({".cursor/rules/a.mdc": text})
    registry = check(project, reference=False)
    assert diagnostic_of(registry, "frontmatter-repaired", "a.mdc").position == position
    assert entry_of(registry, "a").rule.globs == ("*.ts",)
    assert entry_of(registry, "a").rule.content == "Body."


def test_positions_are_right_on_a_line_with_wide_text(project: Project, *, reference: bool) -> None:
    project.write(
        {
            ".xcsh/rules/a.md": "\ufeff---\r\ntitle: \u4e2d\U0001f600\r\ncondition: ([a-z\r\n---\r\n\u4e2d\U0001f600\u200bx"
        }
    )
    registry = check(project, reference=reference)
    assert diagnostic_of(registry, "invalid-condition").position == (3, 12)
    assert diagnostic_of(registry, "invisible-characters").position == (5, 3)
