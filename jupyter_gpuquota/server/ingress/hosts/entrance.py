"""A session's host: logging in with a code, and redirects back to JupyterLab."""

from __future__ import annotations

from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ....api.statuses import FaultLogging, error_raised
from ....core.hosts import Place
from ....errors import NotAllowed
from ..error_pages import error_page, write_page
from ..protocol.origins import is_navigation
from .addresses import Hosts

_REOPEN = "Open the session from JupyterLab again."


class _PublicHandler(FaultLogging):
    """A handler that requires no login."""

    hosts: Hosts

    def initialize(self, hosts: Hosts) -> None:
        """Store what the mount passes to every handler."""
        self.hosts = hosts

    @property
    def place(self) -> Place:
        """The place of this host."""
        return self.hosts.place_at(self.request)

    def check_xsrf_cookie(self) -> None:
        """Accept posts from JupyterLab's origin: no other page can know a code."""

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write the error as a page or as JSON."""
        raised = kwargs.get("exc_info", (None, None, None))[1]
        status, error = error_raised(status_code, raised)
        lab = self.hosts.lab_of(self)
        home = lab and f"{lab}{self.hosts.base_url}lab"
        page = error_page(error, home, self.request.headers.get("Accept", ""))
        self.clear()
        self.set_status(status)
        write_page(self, page)


class EntranceHandler(_PublicHandler):
    """The handler for browsers that come from JupyterLab with a code."""

    @allow_unauthenticated
    def post(self, **_: str) -> None:
        """Exchange the code for a cookie and redirect to the requested page."""
        if self.request.headers.get("Sec-Fetch-Dest", "document") != "document":
            raise NotAllowed("Sessions cannot be embedded in other pages.", hint=_REOPEN)
        entrance = self.hosts.handovers.redeem(self.get_body_argument("code", ""), self.place)
        if entrance:
            self.hosts.set_cookie(self, entrance)
            target = entrance.target
        elif self.hosts.login_of(self, self.place):  # the page was reloaded
            target = f"{self.hosts.prefix_of(self.place)}/"
        else:
            raise NotAllowed("This link has been used or has expired.", hint=_REOPEN)
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")
        self.redirect(target, status=303)


class LabRedirectHandler(_PublicHandler):
    """The handler for all other addresses, which redirects to JupyterLab."""

    @allow_unauthenticated
    def redirect_to_lab(self, **_: str) -> None:
        """Redirect to the same address at JupyterLab's host."""
        lab, target = self.hosts.lab_of(self), str(self.request.uri)
        opened = is_navigation(str(self.request.method), self.request.headers)
        if not (lab and opened and target.startswith("/")):
            raise web.HTTPError(404)
        self.redirect(lab + target)

    get = head = options = post = put = patch = delete = redirect_to_lab


def logout_handler(logout: type[JupyterHandler], hosts: Hosts) -> type[JupyterHandler]:
    """Return a logout handler that also ends the user's logins at sessions' hosts."""

    def on_finish(self: JupyterHandler) -> None:
        if self.get_status() < 400 and self.current_user:
            hosts.handovers.log_out(self.current_user.username)
        logout.on_finish(self)

    return type(logout.__name__, (logout,), {"on_finish": on_finish})
