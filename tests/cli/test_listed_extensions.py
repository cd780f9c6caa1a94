"""What `xcsh commands` says of extensions, whose commands are known only where they run (C-30, U-3)."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape
from tests.cli.test_calls import trust_project


# U-3, U-4: by their files, without running them
def test_extensions_are_listed_by_their_files_and_not_run(xcsh: Xcsh, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    body = f"open({str(mark)!r}, 'w')\ndef register(extension): ...\n"
    paths = [".xcsh/extensions/b.py", ".xcsh/extensions/c.py", "~/.xcsh/agent/extensions/a.py"]
    xcsh.project.write(dict.fromkeys(paths, body))
    xcsh.project.link("~/.xcsh/agent/extensions/gone.py", "nowhere")

    def states() -> list[tuple[str, str, bool, str | None]]:
        shape = xcsh("commands", "--json").json
        check_shape("commands", shape)
        assert [item["commands"] for item in shape["extensions"]] == [None] * 4
        return [(item["name"], item["level"], item["active"], item["reason"]) for item in shape["extensions"]]

    mine = [("a", "user", True, None), ("gone", "user", False, "dangling-link")]
    assert states() == [("b", "project", False, "untrusted"), ("c", "project", False, "untrusted"), *mine]
    lines = [" ".join(line.split()) for line in xcsh("commands").out.splitlines()]
    at = lines.index("EXTENSIONS their commands are known when a session runs them")
    assert lines[at + 1 : at + 6] == [
        ".xcsh/extensions/b.py untrusted: xcsh trust",
        ".xcsh/extensions/c.py untrusted: xcsh trust",
        "~/.xcsh/agent/extensions/a.py active",
        "~/.xcsh/agent/extensions/gone.py not run: dangling-link",
        "",
    ]
    trust_project(xcsh)
    assert states()[:2] == [("b", "project", True, None), ("c", "project", True, None)]
    assert "untrusted" not in xcsh("commands").out
    assert not mark.exists()


# U-3
def test_without_extensions_there_is_no_word_of_them(xcsh: Xcsh) -> None:
    xcsh.project.write({".xcsh/commands/a.md": "A."})
    assert "EXTENSIONS" not in xcsh("commands").out
    assert xcsh("commands", "--json").json["extensions"] == []
