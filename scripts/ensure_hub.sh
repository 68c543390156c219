#!/bin/bash
# Install JupyterHub, JupyterLab and this checkout in the folder $1, for tests/hub. Its proxy is one of the
# packages of labextension/ui-tests.
set -euo pipefail
hub=$1

# Start from scratch: the folder may be incomplete or contain other versions.
rm -rf "$hub"
uv venv --quiet --python "${PYTHON:-python}" "$hub"
SKIP_JUPYTER_BUILDER=1 uv pip install --quiet --python "$hub" \
  'jupyterhub>=5.2,<7' 'jupyterlab>=4.6,<4.7' --editable .
