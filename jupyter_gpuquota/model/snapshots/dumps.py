"""Where files of variables are: relative to the folder of their session."""

from __future__ import annotations

PLACE = ".gpuquota/variables"
"""The folder of those that are written for a snapshot."""
RESTORED = ".gpuquota/variables.zip"
"""The one that a restore has brought."""


def pod_folder(session: str) -> str:
    """Return the folder of a session in a pod, relative to its home folder.

    Sessions of one owner may share that.
    """
    return f".gpuquota/sessions/{session}"
