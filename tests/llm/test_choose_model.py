"""Which model is meant, and what is said where none is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.machinery import ModuleSpec
from threading import Event, Thread
from time import monotonic
from types import ModuleType
from typing import get_args

import pytest

from xcsh.errors import UsageError
from xcsh.llm.choose import _KEYS, ModelChoice, choose_model
from xcsh.llm.ollama import ollama_url
from xcsh.llm.opening import open_model

NOBODY = {"OLLAMA_HOST": "127.0.0.1:9"}
"""Nothing listens on the discard port."""


@contextmanager
def tags(body: object, *, silent: bool = False) -> Iterator[dict[str, str]]:
    """A server that answers as Ollama does; the environment that names it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if silent:
                over.wait(60)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(200 if self.path == "/api/tags" else 404)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    over = Event()
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield {"OLLAMA_HOST": f"127.0.0.1:{server.server_port}"}
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_flag_wins_then_the_variable_then_the_setting_then_a_key() -> None:
    # S-11
    environment = {**NOBODY, "XCSH_MODEL": "b:2", "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
    assert choose_model("a:1", environment, "c:3") == ModelChoice("a:1", "--model")
    assert choose_model(None, environment, "c:3") == ModelChoice("b:2", "XCSH_MODEL")
    del environment["XCSH_MODEL"]
    assert choose_model(None, environment, "c:3") == ModelChoice("c:3", "the setting `model`")
    assert choose_model(" ", environment, "").name.startswith("anthropic:")
    del environment["ANTHROPIC_API_KEY"]
    chosen = choose_model(None, environment, "")
    assert chosen.name.startswith("openai:")
    assert (chosen.decided_by, chosen.detected) == ("OPENAI_API_KEY is set", True)


def test_the_models_that_keys_choose_are_known_to_the_framework() -> None:
    # S-11
    from pydantic_ai.models import KnownModelName

    assert {key.model for key in _KEYS} <= set(get_args(KnownModelName.__value__))


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_a_google_key_is_used_where_its_package_is_installed(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-11
    package, module = ModuleType("google"), ModuleType("google.genai")
    package.__path__ = []
    module.__spec__ = ModuleSpec("google.genai", None)
    monkeypatch.setitem(sys.modules, "google", package)
    monkeypatch.setitem(sys.modules, "google.genai", module)
    assert choose_model(None, {**NOBODY, variable: "k"}).name == "google:gemini-flash-latest"


def test_a_google_key_without_its_package_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    # S-11
    monkeypatch.setitem(sys.modules, "google", None)
    with pytest.raises(UsageError) as caught:
        choose_model(None, {**NOBODY, "GEMINI_API_KEY": "k"})
    assert caught.value.hint.startswith("GEMINI_API_KEY is set, but that needs: pip install 'pydantic-ai-slim[google]'")


def test_an_ollama_that_answers_gives_its_first_model() -> None:
    # S-11
    with tags({"models": [{"name": "qwen3:8b"}, {"name": "other"}]}) as environment:
        chosen = choose_model(None, environment)
    assert chosen.name == "ollama:qwen3:8b"
    assert chosen.base_url == f"http://{environment['OLLAMA_HOST']}"
    assert chosen.detected


@pytest.mark.parametrize("body", [{"models": []}, {"models": None}, [], {"models": ["x", {}]}, b"<html>", b"\xff"])
def test_whatever_else_answers_there_is_no_model(body: object) -> None:
    # S-11
    with tags(body) as environment, pytest.raises(UsageError):
        choose_model(None, environment)


def test_a_server_that_does_not_answer_is_not_waited_for() -> None:
    # S-11
    with tags({"models": [{"name": "late"}]}, silent=True) as environment:
        begun = monotonic()
        with pytest.raises(UsageError):
            choose_model(None, environment)
        assert monotonic() - begun < 30


def test_without_any_model_three_ways_to_get_one_are_named() -> None:
    # U-5
    with pytest.raises(UsageError, match="no model is named, and none was found") as caught:
        choose_model(None, NOBODY)
    first, second, third = caught.value.hint.split("\n")
    assert "ANTHROPIC_API_KEY" in first
    assert "ollama" in second
    assert "--model replay:FILE" in third


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("box.local", "http://box.local:11434"),
        ("http://box.local", "http://box.local:80"),
        ("https://box.local/", "https://box.local:443"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("box:port", "http://box:11434"),
        ("[::1", "http://127.0.0.1:11434"),
    ],
)
def test_the_address_is_read_as_ollama_reads_it(host: str, url: str) -> None:
    # S-11
    assert ollama_url({"OLLAMA_HOST": host}) == url


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("foo", "the model 'foo' (--model) is none that is known", "names are PROVIDER:NAME"),
        ("foo:bar", "the model 'foo:bar' (--model) is none that is known", "names are PROVIDER:NAME"),
        ("claude-sonet-5-5", "the model 'claude-sonet-5-5' (--model) is none that is known", "did you mean anthropic:"),
        (
            "anthropc:claude-x",
            "the model 'anthropc:claude-x' (--model) is none that is known",
            "did you mean anthropic:claude-x?",
        ),
        ("gogle:", "the model 'gogle:' (--model) is none that is known", "did you mean google:…?"),
        (
            "ollma:qwen3:8b",
            "the model 'ollma:qwen3:8b' (--model) is none that is known",
            "did you mean ollama:qwen3:8b?",
        ),
        (
            "replya:r.jsonl",
            "the model 'replya:r.jsonl' (--model) is none that is known",
            "did you mean replay:r.jsonl?",
        ),
        ("anthropic:x", "the model 'anthropic:x' (--model) needs a key or an address", "set the `ANTHROPIC_API_KEY`"),
        ("bedrock:x", "the model 'bedrock:x' (--model) needs a package that is not installed", "pip install"),
    ],
)
async def test_a_bad_name_is_one_clear_sentence(name: str, message: str, hint: str) -> None:
    # U-5
    with pytest.raises(UsageError) as caught:
        async with open_model(ModelChoice(name, "--model"), "."):
            pass
    assert str(caught.value) == message
    assert caught.value.hint.startswith(hint)
    assert "\n" not in caught.value.hint


@pytest.mark.parametrize("name", ["anthropic:claude-x", "openai-chat:gpt-x", "openai:gpt-x", "ollama:qwen3:8b", "test"])
async def test_any_name_of_the_framework_is_opened_and_closed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-11
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    async with open_model(ModelChoice(name, "--model"), ".") as model:
        assert model.model_name == name.partition(":")[2] or name == "test"


async def test_a_local_model_is_asked_at_the_address_of_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    # S-11
    monkeypatch.setenv("OLLAMA_HOST", "box:1234")
    async with open_model(ModelChoice("ollama:m", "--model"), ".") as model:
        assert model.base_url == "http://box:1234/v1/"
    async with open_model(ModelChoice("ollama:m", "found", detected=True, base_url="http://found:1"), ".") as model:
        assert model.base_url == "http://found:1/v1/"
