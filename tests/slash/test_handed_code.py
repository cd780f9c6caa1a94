"""Which included shell lines hand an argument to a program as code, and which give it as an argument (C-42)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import USER_SETTINGS, Project, codes_of, diagnostic_of

from xcsh.slash.expansion import expand
from xcsh.slash.handed_code import code_given_to
from xcsh.slash.placeholders import places


def given_to(line: str) -> str:
    return code_given_to(line, places(line, escapes=True))


# C-42
@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("sh -c 'grep -r $1 .'", "sh -c"),
        ('sh -c "echo $ARGUMENTS"', "sh -c"),
        ("sh -c {{args}}", "sh -c"),
        ("/bin/bash -lc 'x $@[2]'", "bash -c"),
        ("bash -euo pipefail -c 'x $1'", "bash -c"),
        ("bash -co pipefail 'x $1'", "bash -c"),
        ("eval echo $1", "eval"),
        ("python3.12 -Ic 'print($1)'", "python3.12 -c"),
        ("python -c\"print('$1')\"", "python -c"),
        ("node --eval=$1", "node --eval"),
        ("node -pe '$1'", "node -e"),
        ("perl -ne 'print if /$1/' file", "perl -e"),
        ("awk '{print $1}' file", "awk"),
        ("sed -n 's/x/$1/p' file", "sed"),
        ("ssh -p 22 host ls $1", "ssh"),
        ("ssh -o ProxyCommand=$1 host", "ssh -o"),
        ("ls | xargs sh -c 'rm $1' _", "sh -c"),
        ("find . -exec sh -c 'x $1' \\;", "sh -c"),
        ("sudo -u me timeout 5 python -c 'f($1)'", "python -c"),
        ("docker exec web sh -c '$1'", "sh -c"),
        ("echo $1 | sh", "sh"),
        ("printf %s $1 |\n  sudo bash -", "bash"),
        ("cat <<EOF | bash\necho $1\nEOF", "bash"),
        ("bash -x <<-EOF\n\techo $1\n\tEOF\nls", "bash"),
        ("bash <<< $1", "bash"),
        ('x=$1; sh -c "echo $x"', "sh -c"),
        ('export x="a $1"\nsh -c "echo ${x}"', "sh -c"),
        ('for f in $@; do sh -c "rm $f"; done', "sh -c"),
        ('echo "now: $(sh -c "$1")"', "sh -c"),
        ("echo `eval $1`", "eval"),
        ('sh -c "$(printf %s $1)"', "sh -c"),
        ("if test -n $1; then eval $1; fi", "eval"),
        ("A=b ! eval $1", "eval"),
        ("case x in a) sh -c $1;; esac", "sh -c"),
        ("trap 'rm $1' EXIT", "trap"),
        *(
            (f"perl {options} $1", "perl -e")
            for options in ("-le", "-lne", "-l015e", "-0ne", "-0777pe", "-p0xfF -e", "-de")
        ),
        *((f"ruby {options} $1", "ruby -e") for options in ("-0ne", "-W0e", "-Kue", "-lne")),
        ('perl -lane "print $1"', "perl -e"),
        ("perl -I lib -e $1", "perl -e"),
        ("perl -Ilib -d:Trace -e $1", "perl -e"),
        ('python3 \\\n -c "$1"', "python3 -c"),
        ("python3 -\\\nc $1", "python3 -c"),
        ('sh -c "echo \\\n$1"', "sh -c"),
        ("head -n $(( $(sh -c $1) + `eval $1` )) f", "sh -c"),
        ("echo $(( $((1)) + $(eval $1) ))", "eval"),
        ("tcsh -c $1", "tcsh -c"),
        ('bash --rcfile x -c "$1"', "bash -c"),
        ("fish --command=$1", "fish --command"),
        ("node -r ./x --import y -e $1", "node -e"),
        ("sed s/a/b/ f -e $1", "sed -e"),
        ("pwsh -NoProfile -ExecutionPolicy Bypass -Command $1", "pwsh -Command"),
        ('su -c "$1" bob', "su -c"),
        ('su - bob -c "$1"', "su -c"),
        ('script -qc "$1" /dev/null', "script -c"),
        ("script -q /dev/null python3 -ic $1", "script -c"),  # on Linux; on macOS Python gets it
        ("flock -n file -c $1", "flock -c"),
        ("env -S $1", "env -S"),
        ("time -p sh -c $1", "sh -c"),
        ("time sh -c $1", "sh -c"),
        ("/usr/bin/time -f %e sh -c $1", "sh -c"),
        ("env -i A=b nice -n 5 timeout -k 5 10 sh -c $1", "sh -c"),
        ("sudo -u sh -- python -c $1", "python -c"),
        ("xargs -I{} -n 1 sh -c $1", "sh -c"),
        ("find . -exec test -f {} \\; -exec sh -c $1 \\;", "sh -c"),
        ("docker run -it python python -c $1", "python -c"),
        ("docker compose -f x.yml exec -T web sh -c $1", "sh -c"),
        ("kubectl exec pod -- sh -c $1", "sh -c"),
        ("uv run --with x python -c $1", "python -c"),
        ("npx -p x -c $1", "npx -c"),
    ],
)
def test_an_argument_inside_of_code_is_found(line: str, program: str) -> None:
    assert given_to(line) == f"`{program}`, as code"


# C-42
@pytest.mark.parametrize(
    "line",
    [
        *("$1 --version", "{{args}}", "sudo $1", "xargs $ARGUMENTS < names", "sudo -u me $1", "timeout 5 $1", "npx -y $1"),
        *("$(echo $1) x", "`echo $1` x", "$PREFIX$1 x", "${X:-$1} x", '""$1', "uvx $1", "npm exec -- $1", "find -exec $1 ;", "script -q x $1"),
        "(( $1 ))",  # a bracket in a bracket for shells that know no arithmetic there, as dash
    ],
)  # fmt: skip
def test_an_argument_that_names_the_program_is_found(line: str) -> None:
    assert given_to(line) == "the shell, as the program to run"


# C-42: "no false positives"
@pytest.mark.parametrize(
    "line",
    [
        "git log --grep $1",
        "grep -r {{args}} .",
        "./scripts/$1.sh",
        "sh -c 'echo hi' sh $1",
        'sh -c \'echo "${1}"\' sh "$1"',
        "bash -x script.sh -c $1",
        "bash script.sh $1",
        "python3 -c 'import sys; print(sys.argv)' $1",
        "python3 -m tool -c $1",
        "python - $1 <<'EOF'\nprint(1)\nEOF",
        "node -e 'f()' $1",
        "perl -pe 's/x/y/' $1",
        "awk -v x=$1 '{print x}' file",
        "awk -F , '{print NR}' $1",
        "sed -i.bak -e s/a/b/ $1",
        "ssh -i $1 host ls",
        "ls | xargs -n 1 sh -c 'rm \"$0\"' $1",
        "find . -name $1 -exec grep sh {} \\;",
        "docker run -e A=$1 web sh -c 'echo $A'",
        "grep sh -c $1",
        "echo sh -c $1",
        'git commit -m "sh -c $1"',
        "echo $1 | grep sh",
        "echo hi | sh; ls $1",
        "echo $1 || sh",
        "bash <<'EOF'\necho $1\nEOF",
        "cat <<EOF\nsh -c $1\nEOF",
        "ls > sh $1 2>&1",
        "x=$1; sh -c 'echo $x'",
        "x=$1; ls $x",
        "# sh -c $1\nls $1",
        "sh -c 'echo \\$1'",
        "sh -c 'echo $0 $HOME'",
        "sh -c 'ls'",
        "",
        *("head -n $(( $1 )) f", "echo $(( $1 + 1 ))", "$(( $1 )) x", 'sh -c "exit $(( $1 ))"'),
        *("$HOME/bin/$1", "${CLAUDE_PLUGIN_ROOT}/scripts/$1.sh", "$(dirname x)/$1", "sudo $HOME/bin/$1", "x-$1"),
        *(
            "find python -c $1",
            "find . -name sh -o -name $1",
            "docker build -t python -c $1",
            "docker exec -it $1 bash",
        ),
        *(
            "uv pip install node -p $1",
            "uv add run $1",
            "npm run x $1",
            "npx prettier -c $1",
            "poetry add python -c $1",
        ),
        *(
            "sudo grep sh -c $1",
            "timeout 5 ls $1",
            "command -v $1",
            "env -u sh ls -c $1",
            "sudo -u $1 ls",
            "sudo -l $1",
        ),
        *("script -c ls $1", "su -c ls $1", "flock f -c ls", "watch -n $1 ls", "time ls $1", "bash --rcfile $1 x"),
        *("perl -i.e $1", "perl -Me $1", "perl -lne 1 $1", "ls \\\n $1", "# x \\\nls $1", "sed -i.bak s/a/b/ $1"),
    ],
)
def test_an_argument_beside_of_code_is_none(line: str) -> None:
    assert given_to(line) == ""


SHELL = st.lists(st.sampled_from(["sh", "-c", " ", "\n", "$1", "$(", ")", "`", "'", '"', "\\", "|", ";", "\\\n", "$((", "))", "<<", "EOF", "<(", "x=", "#", "2>", "&", "<<<", "eval"]), max_size=20)  # fmt: skip


# AGENTS.md: what is wrong in a user's file raises nothing
@given(SHELL.map("".join))
def test_any_line_is_read(line: str) -> None:
    given_to(line)


# AGENTS.md: "Time and memory grow with the input, whatever the input"
@pytest.mark.parametrize(
    "unit",
    [
        *("$(", "`", "'", '"$(', "a=$1;", "<<A\n", "$1|sh ", "((", "<(", "-c ", "a", "\\\n", "$((", "$(( $(", "${"),
        *("sudo ", "find -exec ", "docker run ", "docker run sh ", "perl -l", "su a "),
    ],
)  # fmt: skip
def test_no_line_makes_the_search_stall(unit: str) -> None:
    started = time.process_time()
    given_to(unit * (100_000 // len(unit)) + " $1")
    assert time.process_time() - started < 10


# AGENTS.md: the same
@pytest.mark.parametrize("nested", ["$((%s))", "$((1 + $(%s)))", '"$(%s)"', "`%s`"])
def test_no_nesting_makes_the_search_fail(nested: str) -> None:
    opening, closing = nested.split("%s")
    assert given_to(f"{opening * 5_000}$1{closing * 5_000}") in ("", "the shell, as the program to run")


# C-42: at its place, by the syntax of the tool that the file is for
@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (".claude/commands/a.md", "Look:\n- !`sh -c 'ls $1'`\n", (2, 3)),
        (".claude/commands/a.md", "```!\nls\nsh -c 'ls $1'\n```\n", (1, 1)),
        (".claude/commands/a.md", "!`sh -c 'ls ${1}' sh $1` `sh -c $1`\n", None),
        (".claude/skills/a/SKILL.md", "---\ndescription: A\narguments: [file]\n---\n!`sh -c 'ls $file'`\n", (5, 1)),
        (".claude/skills/a/SKILL.md", "---\ndescription: A\n---\n!`sh -c 'ls $file'`\n", None),
        (".gemini/commands/a.toml", 'prompt = "!{sh -c {{args}}}"', (1, 11)),
        (".gemini/commands/a.toml", 'prompt = "!{sh -c $1} {{args}}"', None),
        (".opencode/command/a.md", "!`eval $2`\n", (1, 1)),
        (".cursor/commands/a.md", "!`eval $ARGUMENTS`\n", None),
    ],
)
def test_discovery_reports_what_runs_an_argument(
    path: str, text: str, found: tuple[int, int] | None, project: Project
) -> None:
    registry = project({path: text})
    assert ("include-runs-argument" in codes_of(registry)) == (found is not None)
    if found:
        diagnostic = diagnostic_of(registry, "include-runs-argument")
        assert diagnostic.position == found
        assert "as code: whoever words a call decides what runs" in diagnostic.message


# C-42, C-28: of a call it is known by the syntax that is set, also where this call has no argument for the place
@pytest.mark.parametrize(("arguments", "runs"), [("tool", True), ("reference", False)])
def test_a_call_knows_what_any_call_may_run(arguments: str, runs: bool, project: Project) -> None:  # noqa: FBT001
    files = {
        USER_SETTINGS: f'[commands]\narguments = "{arguments}"\n',
        ".claude/commands/a.md": "---\narguments: file\n---\n!`eval $file`",
    }
    (include,) = expand(project(files), "/a").includes
    assert include.code_for == ("`eval`, as code" if runs else "")
