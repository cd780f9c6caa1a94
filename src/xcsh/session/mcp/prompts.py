"""Prompts of MCP servers as commands `/server:prompt`: their names, their arguments, and the text they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from xcsh.errors import UsageError
from xcsh.slash.invocation import closing_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.mcp import Prompt as ListedPrompt
    from pydantic_ai.mcp import PromptResult

MOST_PROMPTS = 100
_MOST_ARGUMENTS = 20
_LONGEST_NAME = 100
_SHOWN = 10


class Argument(NamedTuple):
    """An argument that a prompt declares."""

    name: str
    required: bool


class Prompt(NamedTuple):
    """A prompt as it is called: `name` is `server:prompt`; `original` is its name on the server."""

    name: str
    original: str
    description: str
    arguments: tuple[Argument, ...]

    @property
    def hint(self) -> str:
        """What may follow the name: `<needed> [optional]`."""
        return " ".join(f"<{each.name}>" if each.required else f"[{each.name}]" for each in self.arguments)


class ServerPrompts(Protocol):
    """The servers of a session, as far as the prompt pipeline knows them."""

    @property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts of the servers that run, as they can be called."""
        ...

    def names_server(self, name: str) -> bool:
        """Whether the part of a command's name before the colon is a server's. Nothing is started."""
        ...

    async def expand(self, name: str, raw: str) -> str:
        """The text of the prompt `server:prompt`, called with the text `raw`. Starts the server where it is not
        there yet. UsageError: there is no such prompt, an argument is missing, or the server failed.
        """
        ...

    async def close(self) -> None:
        """Stops every server; returns when no process is left."""
        ...


def server_in(name: str) -> str:
    """The server's part of a command's name; empty where it has none."""
    server, colon, prompt = name.partition(":")
    return server if colon and prompt else ""


def prompts_of(slug: str, listed: Sequence[ListedPrompt]) -> tuple[tuple[Prompt, ...], int]:
    """The prompts that can be called, and how many others there are: their names cannot be typed, or are too many."""
    found: dict[str, Prompt] = {}
    for each in listed:
        name = f"{slug}:{each.name}"
        arguments = tuple(Argument(_plain(one.name, 100), bool(one.required)) for one in each.arguments or ())
        if len(found) == MOST_PROMPTS:
            break
        if name not in found and _can_be_typed(each.name) and len(arguments) <= _MOST_ARGUMENTS:
            found[name] = Prompt(name, each.name, _plain(each.description or each.title or "", 500), arguments)
    return tuple(found.values()), len(listed) - len(found)


def values_of(prompt: Prompt, raw: str) -> dict[str, str]:
    """What was typed as the values of the declared arguments, in their order: words, quoted where they hold blanks;
    the last argument takes the rest as it stands. UsageError where one is missing, or none is taken.
    """
    values: dict[str, str] = {}
    rest = raw.strip()
    for position, argument in enumerate(prompt.arguments):
        if not rest:
            break
        if position == len(prompt.arguments) - 1:
            value, rest = _unquoted(rest), ""
        else:
            value, rest = _first_word(rest)
        values[argument.name] = value
    missing = [each.name for each in prompt.arguments if each.required and each.name not in values]
    if missing:
        raise UsageError(f"/{prompt.name} needs {' and '.join(missing)}", f"type: /{prompt.name} {prompt.hint}")
    if rest:
        raise UsageError(f"/{prompt.name} takes no arguments", f"type: /{prompt.name}")
    return values


def no_such_prompt(name: str, prompts: Sequence[Prompt]) -> UsageError:
    """Says which prompts there are."""
    server = server_in(name)
    names = [f"/{prompt.name}" for prompt in prompts]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    hint = f"it has: {', '.join(names[:_SHOWN])}{more}" if names else "it has none"
    return UsageError(f"the MCP server {server} has no prompt {name.partition(':')[2]!r}", hint)


def text_of(result: PromptResult) -> str:
    """The texts of a prompt's messages, in their order; what is no text is said to have been there."""
    from pydantic_ai.messages import BinaryContent, TextContent  # noqa: PLC0415 - only where a server has answered

    texts: list[str] = []
    for message in result.messages:
        content = message.content
        if isinstance(content, TextContent):
            text = content.content
        elif isinstance(content, BinaryContent):
            text = f"[left out: {content.media_type} of {len(content.data):,} bytes]"
        else:
            text = f"[left out: the resource {content.uri}]"
        texts.append(text if message.role == "user" else f"{message.role}: {text}")
    return "\n\n".join(texts)


def _first_word(text: str) -> tuple[str, str]:
    if text[0] in "\"'" and (end := closing_quote(text, 0)) > 0:
        return text[1:end], text[end + 1 :].lstrip()
    word, *rest = text.split(maxsplit=1)
    return word, rest[0] if rest else ""


def _unquoted(text: str) -> str:
    quoted = text[0] in "\"'" and closing_quote(text, 0) == len(text) - 1
    return text[1:-1] if quoted else text


def _can_be_typed(name: str) -> bool:
    return bool(name) and len(name) <= _LONGEST_NAME and name.isprintable() and not any(map(str.isspace, name))


def _plain(text: str, limit: int) -> str:
    kept = "".join(character if character.isprintable() else " " for character in text[: 2 * limit])
    return " ".join(kept.split())[:limit]
