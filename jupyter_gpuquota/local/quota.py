"""The projects of this machine."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Sequence

from ..core.specs import NAME_LIMIT
from ..model.quota import Project
from ..model.resources import MILLI, Node
from .config import LocalConfig


def projects(config: LocalConfig, nodes: Sequence[Node]) -> tuple[Project, ...]:
    """Return the configured projects, or one of the account's name that owns all devices."""
    if teams := config.teams():
        return teams
    return (Project(name=own_project(), quota=MILLI * sum(len(node.devices) for node in nodes)),)


def own_project() -> str:
    """Make a project's name of the account's."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have them
        account = f"user-{os.getuid()}"
    return re.sub(r"[^a-z0-9]+", "-", account.lower())[:NAME_LIMIT].strip("-") or "me"
