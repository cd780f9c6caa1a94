"""Serves what the files say: reads them again when they change."""

from __future__ import annotations

import asyncio
import logging

from xcsh.api import rediscover
from xcsh.mcp.server import RulesServer
from xcsh.session.audience import log_failure
from xcsh.session.watching import UnwatchableError, watch


async def follow(served: RulesServer) -> None:
    """Gives the server another registry after every change of a file that matters, until it is cancelled.

    What a save has just broken stays as it was. Where the setting `discovery.watch` is off as the server begins, and
    where the system watches nothing, what was read first is served.
    """
    if served.catalogue.registry.settings.get("discovery.watch") is not True:
        return
    logger = logging.getLogger("xcsh.mcp")

    async def reread() -> None:
        try:
            registry = await asyncio.to_thread(rediscover, served.catalogue.registry)
            await served.replace(registry)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the server
            log_failure("reading the files again", error)

    try:
        await watch(lambda: served.catalogue.registry, reread)
    except UnwatchableError as error:
        logger.warning("changes of files are not seen: %s", error)
