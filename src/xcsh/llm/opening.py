"""Opens the model that was chosen, and closes it with everything that it needs."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from xcsh.errors import UsageError
from xcsh.llm.choose import REPLAY, ModelChoice
from xcsh.nearest import did_you_mean, nearest

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_INSTALL = re.compile(r"`(pip install [^`]*)`")
_SUGGESTION = re.compile(r"Did you mean '([^']*)'")
_CODE_ADVICE = re.compile(r" or pass it via `[^`]*`")
_MORE_PROVIDERS = frozenset(("ollama", "openai-chat", "openrouter", REPLAY[:-1]))
"""Providers that the framework's list of known models names none of."""

_OWN_CLIENTS = frozenset(("anthropic", "bedrock", "cohere", "google", "groq", "mistral", "test", "xai"))
"""Providers whose models have a module of their own; most others speak as OpenAI does."""

_CLOSE = 0.75
_CHAT = "openai-chat:"
_NAMES = "names are PROVIDER:NAME, as in anthropic:…, openai:…, openai-chat:…, google:…, ollama:…, or replay:FILE"


@asynccontextmanager
async def open_model(
    choice: ModelChoice, folder: str, tell: Callable[[str], object] | None = None
) -> AsyncGenerator[Model]:
    """The model, ready for an agent; a recording's path may be relative to `folder`.

    `tell` gets one sentence where a recording was not played to its end.
    Raises UsageError with one sentence for a name that is none, a key or a package that is missing, a bad recording.
    """
    if choice.name.startswith(REPLAY):
        path = choice.name[len(REPLAY) :]
        if not path:
            raise UsageError(f"{choice.name!r} ({choice.decided_by}) names no recording", f"name a file: {REPLAY}FILE")
        async with _replayed(_located(path, folder), tell) as model:
            yield model
        return
    model = _named(choice, folder)
    async with model:
        yield model


def load_packages(choice: ModelChoice) -> None:
    """Imports what a model needs, half a second's work: for a thread, where `open_model` would hold up an event loop.

    What is missing is told by `open_model`.
    """
    kind = choice.name.partition(":")[0]
    with suppress(ImportError):
        import_module(f"pydantic_ai.models.{kind if kind in _OWN_CLIENTS else 'openai'}")


def _located(path: str, folder: str) -> str:
    """A file as the shell sees it, or else as seen from the project."""
    return path if os.path.exists(path) else os.path.join(folder, path)


@asynccontextmanager
async def _replayed(path: str, tell: Callable[[str], object] | None) -> AsyncGenerator[Model]:
    import httpx2  # noqa: PLC0415 - heavy, and only for this kind of model
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    from xcsh.llm.recording import read_recording  # noqa: PLC0415
    from xcsh.llm.replay import ReplayedConversation  # noqa: PLC0415
    from xcsh.llm.sse_server import ModelServer  # noqa: PLC0415

    conversation = ReplayedConversation(read_recording(path))
    async with (
        ModelServer(conversation.respond) as server,
        # A proxy that the environment names would be asked for 127.0.0.1 too.
        httpx2.AsyncClient(trust_env=False, timeout=None) as client,
    ):
        provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="replay", http_client=client)
        yield OpenAIChatModel("replay", provider=provider)
    if tell is not None and conversation.rest:  # not where something was raised: the recording is not to blame then
        tell(conversation.rest)


def _named(choice: ModelChoice, folder: str) -> Model:
    from pydantic_ai.exceptions import UserError  # noqa: PLC0415 - heavy
    from pydantic_ai.models import infer_model  # noqa: PLC0415

    try:
        return _compatible(choice) or infer_model(choice.name)
    except (UserError, ImportError, ValueError) as error:
        raise _unusable(choice, str(error), folder) from None


def _unusable(choice: ModelChoice, reason: str, folder: str) -> UsageError:
    """The framework's reason in two lines: what is wrong with the name that was chosen, and what to do."""
    what = f"the model {choice.name!r} ({choice.decided_by})"
    if install := _INSTALL.search(reason):
        return UsageError(f"{what} needs a package that is not installed", install[1])
    first = _CODE_ADVICE.sub("", reason).split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    if first.startswith("Set the "):
        return UsageError(f"{what} needs a key or an address", first[0].lower() + first[1:])
    if first.startswith("Unknown model"):
        near = _meant(choice.name, folder) or _SUGGESTION.findall(reason)[:1]
        return UsageError(f"{what} is none that is known", did_you_mean(near, _NAMES))
    return UsageError(f"{what} cannot be used: {first}", _NAMES)


def _meant(name: str, folder: str) -> list[str]:
    """What was meant where the name is that of a file, or begins with nearly that of a provider; empty for neither.

    The framework compares whole names, so that for it the one with the longest common text is the nearest.
    """
    if os.path.isfile(_located(name, folder)):
        return [f"{REPLAY}{name}"]
    provider, colon, model = name.partition(":")
    if not colon:
        return []
    from pydantic_ai.models import KnownModelName  # noqa: PLC0415 - heavy

    providers = {known.partition(":")[0] for known in get_args(KnownModelName.__value__) if ":" in known}
    return [f"{near}:{model or '…'}" for near in nearest(provider, providers | _MORE_PROVIDERS, alike=_CLOSE)]


def _compatible(choice: ModelChoice) -> Model | None:
    """A model behind an OpenAI-compatible server, which gets one system message; None for any other.

    The chat templates of many local models refuse a second one.
    """
    if choice.name.startswith("ollama:"):
        return _ollama(choice)
    if not choice.name.startswith(_CHAT) or not os.environ.get("OPENAI_BASE_URL"):
        return None
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - heavy
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415

    profile = OpenAIModelProfile(openai_chat_supports_multiple_system_messages=False)
    return OpenAIChatModel(choice.name.removeprefix(_CHAT), profile=profile)


def _ollama(choice: ModelChoice) -> Model:
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415 - heavy
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    from xcsh.llm.ollama import ollama_url  # noqa: PLC0415

    base = os.environ.get("OLLAMA_BASE_URL") or f"{choice.base_url or ollama_url(os.environ)}/v1"
    profile = OpenAIModelProfile(openai_chat_supports_multiple_system_messages=False)
    return OllamaModel(choice.name.removeprefix("ollama:"), provider=OllamaProvider(base_url=base), profile=profile)
