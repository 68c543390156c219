"""The Jupyter Servers of this account, by their info files in the runtime folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...environ import SESSION
from ...model.addresses import outer_base


@dataclass(frozen=True, slots=True)
class JupyterServer:
    """A Jupyter Server on this machine. `sock` is its unix socket, empty if it has a port."""

    url: str
    base_url: str
    token: str = field(default="", repr=False)
    sock: str = ""

    @property
    def is_of_session(self) -> bool:
        """Whether it is the Jupyter Server of a session, which an ingress shows."""
        return self.outer_base_url != self.base_url

    @property
    def outer_base_url(self) -> str:
        """The base URL of the JupyterLab whose ingress shows this server, or its own."""
        return outer_base(self.base_url)


def running() -> list[JupyterServer]:
    """Return the servers of this account with a running process; they may not answer."""
    files = [file for folder in _folders() for file in sorted(folder.glob("jpserver-*.json"))]
    return [server for server in map(_read, files) if server]


def parent(environ: Mapping[str, str] = os.environ) -> JupyterServer | None:
    """Return the server of this process's kernel or terminal, if it is one of this account."""
    if (pid := environ.get("JPY_PARENT_PID", "")).isdecimal():
        return _read(_runtime() / f"jpserver-{pid}.json")
    url = environ.get("JUPYTER_SERVER_URL", "")
    return next((server for server in running() if url and server.url == url), None)


def of_hub(environ: Mapping[str, str] = os.environ) -> JupyterServer | None:
    """Return the single-user server whose address and token JupyterHub has set for us."""
    url, token = environ.get("JUPYTERHUB_SERVICE_URL", ""), environ.get("JUPYTERHUB_API_TOKEN", "")
    if not (url and token):
        return None
    return JupyterServer(
        # This is the address that the server listens on: 0.0.0.0 stands for all of them.
        url=re.sub(r"//(0\.0\.0\.0|\[::\]|)(?=[:/])", "//127.0.0.1", url),
        base_url=environ.get("JUPYTERHUB_SERVICE_PREFIX", "/"),
        token=token,
    )


def _runtime() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 (keeps the import light)

    return Path(jupyter_runtime_dir())


def _folders() -> list[Path]:
    """Return the folders of info files: a session has its own beside that of the account."""
    from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 (the same)

    own, inside = _runtime(), SESSION in os.environ
    return [own, *([Path(jupyter_data_dir(), "runtime")] if inside else [])]


def _read(path: Path) -> JupyterServer | None:
    try:
        info: dict[str, Any] = json.loads(path.read_bytes())
        if not _lives(info["pid"]):
            return None
        return JupyterServer(
            url=info["url"],
            base_url=info["base_url"],
            token=info.get("token") or "",
            sock=info.get("sock") or "",
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # half written, or of another kind


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
