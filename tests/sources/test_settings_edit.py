"""Adding to a list in settings.toml: nothing else in the file changes, whatever it looks like."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from xcsh.errors import UsageError
from xcsh.sources.settings.editing import add_to_list, remove_from_list, set_value, unset_value

PATTERN = "shell(git status:*)"
ADD = (
    "import sys; from xcsh.sources.settings.editing import add_to_list\n"
    "for n in range(10): add_to_list(sys.argv[1], 'consent.allow', f'tool-{sys.argv[2]}-{n}')"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "settings.toml"


def written(file: Path, before: str | None = None, key: str = "consent.allow") -> str:
    if before is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(before.encode())
    assert add_to_list(str(file), key, PATTERN)
    return file.read_bytes().decode()


def test_a_missing_file_and_its_folder_are_made_and_are_the_users_alone(file: Path) -> None:
    # S-12
    assert tomllib.loads(written(file)) == {"consent": {"allow": [PATTERN]}}
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\nmodel = 'a'  # best\n\n[ttsr]\n# off for now\nenabled = false\n",
        "[consent]\nallow = []\n",
        "[consent]\nallow = [\n    'a', # why\n    'b',\n]  # end\nedits = 'ask'\n\n[ttsr]\nenabled = true\n",
        "consent.allow = ['a']\nmodel = 'm'\n",
        "consent = { allow = ['a'], edits = 'ask' }\n",
        "[consent]\ndeny = ['shell(rm:*)']\n\n[ttsr]\nenabled = true",
        "[ttsr]\nenabled = true\n[consent]\n[prompt]\nstable = true\n",
        "model = 'm'\r\n# note\r\n[consent]\r\nallow = ['a']\r\n",
        "\ufeff[consent]\nallow = ['a']\n",
        "consent.edits = 'ask'\nttsr.enabled = true\n",
        "['consent']\n\"allow\" = ['a']\n",
    ],
)  # fmt: skip
def test_the_list_grows_and_comments_order_and_everything_else_stay(file: Path, before: str) -> None:
    # S-12
    after = written(file, before)
    told = tomllib.loads(after.removeprefix("\ufeff"))
    expected = tomllib.loads(before.removeprefix("\ufeff"))
    expected.setdefault("consent", {}).setdefault("allow", []).append(PATTERN)
    assert told == expected
    assert after.startswith("\ufeff") == before.startswith("\ufeff")
    kept = [line for line in before.splitlines() if "allow" not in line and line != "    'b',"]
    lines = iter(after.splitlines())
    assert all(line in lines for line in kept)


def test_what_is_in_the_list_is_not_added_again_and_the_file_is_left_alone(file: Path) -> None:
    # S-12
    written(file, "consent.allow = [ 'x' ]\n")
    before = file.stat()
    assert not add_to_list(str(file), "consent.allow", PATTERN)
    assert file.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("model = \n[consent]\nallow = []\n", r"settings\.toml:1:8: no TOML, so it is not changed"),
        ("a = 1\na = 2\n", "no TOML|is no TOML"),
        ("consent = 1\n", "`consent` is no table"),
        ("consent.allow = 'shell'\n", "`consent.allow` is no list"),
        ("[[consent]]\nallow = []\n", "`consent` is no table"),
        ("x = '\udcff'", "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_not_touched(file: Path, before: str, says: str) -> None:
    # S-12
    file.parent.mkdir()
    data = before.encode("utf-8", "surrogateescape")
    file.write_bytes(data)
    with pytest.raises(UsageError, match=says) as caught:
        add_to_list(str(file), "consent.allow", PATTERN)
    assert caught.value.hint
    assert file.read_bytes() == data
    assert {path.name for path in file.parent.iterdir()} == {"settings.toml"}


def test_a_link_is_followed_and_stays_a_link_and_the_files_mode_is_kept(file: Path, tmp_path: Path) -> None:
    # S-12
    target = tmp_path / "dotfiles" / "xcsh.toml"
    target.parent.mkdir()
    target.write_text("model = 'm'\n")
    target.chmod(0o640)
    file.parent.mkdir()
    file.symlink_to(target)
    written(file)
    assert file.is_symlink()
    assert PATTERN in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640


def test_writers_at_the_same_time_lose_nothing(file: Path) -> None:
    # S-12
    processes = [subprocess.Popen([sys.executable, "-c", ADD, str(file), str(number)]) for number in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert len(set(tomllib.loads(file.read_text())["consent"]["allow"])) == 40


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_an_error_with_what_to_do(file: Path) -> None:
    # S-12
    file.parent.mkdir()
    file.parent.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be written"):
        add_to_list(str(file), "consent.allow", PATTERN)


def test_a_folder_in_the_files_place_is_an_error(file: Path) -> None:
    # S-12
    file.mkdir(parents=True)
    with pytest.raises(UsageError, match="not changed"):
        add_to_list(str(file), "consent.allow", PATTERN)


SETS = {
    "nothing": ("", "ttsr.enabled", False, "[ttsr]\nenabled = false\n"),
    "a value with a comment": (
        "# c\n[ttsr]\n# off\nenabled = true # why\n\n[prompt]\nstable=true\n", "ttsr.enabled", False,
        "# c\n[ttsr]\n# off\nenabled = false # why\n\n[prompt]\nstable=true\n"),
    "a key without a table": ("[prompt]\nstable=true\n", "model", "m", 'model = "m"\n\n[prompt]\nstable=true\n'),
    "a dotted key": ("ttsr.enabled = true\nmodel='m'\n", "ttsr.enabled", False, "ttsr.enabled = false\nmodel='m'\n"),
    "an inline table": (
        "ttsr = {enabled = true, repeat_gap=1}\n", "ttsr.repeat_gap", 3, "ttsr = {enabled = true, repeat_gap=3}\n"),
    "a list": ("", "consent.deny", ("a", "b"), '[consent]\ndeny = ["a", "b"]\n'),
    "a list that keeps some": (
        "[consent]\ndeny = [\n 'a', # A\n 'b', # B\n]\n", "consent.deny", ("b", "c"),
        "[consent]\ndeny = [\n 'b', # B\n \"c\",\n]\n"),
    "a list in another order": ("consent.deny = ['a', 'b']\n", "consent.deny", ("b", "a"), 'consent.deny = ["b", "a"]\n'),
    "a list with doubles": ("consent.deny = ['a', 'a']\n", "consent.deny", ("a",), 'consent.deny = ["a"]\n'),
    "no list any more": ("consent.deny = ['a']\n", "consent.deny", (), "consent.deny = []\n"),
    "a number that was a bool": ("[ttsr]\nrepeat_gap = true\n", "ttsr.repeat_gap", 1, "[ttsr]\nrepeat_gap = 1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "key", "value", "after"), SETS.values(), ids=SETS)
def test_a_value_is_set_and_everything_else_stays(file: Path, before: str, key: str, value: object, after: str) -> None:
    file.parent.mkdir()
    file.write_text(before)
    assert set_value(str(file), key, value)
    assert file.read_text() == after
    assert not set_value(str(file), key, value)
    assert file.read_text() == after


UNSETS = {
    "a value": ("# c\n[ttsr]\n# off\nenabled = true # why\nrepeat_gap = 1\n", "# c\n[ttsr]\n# off\nrepeat_gap = 1\n"),
    "the last of a table": ("[ttsr]\nenabled = true\n\n[prompt]\n", "[ttsr]\n\n[prompt]\n"),
    "a dotted key": ("ttsr.enabled = true\nmodel='m'\n", "model='m'\n"),
    "nothing": ("[ttsr]\nrepeat_gap = 1\n", None),
    "no table": ("ttsr = 1\n", None),
    "an empty file": ("", None),
}


@pytest.mark.parametrize(("before", "after"), UNSETS.values(), ids=UNSETS)
def test_a_value_is_taken_out_and_everything_else_stays(file: Path, before: str, after: str | None) -> None:
    file.parent.mkdir()
    file.write_text(before)
    assert unset_value(str(file), "ttsr.enabled") is (after is not None)
    assert file.read_text() == (before if after is None else after)


@pytest.mark.parametrize("before", ["ttsr = 1\n", "[[ttsr]]\nx = 1\n", "ttsr = ["])
def test_a_value_that_cannot_be_set_safely_is_not_set(file: Path, before: str) -> None:
    file.parent.mkdir()
    file.write_text(before)
    with pytest.raises(UsageError) as caught:
        set_value(str(file), "ttsr.enabled", False)
    assert caught.value.hint
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '# mine\n[discovery]\ndisabled = ["cursor", "rule:a"] # both\n',
            '# mine\n[discovery]\ndisabled = ["cursor"] # both\n',
        ),
        (
            '[discovery]\ndisabled = [\n  "rule:a",  # why\n  "cursor",\n]\n',
            '[discovery]\ndisabled = [\n  "cursor",\n]\n',
        ),
        ('discovery.disabled = ["rule:a", "rule:a"]\n', "discovery.disabled = []\n"),
    ],
)
def test_a_text_is_taken_out_of_a_list_and_everything_else_stays(file: Path, before: str, after: str) -> None:
    # S-23
    file.parent.mkdir()
    file.write_text(before, "utf-8")
    assert remove_from_list(str(file), "discovery.disabled", "rule:a")
    assert file.read_text("utf-8") == after
    assert not remove_from_list(str(file), "discovery.disabled", "rule:a")
    assert file.read_text("utf-8") == after


def test_nothing_is_taken_out_of_what_is_no_list(file: Path) -> None:
    # S-23
    assert not remove_from_list(str(file), "discovery.disabled", "rule:a")
    assert not file.exists()
    file.write_text('[discovery]\ndisabled = "rule:a"\n', "utf-8")
    with pytest.raises(UsageError, match="is no list"):
        remove_from_list(str(file), "discovery.disabled", "rule:a")
