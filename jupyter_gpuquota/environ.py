"""Environment variables by which processes find their controller, and sessions know themselves."""

from __future__ import annotations

STATE_DIR = "GPUQUOTA_STATE_DIR"
BACKEND = "JUPYTER_GPUQUOTA_BACKEND"
"""Name a controller of this machine."""

URL = "JUPYTER_GPUQUOTA_URL"
TOKEN_FILE = "JUPYTER_GPUQUOTA_TOKEN_FILE"  # noqa: S105 (a variable's name)
CA = "JUPYTER_GPUQUOTA_CA"
"""Name a controller at a URL, the file with our token for it, and what verifies its certificate."""

SESSION = "GPUQUOTA_SESSION"
"""The id of the session that a process belongs to."""

SESSION_TOKEN_FILE = "GPUQUOTA_SESSION_TOKEN_FILE"  # noqa: S105 (a variable's name)
"""The file with the session's own token, which only its account can read."""

FOLDER = "GPUQUOTA_FOLDER"
"""The folder of the session, where that is one of this machine."""

DATASETS = "GPUQUOTA_DATASETS"
"""The folder in which a session finds its datasets by name."""

VOLUMES = "GPUQUOTA_VOLUMES"
"""The folder in which a session finds its volumes by name."""

SECRETS = "GPUQUOTA_SECRETS"
"""What the process of a snapshot must not store: a JSON list of values."""

NOTEBOOK = "JPY_SESSION_NAME"
"""The path of the notebook whose kernel a process is; Jupyter Server sets it."""
