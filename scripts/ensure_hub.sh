#!/bin/bash
# Install JupyterHub, its proxy, JupyterLab and this checkout in the folder $1, for tests/hub.
set -euo pipefail
hub=$1
python=${PYTHON:-python}

# Start from scratch: the folder may be incomplete or contain other versions.
rm -rf "$hub"
"$python" -m venv "$hub"
SKIP_JUPYTER_BUILDER=1 "$hub/bin/pip" install --quiet 'jupyterhub>=5.2,<7' 'jupyterlab>=4.6,<4.7' --editable .

# jlpm is Yarn; the empty lock file marks this folder as a separate project.
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
