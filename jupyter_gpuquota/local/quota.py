"""The project of whoever has this machine for themselves."""

from __future__ import annotations

import getpass
import os
import re

from ..core.specs import NAME_LIMIT


def own_project() -> str:
    """Return a project's name made of the account's."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have them
        account = f"user-{os.getuid()}"
    return re.sub(r"[^a-z0-9]+", "-", account.lower())[:NAME_LIMIT].strip("-") or "me"
