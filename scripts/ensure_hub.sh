#!/bin/bash
# Install JupyterHub, its proxy, JupyterLab and this checkout in the folder $1, which tests/hub uses.
set -euo pipefail
hub=$1
python=${PYTHON:-python}

# What was cut off half-way, or is of other versions, is not worth keeping.
rm -rf "$hub"
"$python" -m venv "$hub"
SKIP_JUPYTER_BUILDER=1 "$hub/bin/pip" install --quiet 'jupyterhub>=5.2,<7' 'jupyterlab>=4.6,<4.7' --editable .

# jlpm is Yarn; the empty lock file tells it that this is a project of its own.
mkdir -p "$hub/proxy"
cat > "$hub/proxy/package.json" <<'END'
{"private": true, "dependencies": {"configurable-http-proxy": "^5.0.0"}}
END
cat > "$hub/proxy/.yarnrc.yml" <<'END'
enableImmutableInstalls: false
enableTelemetry: false
nodeLinker: node-modules
END
touch "$hub/proxy/yarn.lock"
cd "$hub/proxy"
jlpm install >/dev/null
test -x node_modules/.bin/configurable-http-proxy
