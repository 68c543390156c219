"""REST requests to the Jupyter Server of a session."""

from __future__ import annotations

import http.client
import socket
import ssl
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec

from ..client.connection.transport import HttpTransport, RemoteTransport
from ..environ import URL
from ..errors import NoServer, NotFound, Unavailable, WrongState
from ..hosting.unix import UnixConnection
from ..model.sessions import Endpoint, EndpointQuery

if TYPE_CHECKING:
    from ..client.connection.context import Context

T = TypeVar("T")

_SECONDS = 60.0


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel, as a Jupyter Server describes it."""

    id: str
    name: str = ""
    execution_state: str = "unknown"


class KernelSession(msgspec.Struct, frozen=True, kw_only=True):
    """A notebook or the like with its kernel, as a Jupyter Server describes it."""

    id: str
    path: str = ""
    name: str = ""
    type: str = ""
    kernel: Kernel | None = None


class SessionServer:
    """The Jupyter Server of a session, at its endpoint; the token goes into a header only."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    @classmethod
    def find(cls, context: Context, session: str) -> SessionServer:
        """Return the server of one of the caller's own sessions, by the session's id.

        A controller says where it listens; a Jupyter Server does not, but its ingress leads there.
        Raises NotFound, NotAllowed, and WrongState while it does not run.
        """
        transport = context.transport()
        if isinstance(transport, HttpTransport):
            return cls(transport.ingress(session))
        query = EndpointQuery(same_origin=True)
        try:
            return cls(context.call("sessions.endpoint", {"id": session}, query=query))
        except (NotFound, NoServer):
            if not isinstance(transport, RemoteTransport):
                raise
            return cls(transport.ingress(session))

    def kernel(self, kernel: str) -> Kernel:
        """Return one kernel. Raises NotFound."""
        return self._get(f"api/kernels/{quote(kernel, safe='')}", Kernel)

    def sessions(self) -> list[KernelSession]:
        """Return the notebooks and the like that have a kernel."""
        return self._get("api/sessions", list[KernelSession])

    def start(self, path: str, name: str) -> Kernel:
        """Return the kernel at a path; if it has none, the server's default one is started."""
        wanted = {"path": path, "name": name, "type": "notebook", "kernel": {"name": None}}
        made = self._send("POST", "api/sessions", wanted, KernelSession)
        if made.kernel is None:
            raise Unavailable("The session's Jupyter Server started no kernel.")
        return made.kernel

    def interrupt(self, kernel: str) -> None:
        """Interrupt what a kernel runs. Raises NotFound."""
        self._send("POST", f"api/kernels/{quote(kernel, safe='')}/interrupt", {}, object)

    def restart(self, kernel: str) -> None:
        """Restart a kernel; it keeps its id. Raises NotFound."""
        self._send("POST", f"api/kernels/{quote(kernel, safe='')}/restart", {}, object)

    def shut_down(self, kernel: str) -> None:
        """Shut a kernel down; one that is gone is fine."""
        try:
            self._send("DELETE", f"api/kernels/{quote(kernel, safe='')}", None, object)
        except NotFound:
            return

    def _get(self, path: str, kind: type[T]) -> T:
        return self._send("GET", f"{path}?no_track_activity=1", None, kind)

    def _send(self, method: str, path: str, body: object, kind: type[T]) -> T:
        """Send a request. Raises NotFound, WrongState, and Unavailable if nothing answers."""
        connection = open_connection(self.endpoint, _SECONDS)
        sent = None if body is None else msgspec.json.encode(body)
        headers = {**self.endpoint.headers, "Content-Type": "application/json"}
        target = f"{self.endpoint.base_url.rstrip('/')}/{path}"
        try:
            connection.request(method, target, sent, headers)
            response = connection.getresponse()
            found = response.read()
        except (FileNotFoundError, socket.gaierror) as error:
            raise Unavailable(
                f"{self.endpoint.host} cannot be reached from this machine.",
                hint=f"Set {URL} to the address of a JupyterLab that shows your sessions.",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(
                "The session's Jupyter Server does not respond.",
                hint="It may have just ended; see the session's log.",
            ) from error
        finally:
            connection.close()
        answer: T = _answer(response.status, found, kind)
        return answer


def _answer(status: int, body: bytes, kind: Any) -> Any:
    if status == http.client.NOT_FOUND:
        raise NotFound("The kernel was not found in the session.", hint="Restart the kernel.")
    if status >= http.client.BAD_REQUEST:
        raise WrongState(
            f"The session's Jupyter Server refuses: {_said(body) or f'HTTP {status}'}.",
            hint="See the session's log.",
        )
    if status == http.client.NO_CONTENT or kind is object:
        return None
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise Unavailable("The session's Jupyter Server sent an unknown answer.") from error


class _Refusal(msgspec.Struct):
    message: str = ""


def _said(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Refusal).message.rstrip(".")
    except msgspec.MsgspecError:
        return ""


def open_connection(endpoint: Endpoint, seconds: float) -> http.client.HTTPConnection:
    """Return a connection to a session's server, not yet open."""
    if endpoint.socket:
        connection = UnixConnection(Path(endpoint.socket), seconds)
        connection.host, connection.port = endpoint.host, endpoint.port  # as the server is called
        return connection
    if endpoint.scheme == "http":
        return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=seconds)
    tls = trust(endpoint.ca)
    return http.client.HTTPSConnection(endpoint.host, endpoint.port, timeout=seconds, context=tls)


@lru_cache(maxsize=4)
def trust(ca: str) -> ssl.SSLContext:
    """Return a TLS context that trusts an authority, as PEM; empty: those of the system."""
    context = ssl.create_default_context(cadata=ca or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
