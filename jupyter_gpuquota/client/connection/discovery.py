"""The discovery of a server: the first of these that exists.

1. The argument of the caller: the URL of a Jupyter Server, or a backend or a state folder.
2. The controller that the environment names. `JUPYTER_GPUQUOTA_URL` names one at a URL, with a
   token of its own. `JUPYTER_GPUQUOTA_BACKEND` and `GPUQUOTA_STATE_DIR` name one of this machine:
   our extension sets them for the kernels and terminals of a JupyterLab, the controller for
   sessions. Its socket needs no token, whatever the server's login is, and answers while the
   server is busy.
3. The Jupyter Server that this kernel or terminal belongs to, or JupyterHub's single-user server,
   if it has the extension: its sessions may run elsewhere.
4. The controller of this machine, which is started if needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import GpuQuotaError
from ...hosting import remote
from ...hosting.config_files import Choice, Reader, read_apart
from ...hosting.locate import in_environment, locate
from ...hosting.start import ensure_controller, require_controller
from . import servers
from .transport import HttpTransport, RemoteTransport, SocketTransport, Transport

_PROBE = 3.0
"""Seconds to wait for a server that may not answer."""


@dataclass(frozen=True, slots=True)
class Home:
    """What a JupyterLab would fill in: the base URL for sessions.

    It is empty if no JupyterLab with our extension runs.
    """

    base_url: str = ""


def find(
    *,
    url: str = "",
    token: str = "",
    named: Choice | None = None,
    read: Reader = read_apart,
    start: bool = True,
) -> Transport:
    """Return the transport to a server; this may send requests to servers of this machine.

    `read` returns the configuration. Without `start` no controller is started. Raises NoServer.
    """
    if url:
        return HttpTransport(url, token)
    ensure = ensure_controller if start else require_controller
    if not named and (elsewhere := remote.in_environment()):
        return RemoteTransport(elsewhere)
    if named or in_environment():
        return SocketTransport(locate(named, read), ensure=ensure)
    tried = []
    for server in (servers.parent(), servers.of_hub()):
        if server:
            transport = _through(server)
            try:
                transport.introduce(_PROBE)
            except GpuQuotaError as error:
                tried.append(f"{server.url}: {error.message}")
            else:
                return transport
    return SocketTransport(locate(read=read), tried, ensure)


def find_home() -> Home:
    """Return what our own JupyterLab fills in, or else another one of this machine."""
    server = servers.parent()
    if server and (server.is_of_session or _has_us(server)):
        return Home(server.outer_base_url)
    lab = next(iter(labs()), None)
    return Home(lab.outer_base_url) if lab else Home()


def labs() -> list[servers.JupyterServer]:
    """Return the Jupyter Servers of this account that have our extension and answer."""
    return [server for server in servers.running() if _has_us(server)]


def _has_us(server: servers.JupyterServer) -> bool:
    try:
        _through(server).introduce(_PROBE)
    except GpuQuotaError:
        return False
    return True


def _through(server: servers.JupyterServer) -> HttpTransport:
    return HttpTransport(server.url, server.token, server.sock)
