"""What operations know of where they run."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock

from . import discovery, preferences
from .discovery import Home
from .servers import JupyterServer
from .transport import Transport


class Context:
    """Know the way to the server, which is found on first use, and the user's surroundings."""

    def __init__(self, find: Callable[[], Transport], project: str = "") -> None:
        self._find = find
        self._project = project
        self._transport: Transport | None = None
        self._lock = Lock()

    def transport(self) -> Transport:
        """Return the way to the server. Raises NoServer."""
        with self._lock:
            if self._transport is None:
                self._transport = self._find()
            return self._transport

    def project(self) -> str:
        """Tell the project to take when none is named; empty leaves it to the server."""
        return self._project or preferences.project()

    def home(self) -> Home | None:
        """Tell what a Jupyter Server would fill in; None where one does so."""
        return None if self.transport().url else discovery.find_home()

    def labs(self) -> list[JupyterServer]:
        """Return the JupyterLabs of this account that have our extension and answer."""
        return discovery.labs()

    def folder(self) -> str:
        """Tell the working folder."""
        return os.getcwd()  # noqa: PTH109 (text is wanted)
