"""Processes that are killed while they change files or undo: what is found afterwards can always be undone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.session.undo.journals import Journal, change, die_at, killed, tree

ONE = {"a": b"one\n", "run": b"#!/bin/sh\n", "bin": b"\0\xff"}
TWO = {"a": b"two\n", "run": b"#!/bin/bash\n", "new/deep/b": b"b\n", "new/c": b""}


class Scene:
    """A folder with files, and a journal of a turn that changed them."""

    def __init__(self, base: Path) -> None:
        base.mkdir()
        self.work = base / "work"
        self.work.mkdir()
        self.base = base
        for name, content in ONE.items():
            (self.work / name).write_bytes(content)
        (self.work / "run").chmod(0o755)
        self.before = tree(self.work)

    @property
    def journal(self) -> Journal:
        """Opened anew each time, as after a crash."""
        return Journal(self.base / "journal")

    def turn(self, changes: Sequence[tuple[str, bytes]] = (*TWO.items(), ("a", b"three\n"))) -> None:
        journal = self.journal
        for name, content in changes:
            change(journal, self.work, name, content)

    def files(self) -> dict[str, bytes | None]:
        """What is there, but for folders of which nobody can tell who made them."""
        return {name: content for name, content in tree(self.work).items() if content is not None}

    def temporaries(self) -> list[str]:
        return [name for name in tree(self.work) if ".xcsh-undo" in name]


def test_a_turn_that_is_killed_anywhere_can_be_undone(tmp_path: Path) -> None:
    # S-13
    step = 0
    while True:
        scene = Scene(tmp_path / str(step))

        def work(scene: Scene = scene, step: int = step) -> None:
            die_at(step)
            scene.turn([("run", b"2"), ("new/b", b"b"), ("run", b"3")])

        was_killed = killed(work)
        if scene.journal.kinds():
            scene.journal.undo(scene.work)
        assert scene.files() == scene.before, f"killed before call {step}"
        assert (scene.work / "run").stat().st_mode & 0o777 == 0o755
        if not was_killed:
            break
        step += 1
    assert step > 40


def test_an_undo_that_is_killed_anywhere_is_finished_by_the_next_and_can_be_redone(tmp_path: Path) -> None:
    # S-13
    step = 0
    while True:
        scene = Scene(tmp_path / str(step))
        scene.turn([("run", b"2"), ("new/deep/b", b"b"), ("run", b"3")])
        after = tree(scene.work)

        def work(scene: Scene = scene, step: int = step) -> None:
            die_at(step)
            scene.journal.undo(scene.work)

        was_killed = killed(work)
        half = tree(scene.work)
        for name, content in half.items():
            if name in ONE or name in TWO:
                assert content in (ONE.get(name), after.get(name)), f"{name} is torn after call {step}"
        if was_killed and "undo_ended" not in scene.journal.kinds():
            assert scene.journal.undo(scene.work).undone == "t1"
        assert tree(scene.work) == scene.before, f"killed before call {step}"
        assert not scene.temporaries()
        scene.journal.redo(scene.work)
        assert tree(scene.work) == after, f"redone after being killed before call {step}"
        if not was_killed:
            break
        step += 1
    assert step > 40


@pytest.mark.parametrize("seed", range(20))
def test_an_undo_that_is_killed_again_and_again_ends_as_one_that_was_not(tmp_path: Path, seed: int) -> None:
    # S-13
    chance = random.Random(seed)
    scene = Scene(tmp_path / "scene")
    scene.turn()
    after = tree(scene.work)
    for _ in range(chance.randint(1, 4)):
        step = chance.randint(0, 60)

        def work(step: int = step) -> None:
            die_at(step)
            scene.journal.undo(scene.work)

        if not killed(work):
            break
    if "undo_ended" not in scene.journal.kinds():
        scene.journal.undo(scene.work)
    assert tree(scene.work) == scene.before
    assert not scene.temporaries()
    scene.journal.redo(scene.work)
    assert tree(scene.work) == after


def test_after_a_crash_in_an_undo_what_the_user_wrote_before_it_goes_on_is_kept(tmp_path: Path) -> None:
    # S-13
    littered = 0
    for step in range(32):
        scene = Scene(tmp_path / str(step))
        scene.turn([("run", b"2\n"), ("a", b"three\n")])

        def work(scene: Scene = scene, step: int = step) -> None:
            die_at(step)
            scene.journal.undo(scene.work)

        killed(work)
        littered += bool(scene.temporaries())
        with (scene.work / "a").open("ab") as file:
            file.write(b"mine\n")
        scene.journal.undo(scene.work)
        assert b"mine\n" in (scene.work / "a").read_bytes()
        assert (scene.work / "run").read_bytes() == ONE["run"]
        assert not scene.temporaries()
    assert littered
