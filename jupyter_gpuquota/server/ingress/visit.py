"""What a request to the ingress is about, read from its address; and who may make it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.base.handlers import JupyterHandler
from tornado import web
from tornado.iostream import IOStream

from ...api.statuses import error_raised
from ...errors import GpuQuotaError, NotFound, Unavailable, WrongState
from ...model.sessions import Endpoint
from ..bases import outer_base
from ..http1 import Connections
from ..jupyter_mount import RESOURCE
from .connect import connect
from .headers import Outside, without_secrets
from .origins import is_foreign
from .pages import error_page
from .presence import Presence
from .targets import Targets, check_prefix

Count = Callable[[str, int], None]
"""Count a request by its kind (`http` or `websocket`) and the status of its answer."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Be one request: where it goes, and how the session is addressed from outside."""

    session: str
    port: int
    endpoint: Endpoint
    outside: Outside
    target: str


@dataclass(slots=True)
class Ways:
    """Be what all requests of the ingress share: look-up, connections, who counts, who reports."""

    targets: Targets
    connections: Connections
    count: Count
    presence: Presence

    async def line(self, visit: Visit) -> IOStream:
        """Return a connection to the session, a kept one if there is one. Raises as `connect`."""
        return await self.connections.borrow(_key(visit), lambda: self.connect(visit))

    def give_back(self, visit: Visit, line: IOStream) -> None:
        """Keep a connection for the next request."""
        self.connections.give_back(_key(visit), line)

    async def connect(self, visit: Visit) -> IOStream:
        """Open a connection to the session.

        Where it listens is looked up again once connected: had a stranger taken the port of a
        session that ended, this is where it shows, before anything was said.

        Raises Unavailable, and what `Targets.find` raises.
        """
        try:
            line = await connect(visit.endpoint)
        except Unavailable:
            self.targets.forget()
            raise
        try:
            await self._check_unmoved(visit)
        except BaseException:
            line.close()
            raise
        line.set_nodelay(True)
        return line

    def close(self) -> None:
        """Close all connections, and report no more."""
        self.connections.close()
        self.presence.close()

    async def _check_unmoved(self, visit: Visit) -> None:
        now = await self.targets.find(visit.session, visit.port, fresh=True)
        if now != visit.endpoint:
            raise WrongState("The session has just moved.", hint="Load the page again.")


def inner_path(path: str, session: str) -> str:
    """Tell what is asked for of a session: the path below its address."""
    return path.partition(f"gpuquota/s/{session}")[2]


def _key(visit: Visit) -> Hashable:
    to = visit.endpoint
    return visit.session, visit.port, to.scheme, to.host, to.port, to.ca


class Visitor(JupyterHandler):
    """Check who asks, and find the session that is asked for."""

    auth_resource = RESOURCE
    kind = "http"
    ways: Ways

    def initialize(self, ways: Ways) -> None:
        """Take what the mount passes to every handler."""
        self.ways = ways

    @web.authenticated
    def demand_login(self) -> None:
        """Send whoever is not logged in to the login page, or raise HTTPError 403.

        Jupyter's own `prepare` does so only where `allow_unauthenticated_access` is off.
        """

    def leads_elsewhere(self) -> bool:
        """Redirect a browser whose address is not quite where it wants to be; tell whether so.

        Where this JupyterLab is a session itself, sessions stand beside it, at the outer one's
        ingress. The links of a program on a port are relative to its root, with the slash.
        """
        if self.request.method != "GET":
            return False
        outer, path = outer_base(self.base_url), self.request.path
        wanted = outer + path.removeprefix(self.base_url)
        if path.endswith(f"/p/{self.path_kwargs.get('port')}"):
            wanted += "/"
        if wanted == path:
            return False
        self.redirect(f"{wanted}?{self.request.query}" if self.request.query else wanted)
        return True

    async def check(self, action: str) -> None:
        """Raise HTTPError 403 unless user and origin may do this.

        A body goes to the session while it arrives, so this comes before the guarded verb.
        """
        self.check_site()
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, action, RESOURCE)
        )
        if not allowed:
            raise web.HTTPError(403, f"You have no right to {action} {RESOURCE}.")

    def check_site(self) -> None:
        """Raise HTTPError 403 if a page of another origin is behind the request."""
        if is_foreign(str(self.request.method), self.request.headers):
            raise web.HTTPError(403, "A page of another origin asked for this.")

    async def visit(self, session: str, port: str = "0") -> Visit:
        """Find the session. Raises what `Targets.find` and `check_prefix` raise."""
        path, query = self.request.path, without_secrets(self.request.query)
        prefix = f"{self.base_url}gpuquota/s/{session}" + (f"/p/{port}" if int(port) else "")
        if not path.startswith(prefix):  # written with escapes that no link of ours has
            raise NotFound(f"There is no session at {path}.")
        endpoint = await self.ways.targets.find(session, int(port))
        if int(port):
            path = path[len(prefix) :]
        else:
            check_prefix(endpoint, path)
        outside = Outside(self.request.protocol, self.request.host, prefix)
        target = f"{path}?{query}" if query else path
        return Visit(session, int(port), endpoint, outside, target)

    def note_activity(self, saved: str = "") -> None:
        """Count what a person did; polls, pings and what a session sends by itself do not.

        Whether a person `saved` a notebook shows later.
        """
        if not saved:
            self.settings["gpuquota_ingress_last_activity"] = datetime.now(UTC)
        self.ways.presence.note(self.path_kwargs["session"], saved)

    def note_end(self, status: int) -> None:
        """Note a request whose connection was taken over; tornado notes the others."""
        self.set_status(status)
        self.application.log_request(self)
        self.on_finish()

    def on_finish(self) -> None:
        """Count the request."""
        self.ways.count(self.kind, self.get_status())

    def set_default_headers(self) -> None:
        """Leave headers to the session."""
        for name in ("Content-Type", "Date", "Server"):
            self.clear_header(name)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write what went wrong, as a page or as JSON."""
        raised = kwargs.get("exc_info", (None, None, None))[1]
        status, error = error_raised(status_code, raised)
        page = error_page(error, f"{self.base_url}lab", self.request.headers.get("Accept", ""))
        self.clear()
        self.set_status(status)
        for name, value in page.headers.items():
            self.set_header(name, value)
        self.finish(page.body)

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Log a traceback for faults of ours only; the user is told of the others."""
        if not isinstance(value, GpuQuotaError):
            super().log_exception(typ, value, tb)
