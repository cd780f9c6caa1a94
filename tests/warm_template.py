"""A process that has imported what programs need, and forks for each program that it is asked to run.

`python -m tests.warm_template FD`: the socket FD brings a line of JSON and the descriptors 0, 1, 2 of the program with
one to report to. The program runs as `python -m MODULE` or `python FILE` would, in a process of its own that has no
other thread, with the interpreter's own end; only its imports are there already.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import socket
import sys
from contextlib import suppress
from typing import Any


def next_request(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """What to run, and the descriptors; None when the tests have ended."""
    data, fds, _, _ = socket.recv_fds(control, 65_536, 4)
    while data and not data.endswith(b"\n"):
        data += control.recv(65_536)
    return (json.loads(data), fds) if data else None


def build_adapters() -> None:
    """Builds what the library of agents puts off to its first use."""
    if messages := sys.modules.get("pydantic_ai.messages"):
        messages.ModelMessagesTypeAdapter.rebuild()


def wait_and_report(program: int, report: int) -> None:
    """Stands between: who asked is not the parent, and cannot wait for the program itself."""
    os.write(report, f"{program}\n".encode())
    _, status = os.waitpid(program, 0)
    with suppress(BrokenPipeError):
        os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def serve(control: socket.socket) -> dict[str, Any] | None:
    """Returns what to run, in the process that shall run it; None in this one, in the end."""
    while (found := next_request(control)) is not None:
        request, fds = found
        for name in request["imports"]:
            importlib.import_module(name)
        build_adapters()
        gc.freeze()  # a collection in a fork, at its end too, would copy every page of what is only here to be used
        if os.fork() == 0:
            control.close()
            program = os.fork()
            if program == 0:
                for target in range(3):
                    os.dup2(fds[target], target)
            for fd in fds[: 3 if program else 4]:
                os.close(fd)
            if program:
                wait_and_report(program, fds[3])
            return request
        for fd in fds:
            os.close(fd)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    return None


def open_standard_streams() -> None:
    """As the interpreter does when it starts: what they know of their descriptors was of others."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        stream = open(  # noqa: SIM115 - they are never closed
            fd,
            "w" if fd else "r",
            encoding=old.encoding,
            errors=old.errors,
            newline="\n" if fd else None,
            closefd=False,
        )
        stream.reconfigure(line_buffering=fd == 2 or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def main() -> None:
    request = serve(socket.socket(fileno=int(sys.argv[1])))
    if request is None:
        return
    open_standard_streams()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    first, *rest = request["arguments"]
    if first == "-m":
        module, *rest = rest
        sys.argv = [module, *rest]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main()
