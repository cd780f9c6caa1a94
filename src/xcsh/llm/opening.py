"""Opens the model that was chosen, and closes it with everything that it needs."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from xcsh.errors import UsageError
from xcsh.llm.choose import REPLAY, ModelChoice

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_INSTALL = re.compile(r"`(pip install [^`]*)`")
_SUGGESTION = re.compile(r"Did you mean '([^']*)'")
_CODE_ADVICE = re.compile(r" or pass it via `[^`]*`")
_NAMES = "names are PROVIDER:NAME, as in anthropic:…, openai:…, openai-chat:…, google:…, ollama:…, or replay:FILE"


@asynccontextmanager
async def open_model(choice: ModelChoice, folder: str) -> AsyncGenerator[Model]:
    """The model, ready for an agent; a recording's path may be relative to `folder`.

    Raises UsageError with one sentence for a name that is none, a key or a package that is missing, a bad recording.
    """
    if choice.name.startswith(REPLAY):
        async with _replayed(_located(choice.name[len(REPLAY) :], folder)) as model:
            yield model
        return
    model = _named(choice)
    async with model:
        yield model


def _located(path: str, folder: str) -> str:
    """A file as the shell sees it, or else as seen from the project."""
    return path if os.path.exists(path) else os.path.join(folder, path)


@asynccontextmanager
async def _replayed(path: str) -> AsyncGenerator[Model]:
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


def _named(choice: ModelChoice) -> Model:
    from pydantic_ai.exceptions import UserError  # noqa: PLC0415 - heavy
    from pydantic_ai.models import infer_model  # noqa: PLC0415

    try:
        return _ollama(choice) if choice.name.startswith("ollama:") else infer_model(choice.name)
    except (UserError, ImportError, ValueError) as error:
        raise _unusable(choice, str(error)) from None


def _unusable(choice: ModelChoice, reason: str) -> UsageError:
    """The framework's reason in two lines: what is wrong with the name that was chosen, and what to do."""
    what = f"the model {choice.name!r} ({choice.decided_by})"
    if install := _INSTALL.search(reason):
        return UsageError(f"{what} needs a package that is not installed", install[1])
    first = _CODE_ADVICE.sub("", reason).split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    if first.startswith("Set the "):
        return UsageError(f"{what} needs a key or an address", first[0].lower() + first[1:])
    if first.startswith("Unknown model"):
        near = _SUGGESTION.search(reason)
        return UsageError(f"{what} is none that is known", f"did you mean {near[1]}?" if near else _NAMES)
    return UsageError(f"{what} cannot be used: {first}", _NAMES)


def _ollama(choice: ModelChoice) -> Model:
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415 - heavy
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    from xcsh.llm.ollama import ollama_url  # noqa: PLC0415

    base = os.environ.get("OLLAMA_BASE_URL") or f"{choice.base_url or ollama_url(os.environ)}/v1"
    return OllamaModel(choice.name.removeprefix("ollama:"), provider=OllamaProvider(base_url=base))
