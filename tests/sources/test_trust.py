"""Trust in a folder: bound to its real path and to the content of all that would take effect."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import Project

from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.sources.locking import lock
from xcsh.sources.trust import store as trust_store
from xcsh.sources.trust.deciding import is_trusted, revoke, trust, trust_state, trusted_folders

STORE = "~/.xcsh/agent/trust.json"
CODE = {
    ".xcsh/extensions/a.py": "A = 1\n",
    ".xcsh/commands/b.py": "B = 1\n",
    ".xcsh/settings.toml": "reference = true\n",
    ".xcsh/extensions/notes.txt": "no code",
    ".xcsh/extensions/.hidden.py": "no code",
    ".xcsh/commands/c.md": "no code",
}


def around(project: Project, cwd: str = "") -> Environment:
    return make_environment(os.fspath(project.root / cwd), os.fspath(project.home))


@pytest.fixture
def trusted(project: Project) -> Environment:
    """A folder with code that is trusted as it is."""
    project.write(CODE)
    environment = around(project)
    assert trust(environment).trusted
    return environment


def test_a_folder_is_not_trusted_until_somebody_says_so(project: Project) -> None:
    project.write(CODE)
    environment = around(project)
    state = trust_state(environment)
    assert (state.trusted, state.reason) == (False, "this folder has not been trusted")
    assert not is_trusted(environment)
    assert not project.path(STORE).exists()
    assert trust(environment).trusted
    assert is_trusted(environment)


def test_the_decision_is_about_everything_that_would_take_effect_and_nothing_else(project: Project) -> None:
    project.write(CODE)
    names = [file.name for file in trust_state(around(project)).files]
    assert names == [".xcsh/extensions/a.py", ".xcsh/commands/b.py", ".xcsh/settings.toml"]


def _edit(project: Project) -> None:
    project.write({".xcsh/extensions/a.py": "A = 2\n"})


def _edit_without_a_trace(project: Project) -> None:
    path = project.path(".xcsh/extensions/a.py")
    before = path.stat()
    path.write_text("A = 9\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _add(project: Project) -> None:
    project.write({".xcsh/commands/new.py": ""})


def _remove(project: Project) -> None:
    project.path(".xcsh/commands/b.py").unlink()


def _change_settings(project: Project) -> None:
    project.write({".xcsh/settings.toml": "reference = false\n"})


def _link_out(project: Project) -> None:
    project.write({"~/evil.py": "A = 1\n"})  # the same content, so that only the link is the difference
    project.path(".xcsh/extensions/a.py").unlink()
    project.link(".xcsh/extensions/a.py", project.path("~/evil.py"))


def _link_the_folder_out(project: Project) -> None:
    project.path(".xcsh/extensions").rename(project.path("~/elsewhere"))
    project.link(".xcsh/extensions", project.path("~/elsewhere"))


def _add_a_link_to_nothing(project: Project) -> None:
    project.link(".xcsh/commands/later.py", "not-yet")


def _add_a_pipe(project: Project) -> None:
    os.mkfifo(project.path(".xcsh/commands/pipe.py"))


def _grow_beyond_the_limit(project: Project) -> None:
    project.write({".xcsh/commands/b.py": "#" * 1_048_577})


CHANGES: list[tuple[Callable[[Project], None], str]] = [
    (_edit, ".xcsh/extensions/a.py has changed"),
    (_edit_without_a_trace, ".xcsh/extensions/a.py has changed"),
    (_add, ".xcsh/commands/new.py is new"),
    (_remove, ".xcsh/commands/b.py is gone"),
    (_change_settings, ".xcsh/settings.toml has changed"),
    (_link_out, ".xcsh/extensions/a.py is a link that leaves the project"),
    (_link_the_folder_out, ".xcsh/extensions/a.py is a link that leaves the project"),
    (_add_a_link_to_nothing, ".xcsh/commands/later.py cannot be read: the link leads nowhere"),
    (_add_a_pipe, ".xcsh/commands/pipe.py cannot be read: not a regular file"),
    (_grow_beyond_the_limit, ".xcsh/commands/b.py cannot be read: 1,048,577 bytes, above the limit"),
]


@pytest.mark.parametrize(("change", "reason"), CHANGES, ids=lambda value: getattr(value, "__name__", ""))
def test_any_change_ends_the_trust_and_the_reason_names_the_file(
    project: Project, trusted: Environment, change: Callable[[Project], None], reason: str
) -> None:
    change(project)
    state = trust_state(trusted)
    assert not state.trusted
    assert state.reason.startswith("since this folder was trusted: ")
    assert reason in state.reason
    assert not is_trusted(trusted)


def test_a_change_that_is_taken_back_brings_the_trust_back(project: Project, trusted: Environment) -> None:
    _edit(project)
    assert not is_trusted(trusted)
    project.write(CODE)
    assert is_trusted(trusted)


def test_a_folder_that_was_trusted_empty_is_not_trusted_with_code(project: Project) -> None:
    environment = around(project)
    assert trust(environment).trusted
    project.write(CODE)
    assert not is_trusted(environment)


def test_trust_belongs_to_the_real_path_and_not_to_its_content(
    project: Project, trusted: Environment, tmp_path: Path
) -> None:
    same = tmp_path / "link"
    same.symlink_to(project.root)
    assert is_trusted(make_environment(str(same), trusted.home))
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, content in CODE.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(content)
    assert not is_trusted(make_environment(str(copy), trusted.home))


def test_trust_in_a_project_is_none_in_its_sub_folders(project: Project, trusted: Environment) -> None:
    project.write({"sub/.xcsh/extensions/a.py": "A = 1\n"})
    assert not is_trusted(around(project, "sub"))


def test_what_is_trusted_is_what_was_seen_and_not_what_has_come_since(project: Project) -> None:
    project.write(CODE)
    environment = around(project)
    seen = trust_state(environment)
    project.write({".xcsh/extensions/a.py": "import evil\n"})
    after = trust(environment, seen)
    assert (after.trusted, after.reason) == (False, "since this folder was trusted: .xcsh/extensions/a.py has changed")
    project.write(CODE)
    assert is_trusted(environment)


def test_a_settings_file_that_was_read_counts_only_with_the_trusted_content(trusted: Environment) -> None:
    assert is_trusted(trusted, settings=b"reference = true\n")
    assert not is_trusted(trusted, settings=b"reference = false\n")


def test_a_folder_with_a_file_that_cannot_be_vouched_for_cannot_be_trusted(project: Project) -> None:
    project.write(CODE)
    _link_out(project)
    with pytest.raises(UsageError, match=r"a\.py is a link that leaves the project"):
        trust(around(project))
    assert not project.path(STORE).exists()


def test_a_link_inside_the_repository_is_fine(project: Project) -> None:
    project.make_repository()
    project.write({"tools/a.py": "A = 1\n"})
    project.link("sub/.xcsh/extensions/a.py", project.root / "tools/a.py")
    environment = around(project, "sub")
    assert trust(environment).trusted
    project.write({"tools/a.py": "A = 2\n"})
    assert not is_trusted(environment)


def test_revoking_ends_the_trust_and_says_whether_there_was_any(trusted: Environment) -> None:
    assert revoke(trusted)
    assert not is_trusted(trusted)
    assert not revoke(trusted)


def test_folders_are_trusted_side_by_side(project: Project, trusted: Environment) -> None:
    project.write({"sub/.xcsh/extensions/a.py": ""})
    other = around(project, "sub")
    trust(other)
    assert is_trusted(trusted)
    assert trusted_folders(trusted) == tuple(sorted(os.path.realpath(each.cwd) for each in (trusted, other)))
    revoke(trusted)
    assert is_trusted(other)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"null",
        b'{"version": 1}',
        b'{"version": 2, "folders": {}}',
        b'{"version": 1, "folders": []}',
        b'{"version": 1, "folders": {"/": []}}',
        b'{"version": 1, "folders": {"/": {"a": 1}}}',
    ],
    ids=range(10),
)
def test_a_broken_store_is_a_finding_trusts_nothing_and_is_never_overwritten(project: Project, content: bytes) -> None:
    project.write({**CODE, STORE: content})
    environment = around(project)
    found: list[Diagnostic] = []
    assert not is_trusted(environment, found.append)
    assert not trust_state(environment, found.append).trusted
    assert [(item.code, item.path) for item in found] == [("invalid-trust-file", str(project.path(STORE)))] * 2
    for change in (trust, revoke):
        with pytest.raises(UsageError, match="cannot be read, so it is not changed"):
            change(environment)
    assert project.path(STORE).read_bytes() == content


def test_the_store_is_readable_by_its_owner_alone_and_nothing_half_written_stays(
    project: Project, trusted: Environment
) -> None:
    store = project.path(STORE)
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert os.listdir(store.parent) == ["trust.json"]
    assert json.loads(store.read_text())["version"] == 1


def test_a_store_that_is_a_link_stays_one(project: Project) -> None:
    project.write({**CODE, "~/dotfiles/trust.json": '{"version": 1, "folders": {}}'})
    link = project.link(STORE, project.path("~/dotfiles/trust.json"))
    trust(around(project))
    assert link.is_symlink()
    assert is_trusted(around(project))


def test_a_home_that_cannot_be_written_to_is_said_in_a_sentence(project: Project) -> None:
    project.write({**CODE, "~/.xcsh": "a file where a folder should be"})
    with pytest.raises(UsageError, match=r"trust\.json cannot be (read|written)"):
        trust(around(project))


def test_names_and_folders_that_are_no_text_can_be_trusted(project: Project) -> None:
    odd = os.path.join(os.fsencode(project.root), b"caf\xe9")
    os.makedirs(os.path.join(odd, b".xcsh/extensions"))
    with open(os.path.join(odd, b".xcsh/extensions/\xe9.py"), "wb"):
        pass
    environment = make_environment(os.fsdecode(odd), os.fspath(project.home))
    assert trust(environment).trusted
    assert is_trusted(environment)


TRUST = """
import sys
from xcsh.sources.trust import store as trust_store
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust
from xcsh.sources.trust.store import change_store

home, *folders = sys.argv[1:]
if folders[0] == "slowly":
    def add(stored):
        print("holds it", flush=True)
        sys.stdin.readline()
        stored.folders["/slow"] = {}
        return True
    change_store(make_environment(home, home), add)
else:
    for folder in folders:
        trust(make_environment(folder, home))
"""


def test_processes_that_trust_at_the_same_time_lose_nothing(project: Project) -> None:
    folders = [os.fspath(project.path(f"p{number}")) for number in range(12)]
    for folder in folders:
        os.mkdir(folder)
    code = [sys.executable, "-c", TRUST, os.fspath(project.home)]
    with subprocess.Popen([*code, "slowly"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as slow:
        assert slow.stdin
        assert slow.stdout
        try:
            assert slow.stdout.readline() == "holds it\n"  # it has read the store, and has not written it
            others = [subprocess.Popen([*code, *folders[start::3]]) for start in range(3)]
            store = os.open(project.path(STORE).parent, os.O_RDONLY)
            assert not lock(store)
            os.close(store)
        finally:
            slow.stdin.write("\n")
            slow.stdin.close()
        assert slow.wait(60) == 0
    assert [other.wait(60) for other in others] == [0] * 3
    assert trusted_folders(around(project)) == tuple(sorted(["/slow", *map(os.path.realpath, folders)]))
    assert sorted(path.name for path in project.path(STORE).parent.iterdir()) == ["trust.json"]


def test_a_store_that_another_process_does_not_let_go_of_is_an_error_with_what_to_do(
    trusted: Environment, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_store, "_PATIENCE", 0.0)
    before = project.path(STORE).read_bytes()
    store = os.open(project.path(STORE).parent, os.O_RDONLY)
    try:
        assert lock(store)
        with pytest.raises(UsageError, match="another process is changing it") as caught:
            revoke(trusted)
    finally:
        os.close(store)
    assert caught.value.hint == "try again"
    assert project.path(STORE).read_bytes() == before
    assert revoke(trusted)


def test_to_revoke_what_was_never_trusted_leaves_nothing_behind(project: Project) -> None:
    assert not revoke(around(project))
    assert not project.path(STORE).parent.exists()
