"""The server: a catalogue as resources, prompts and tools, for clients of both eras of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp.types as t
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError

from xcsh import __version__
from xcsh.errors import RuleNotFoundError, RuleUrlError
from xcsh.mcp.catalogue import Catalogue
from xcsh.mcp.tools import TOOLS, call_tool
from xcsh.model.registry import Registry
from xcsh.surfaces.rule_url import CONTENT_TYPE, SCHEME

_NOT_FOUND = -32002
_INVALID = -32602
_MOST_COMPLETIONS = 100
_ARGUMENTS = "arguments"
_INSTRUCTIONS = (
    "The rules and slash commands of this project, from the files of every coding agent. Before you read or change a "
    "file, ask `rules_for` with its path and keep to what it says. Resources rule://NAME are the rules themselves."
)
_Context = ServerRequestContext[Any]


class _ChangingServer(Server[Any]):
    """Tells clients of the older era, however they connect, that its lists change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(prompts_changed=True, resources_changed=True)
        return super().create_initialization_options(changing, experimental_capabilities, extensions)


class RulesServer:
    """Serves one project. `replace` gives it another registry and tells the clients what is different."""

    def __init__(self, registry: Registry) -> None:
        self.catalogue = Catalogue(registry)
        self._bus = InMemorySubscriptionBus()
        self._connections: set[Connection] = set()
        self.server: Server[Any] = _ChangingServer(
            "xcsh",
            version=__version__,
            title="Rules and commands of the project",
            instructions=_INSTRUCTIONS,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read,
            on_subscribe_resource=self._subscribed,
            on_unsubscribe_resource=self._unsubscribed,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.add_notification_handler("notifications/initialized", t.NotificationParams, self._initialized)

    async def replace(self, registry: Registry) -> None:
        """Serves another registry from now on. What is the same as before is told to nobody."""
        before, self.catalogue = self.catalogue, Catalogue(registry)
        if before.commands() != self.catalogue.commands():
            await self._bus.publish(PromptsListChanged())
            await self._tell(lambda connection: connection.send_prompt_list_changed())
        old, new = dict(before.rules()), dict(self.catalogue.rules())
        if old != new:
            await self._bus.publish(ResourcesListChanged())
            await self._tell(lambda connection: connection.send_resource_list_changed())
        for url in old.keys() & new.keys():
            if before.read(url).content != self.catalogue.read(url).content:
                await self._bus.publish(ResourceUpdated(uri=url))
                await self._tell(lambda connection, url=url: connection.send_resource_updated(url))

    async def _tell(self, send: Callable[[Connection], Awaitable[None]]) -> None:
        for connection in list(self._connections):
            try:
                await send(connection)
            except Exception:  # noqa: BLE001 - whoever has gone must not keep the others from hearing it
                self._connections.discard(connection)

    async def _initialized(self, context: _Context, _: t.NotificationParams) -> None:
        connection = context.session._connection  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - see pitfalls: a session is made for each request
        self._connections.add(connection)
        connection.exit_stack.callback(self._connections.discard, connection)

    async def _list_resources(self, _: _Context, __: t.PaginatedRequestParams | None) -> t.ListResourcesResult:
        return t.ListResourcesResult(
            resources=[
                t.Resource(uri=url, name=rule.name, description=rule.description or None, mime_type=CONTENT_TYPE)
                for url, rule in self.catalogue.rules()
            ]
        )

    async def _list_templates(self, _: _Context, __: t.PaginatedRequestParams | None) -> t.ListResourceTemplatesResult:
        template = t.ResourceTemplate(
            uri_template=f"{SCHEME}{{+name}}", name="rule", description="a rule by its name", mime_type=CONTENT_TYPE
        )
        return t.ListResourceTemplatesResult(resource_templates=[template])

    async def _read(self, _: _Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        url = str(params.uri)
        try:
            rule = self.catalogue.read(url)
        except (RuleNotFoundError, RuleUrlError) as error:
            raise MCPError(code=_NOT_FOUND, message=str(error), data={"uri": url}) from None
        text = t.TextResourceContents(uri=params.uri, mime_type=CONTENT_TYPE, text=rule.content)
        return t.ReadResourceResult(contents=[text])

    async def _subscribed(self, _: _Context, __: t.SubscribeRequestParams) -> t.EmptyResult:
        return t.EmptyResult()  # everybody is told of every rule

    async def _unsubscribed(self, _: _Context, __: t.UnsubscribeRequestParams) -> t.EmptyResult:
        return t.EmptyResult()

    async def _list_prompts(self, _: _Context, __: t.PaginatedRequestParams | None) -> t.ListPromptsResult:
        return t.ListPromptsResult(
            prompts=[
                t.Prompt(
                    name=command.name,
                    description=command.description or None,
                    arguments=[
                        t.PromptArgument(
                            name=_ARGUMENTS,
                            description=command.hint or "what follows the command, as it would be typed",
                            required=False,
                        )
                    ],
                )
                for command in self.catalogue.commands()
            ]
        )

    async def _get_prompt(self, _: _Context, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        expanded = self.catalogue.expand(params.name, (params.arguments or {}).get(_ARGUMENTS, ""))
        if expanded is None:
            near = self.catalogue.nearest(f"/{params.name}")
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise MCPError(code=_INVALID, message=f"no command is named {params.name!r}{hint}")
        text, description = expanded
        content = t.TextContent(type="text", text=text)
        return t.GetPromptResult(
            description=description or None, messages=[t.PromptMessage(role="user", content=content)]
        )

    async def _complete(self, _: _Context, params: t.CompleteRequestParams) -> t.CompleteResult:
        names = self.catalogue.complete(params.argument.value) if params.argument.name == "name" else []
        return t.CompleteResult(
            completion=t.Completion(
                values=names[:_MOST_COMPLETIONS], total=len(names), has_more=len(names) > _MOST_COMPLETIONS
            )
        )

    async def _list_tools(self, _: _Context, __: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        return t.ListToolsResult(tools=list(TOOLS))

    async def _call_tool(self, _: _Context, params: t.CallToolRequestParams) -> t.CallToolResult:
        return await asyncio.to_thread(call_tool, self.catalogue, params.name, params.arguments or {})
