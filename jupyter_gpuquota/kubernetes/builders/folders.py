"""The folders in a session's container that are ours; nothing else can be mounted over them."""

from __future__ import annotations

CONFIG_FOLDER = "/var/run/gpuquota/jupyter"
"""The configuration of the session's Jupyter Server."""
CONTROLLER_FOLDER = "/var/run/gpuquota/controller"
"""What the session's programs need to reach the controller."""
VOLUMES_FOLDER = "/var/run/gpuquota/volumes"
"""The volumes by name."""
