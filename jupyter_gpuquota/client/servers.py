"""Find the Jupyter Servers of this account, by the notes that they keep in the runtime folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_OUTER = re.compile(r"(?P<outer>/(?:.*/)?)gpuquota/s/[^/]+/.*")


@dataclass(frozen=True, slots=True)
class JupyterServer:
    """Be a Jupyter Server that runs here. `sock` is its unix socket, empty if it has a port."""

    url: str
    base_url: str
    root: str
    token: str = field(default="", repr=False)
    sock: str = ""

    @property
    def is_of_session(self) -> bool:
        """Tell whether it is the Jupyter Server of a session, which an ingress shows."""
        return _OUTER.fullmatch(self.base_url) is not None

    @property
    def outer_base_url(self) -> str:
        """Tell the base URL of the JupyterLab whose ingress shows this server, or its own."""
        match = _OUTER.fullmatch(self.base_url)
        return match["outer"] if match else self.base_url


def running() -> list[JupyterServer]:
    """Return the servers of this account whose process lives; whether they answer is not asked."""
    found = (_read(path) for path in sorted(_notes().glob("jpserver-*.json")))
    return [server for server in found if server]


def parent(environ: Mapping[str, str] = os.environ) -> JupyterServer | None:
    """Return the server whose kernel or terminal this process is, if it is one of this account."""
    if (pid := environ.get("JPY_PARENT_PID", "")).isdecimal():
        return _read(_notes() / f"jpserver-{pid}.json")
    url = environ.get("JUPYTER_SERVER_URL", "")
    return next((server for server in running() if url and server.url == url), None)


def of_hub(environ: Mapping[str, str] = os.environ) -> JupyterServer | None:
    """Return the single-user server that JupyterHub has given us the address and token of."""
    url, token = environ.get("JUPYTERHUB_SERVICE_URL", ""), environ.get("JUPYTERHUB_API_TOKEN", "")
    if not (url and token):
        return None
    return JupyterServer(
        # What a server listens on, not where it is reached: 0.0.0.0 stands for every address.
        url=re.sub(r"//(0\.0\.0\.0|\[::\]|)(?=[:/])", "//127.0.0.1", url),
        base_url=environ.get("JUPYTERHUB_SERVICE_PREFIX", "/"),
        root=environ.get("JUPYTERHUB_ROOT_DIR", ""),
        token=token,
    )


def _notes() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 (keeps the import light)

    return Path(jupyter_runtime_dir())


def _read(path: Path) -> JupyterServer | None:
    try:
        info: dict[str, Any] = json.loads(path.read_bytes())
        if not _lives(info["pid"]):
            return None
        return JupyterServer(
            url=info["url"],
            base_url=info["base_url"],
            root=info["root_dir"],
            token=info.get("token") or "",
            sock=info.get("sock") or "",
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # half written, or of another kind: as good as none


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
