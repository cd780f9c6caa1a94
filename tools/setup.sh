#!/bin/sh
# Makes .venv and installs this project with one of its extras (agent, dev), once for each state of pyproject.toml.
set -eu
extra=$1
stamp=.venv/.installed-$extra
key="$(cksum <pyproject.toml) $(pwd)"

installed() {
    [ -x .venv/bin/python ] && [ -f "$1" ] && [ "$(cat "$1")" = "$key" ]
}

# dev holds all of agent
if installed "$stamp" || { [ "$extra" = agent ] && installed .venv/.installed-dev; }; then
    exit 0
fi

fail() {
    echo "error: $1" >&2
    shift
    for line in "$@"; do
        echo "       $line" >&2
    done
    exit 2
}

recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        recent "$PYTHON" || fail "PYTHON=$PYTHON is no Python 3.11 or later" "name another one: PYTHON=/path/to/python make"
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

# A folder that was moved or copied has scripts that point at the old place.
if [ -f .venv/.made-in ] && [ "$(cat .venv/.made-in)" != "$(pwd)" ]; then
    rm -rf .venv
fi

uv=$(command -v uv || true)
if ! [ -x .venv/bin/python ] || ! recent .venv/bin/python; then
    python=$(find_python)
    if [ -n "$uv" ]; then
        echo "Making .venv with uv" >&2
        uv venv --quiet --clear --python "${python:->=3.11}" .venv
    elif [ -n "$python" ]; then
        echo "Making .venv with $python" >&2
        rm -rf .venv
        "$python" -m venv .venv || fail "$python could not make a virtual environment" \
            "Debian and Ubuntu keep that part in a package of its own: apt install python3-venv" \
            "or name another interpreter: PYTHON=/path/to/python make"
    else
        fail "no Python 3.11 or later was found" \
            "install one (https://www.python.org/downloads/, or your system's package manager)," \
            "or name it: PYTHON=/path/to/python make"
    fi
    pwd >.venv/.made-in
fi

echo "Installing xcsh[$extra] into .venv (a minute or two, once)" >&2
if [ -n "$uv" ]; then
    uv pip install --quiet --python .venv/bin/python -e ".[$extra]"
else
    .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null
    .venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -e ".[$extra]" ||
        fail "the installation failed" "the lines above say why; run the same command again to go on"
fi
# On every processor; pip would use one, and uv leaves it to whoever imports first. What cannot be compiled is no code.
.venv/bin/python -m compileall -q -j 0 .venv/lib >/dev/null 2>&1 || true
printf '%s\n' "$key" >"$stamp"
