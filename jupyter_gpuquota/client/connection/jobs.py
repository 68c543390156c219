"""Processes of jobs on data: what their starter sees of them, and how they find our server."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ...errors import Unsupported
from . import servers
from .transport import SocketTransport, Transport


class JobProcess(Protocol):
    """The process of a job that was started here; it outlives its starter."""

    @property
    def id(self) -> str:
        """The id of its job."""

    def exit_code(self, timeout: float | None = 0) -> int | None:
        """Return the exit code, None if it runs for longer; `timeout` in seconds."""

    def said(self, most: int = 2000) -> str:
        """Return the end of what it has written to its log."""


def surroundings(transport: Transport) -> tuple[Path, dict[str, str]]:
    """Return the folder for a job's log, and the variables by which it finds our server.

    Raises Unsupported for a server that was given by URL and token: no token is passed on.
    """
    if isinstance(transport, SocketTransport):
        return transport.location.home, transport.location.environment
    known = [each.url for each in (servers.parent(), servers.of_hub()) if each]
    if transport.url and transport.url not in known:
        raise Unsupported(
            "A job on data finds its server by the environment, not by a URL and a token.",
            hint="Start it in a terminal or a notebook of that JupyterLab.",
        )
    from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 (keeps the import light)

    return Path(jupyter_data_dir(), "gpuquota"), {}
