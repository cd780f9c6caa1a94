"""How each MCP server of a session stands, as values for whoever shows it."""

from __future__ import annotations

from typing import NamedTuple

RUNNING, STARTING, WAITING, FAILED, DISABLED, REFUSED = (
    "running", "starting", "not started yet", "failed", "disabled", "not started",
)  # fmt: skip


class ServerStanding(NamedTuple):
    """A server: `state` is one of the words above, `why` says more. `does`: its command line or address, as written.

    `trusted`: nobody has to be asked before it starts. `tools` and `prompts` as they can be called; of a server that
    does not run there are none. `log`: the path of its log, empty where it never ran.
    """

    name: str
    slug: str
    path: str
    does: str
    state: str
    trusted: bool
    why: str = ""
    tools: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    log: str = ""
