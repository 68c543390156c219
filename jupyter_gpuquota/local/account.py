"""The accounts of this machine: the owner of a folder, and the project of an account."""

from __future__ import annotations

import getpass
import os
import re
from pathlib import Path

from ..core.fields import NAME_LIMIT


def account_project() -> str:
    """Return the name of our account's own project, derived from the account's name."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have them
        account = f"user-{os.getuid()}"
    return re.sub(r"[^a-z0-9]+", "-", account.lower())[:NAME_LIMIT].strip("-") or "me"


def owner_of(folder: Path) -> str:
    """Return the name of the account that owns a folder, or its uid if it has no name."""
    try:
        return folder.owner()
    except KeyError:  # an account that only a container or directory service knows
        return str(folder.stat().st_uid)
