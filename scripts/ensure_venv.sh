#!/bin/bash
# Make the virtual environment $1 with the Python $2, pip and uv. uv is the one on PATH if it is new enough,
# or one that is kept outside the checkout.
set -euo pipefail
venv=$1
python=$2
kept=${XDG_CACHE_HOME:-$HOME/.cache}/jupyter_gpuquota/uv

# The first one that can do what the Makefile asks for.
fits() {
  [ "$(printf '%s\n' "uv 0.9" "$("$1" --version 2>/dev/null)" | sort -V | head -n 1)" = "uv 0.9" ]
}

# The one that PATH has may be the link in $venv: what it leads to is wanted.
uv=$(readlink -f "$(command -v uv || true)" || true)
if [ -z "$uv" ] || ! fits "$uv"; then
  uv=$kept/bin/uv
  if ! fits "$uv"; then
    echo "Installing uv in $kept"
    mkdir -p "$kept"
    unfinished=$(mktemp -d "$kept/unfinished.XXXXXX")
    trap 'rm -rf "$unfinished"' EXIT
    "$python" -m venv "$unfinished"
    "$unfinished/bin/pip" install --quiet 'uv>=0.9,<1'
    mkdir -p "$kept/bin"
    mv "$unfinished/bin/uv" "$uv"
  fi
fi

# What is there stays: the demo keeps its sessions and data in it, and users may have installed packages.
"$uv" venv --quiet --seed --allow-existing --python "$python" "$venv"
ln -sf "$uv" "$venv/bin/uv"
