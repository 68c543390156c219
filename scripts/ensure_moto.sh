#!/bin/bash
# Install moto as a server in the folder $1, for tests/store/s3. In .venv it would conflict with what
# the Kubernetes client needs.
set -euo pipefail
moto=$1

# Start from scratch: the folder may be incomplete or contain other versions.
rm -rf "$moto"
uv venv --quiet --python "${PYTHON:-python}" "$moto"
# Not `moto[server]`, which brings what services other than S3 need.
uv pip install --quiet --python "$moto" 'moto[s3]>=5.2,<6' 'flask>=3,<4' 'flask-cors>=6,<7'
test -x "$moto/bin/moto_server"
