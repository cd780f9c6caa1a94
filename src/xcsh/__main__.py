"""`python -m xcsh`, and the console script: no module of the working folder passes for one that we import."""

# No `from __future__` here and in `xcsh/__init__.py`: that is an import too, which a project's __future__.py would get.
import os  # frozen into the interpreter, as `sys` is: no folder can hold another one
import sys


def run() -> int:
    """Runs the command line, without the working folder and what is below it on `sys.path`; returns the exit code."""
    sys.path[:] = clean_path(sys.path, os.environ.get("PYTHONPATH", ""), _working_folder())
    from xcsh.cli.main import main  # noqa: PLC0415 - the path has to be clean by then

    return main()


def clean_path(entries: list[str], python_path: str, cwd: str) -> list[str]:
    """`entries` without what parts of `python_path` put there that are no whole paths: they mean the working folder, as
    an empty one does, or one below or beside it.

    A folder that is named in full stays, and so does the one that holds xcsh itself.
    """
    parts = python_path.split(os.pathsep) if python_path else []
    relative = [part for part in parts if not os.path.isabs(part)]
    dropped = {*relative, *(os.path.normpath(os.path.join(cwd, part)) for part in relative)}
    if not dropped.isdisjoint(here := {"", os.curdir, cwd}):
        dropped |= here
    kept = {os.path.normpath(part) for part in parts if os.path.isabs(part)} | {_own_folder()}
    return [entry for entry in entries if entry not in dropped or entry in kept]


def _own_folder() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""


def _drop_first() -> None:
    """`python -m` has put the working folder first, where a project's json.py would pass for the real one."""
    if not sys.flags.safe_path and sys.path and sys.path[0] != _own_folder():
        del sys.path[0]


if __name__ == "__main__":
    _drop_first()
    sys.exit(run())
