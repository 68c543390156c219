"""The account of this process: its name and its home, which an account of a container may lack."""

from __future__ import annotations

import getpass
import os
from pathlib import Path


def name() -> str:
    """Return the name of the account, `user-UID` where this machine has none for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user-{os.getuid()}"


def home() -> Path | None:
    """Return the home folder, None where no variable and no list of accounts names one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with the home for `~`; one whose account is unknown stays as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 (that of pathlib raises RuntimeError)
