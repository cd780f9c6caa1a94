"""Findings for GitHub's annotations and in SARIF."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Xcsh

from xcsh.surfaces.annotations import inside

BAD = {
    ".xcsh/rules/bad.md": '---\nglobs: *.ts\ncondition: "("\n---\nx\n',
    "sub/.keep": "",
}


def test_a_finding_is_an_annotation_at_its_line(xcsh: Xcsh) -> None:
    xcsh.project.write(BAD)
    xcsh.project.make_repository()
    done = xcsh("doctor", "--github")
    warning, error, total = done.out.splitlines()
    assert warning.startswith("::warning file=.xcsh/rules/bad.md,line=2,col=8,endLine=2,endColumn=12,title=")
    assert error.startswith("::error file=.xcsh/rules/bad.md,line=3,col=12,")
    assert "%0A" in error
    assert total == "1 error, 2 findings in all"
    assert done.code == 1


def test_what_a_file_says_cannot_end_an_annotation_and_begin_another(xcsh: Xcsh) -> None:
    name = "a%0A::error::x,y:z.md"
    xcsh.project.write({f".xcsh/rules/{name}": '---\ncondition: "(\\r\\n::set-output name=x::y"\n---\nx\n'})
    done = xcsh("doctor", "--github")
    *lines, _ = done.out.split("\n")[:-1]
    assert lines
    assert all(line.split(" ")[1].startswith("file=.xcsh/rules/a%250A%3A%3Aerror%3A%3Ax%2Cy%3Az.md,") for line in lines)
    assert "\r" not in done.out


def test_the_name_of_a_file_drives_no_terminal_in_the_log(xcsh: Xcsh) -> None:
    xcsh.project.write({".xcsh/rules/a\x1b[31m\u202eb\x07.md": "---\nglobs: *.ts\n---\nx\n"})
    out = xcsh("doctor", "--github").out
    assert "file=.xcsh/rules/a\\x1b[31m\\u202eb\\x07.md," in out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_files_are_named_from_the_root_of_the_repository(xcsh: Xcsh) -> None:
    xcsh.project.write({"sub/.xcsh/rules/bad.md": BAD[".xcsh/rules/bad.md"]})
    xcsh.project.make_repository()
    assert "file=sub/.xcsh/rules/bad.md," in xcsh("-C", str(xcsh.project.root / "sub"), "doctor", "--github").out


def test_the_log_in_sarif_has_the_findings_their_places_and_their_codes(xcsh: Xcsh) -> None:
    xcsh.project.write(BAD)
    done = xcsh("doctor", "--sarif")
    (run,) = done.json["runs"]
    assert (done.json["version"], run["tool"]["driver"]["name"], run["columnKind"]) == (
        "2.1.0", "xcsh", "unicodeCodePoints",
    )  # fmt: skip
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["frontmatter-repaired", "invalid-condition"]
    warning, error = run["results"]
    assert (warning["level"], error["level"]) == ("warning", "error")
    assert rules[error["ruleIndex"]] == error["ruleId"] == "invalid-condition"
    place = error["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": ".xcsh/rules/bad.md", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 12, "endLine": 3, "endColumn": 15}
    root = Path(run["originalUriBaseIds"]["SRCROOT"]["uri"].removeprefix("file://"))
    assert (root / ".xcsh/rules/bad.md").is_file()
    assert done.code == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such name")
def test_a_name_that_is_no_text_is_its_bytes_in_the_log(xcsh: Xcsh) -> None:
    xcsh.project.write(BAD)
    folder = os.fsencode(xcsh.project.root / ".xcsh/rules")
    os.rename(os.path.join(folder, b"bad.md"), os.path.join(folder, b"b\xff:d.md"))
    places = [each["locations"][0]["physicalLocation"] for each in xcsh("doctor", "--sarif").json["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {".xcsh/rules/b%FF%3Ad.md"}


def test_without_findings_the_log_is_whole_and_the_exit_code_0(xcsh: Xcsh) -> None:
    done = xcsh("doctor", "--sarif")
    assert (done.code, done.json["runs"][0]["results"]) == (0, [])


def test_one_form_at_a_time(xcsh: Xcsh) -> None:
    assert xcsh("doctor", "--sarif", "--json").code == 2


def test_a_file_outside_the_checkout_is_named_whole(xcsh: Xcsh) -> None:
    xcsh.project.write({"~/.xcsh/agent/rules/ü b.md": BAD[".xcsh/rules/bad.md"]})
    (run,) = xcsh("doctor", "--sarif").json["runs"]
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert uri.endswith("/%C3%BC%20b.md")
    assert f"file={os.fspath(xcsh.project.home)}" in xcsh("doctor", "--github").out


def test_a_path_lies_in_a_folder_only_below_it() -> None:
    assert inside("/a/b/c", "/a/b") == "c"
    assert inside("/a/b/c", "/a/b/") == "c"
    assert inside("/a/bc", "/a/b") == ""
    assert inside("C:\\a\\b", "C:\\a") == "b"


MANY = {
    **{f".cursor/rules/a{number:02}.mdc": "---\nglobs: *.ts\n---\nx\n" for number in range(9)},
    **{f".xcsh/rules/b{number}.md": '---\ndescription: b\ncondition: "("\n---\nx\n' for number in range(7)},
    ".xcsh/rules/a.md": "---\nglobs: *.ts\n---\nx\n",
}


def test_errors_come_first_and_what_is_found_everywhere_is_counted(xcsh: Xcsh) -> None:
    xcsh.project.write(MANY)
    whole = xcsh("doctor", "--json").json
    counts, found = whole["summary"], [item["code"] for item in whole["diagnostics"]]
    assert (counts["error"], counts["information"]) == (7, 9)
    done = xcsh("doctor")
    labels = [line.split(" ")[0] for line in done.out.splitlines() if line.startswith(("error", "warning", "info"))]
    severities = [label.partition("[")[0] for label in labels]
    assert severities[:8] == ["error"] * 7 + ["warning"]
    assert severities[8:14] == ["information"] * 6
    *_, folded, blank, hint, total = done.out.splitlines()
    assert folded == "information[frontmatter-repaired] 4 more, in 4 files"
    assert (blank, hint) == ("", "all of them: xcsh doctor --all")
    assert total.startswith("7 errors · 1 warning · 9 information · ")
    everything = xcsh("doctor", "--all").out
    assert sum(everything.count(f"[{code}]") for code in set(found)) == len(found)
    assert "more, in" not in everything
    places = [line for line in everything.splitlines() if "-->" in line]
    assert places[:7] == sorted(places[:7])
    assert places[8:] == sorted(places[8:])


def test_the_forms_for_programs_are_whole(xcsh: Xcsh) -> None:
    xcsh.project.write(MANY)
    count = len(xcsh("doctor", "--json").json["diagnostics"])
    assert count > 16
    assert len(xcsh("doctor", "--sarif").json["runs"][0]["results"]) == count
    assert len(xcsh("doctor", "--github").out.splitlines()) == count + 1
