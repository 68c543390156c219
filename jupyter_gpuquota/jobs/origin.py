"""What has produced a folder: the session that this process belongs to, a commit of its code."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ..environ import SESSION

_PATIENCE = 10.0


def origin_of(folder: Path, variables: Mapping[str, str] = os.environ) -> str:
    """Return words such as `session:ID commit:HASH`, as far as they are known.

    The commit is the one that is checked out where the folder is in a git repository.
    """
    session, commit = variables.get(SESSION, ""), _commit(folder)
    found = (f"session:{session}" if session else "", f"commit:{commit}" if commit else "")
    return " ".join(filter(None, found))


def _commit(folder: Path) -> str:
    """Return the commit that is checked out; empty without a repository, a commit or git."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", "HEAD"],
            cwd=folder,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            text=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
