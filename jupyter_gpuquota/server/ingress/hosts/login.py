"""Authentication at a session's own host, by that host's cookie alone.

Jupyter's login, tokens and XSRF cookie are JupyterLab's and are not accepted here.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.auth.identity import IdentityProvider, User
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ....core.hosts import Place
from ....errors import NotAllowed
from ..protocol.origins import is_navigation, is_own
from .addresses import Hosts
from .handover import Login


class _HandedOver(IdentityProvider):
    """The identities of users handed over from JupyterLab's host."""

    def get_user(self, handler: web.RequestHandler) -> User | None:
        """Return the user of a request."""
        return handler.login.user if isinstance(handler, HostHandler) and handler.login else None


_IDENTITIES = _HandedOver()


class HostHandler(JupyterHandler):
    """A handler at the host of a session or one of its ports."""

    hosts: Hosts
    login: Login | None = None

    async def prepare(self, **options: Any) -> None:
        """Require a handed-over login; redirect others to JupyterLab if it is known."""
        self.login = self.hosts.login_of(self, self.place)
        if self.login:
            await super().prepare(**options)
            return
        lab = self.hosts.lab_of(self)
        if not (lab and is_navigation(str(self.request.method), self.request.headers)):
            raise NotAllowed(
                "You are not logged in here.", hint="Open the session from JupyterLab."
            )
        query = f"?{self.request.query}" if self.request.query else ""
        self.redirect(lab + self.hosts.to_lab(self.place, self.request.path) + query)

    @property
    def place(self) -> Place:
        """The place of this host."""
        return self.hosts.place_at(self.request)

    @property
    def identity_provider(self) -> IdentityProvider:
        """The provider that identifies users."""
        return _IDENTITIES

    def check_host(self) -> bool:
        """Allow the host, as it matches the configuration."""
        return True

    def set_cors_headers(self) -> None:
        """Allow no other origin, whatever JupyterLab's origin allows."""

    def check_xsrf_cookie(self) -> None:
        """Raise HTTPError 403 unless a page of this host caused the request."""
        self.check_page()

    def check_page(self) -> None:
        """Raise HTTPError 403 unless a page of this host caused the request."""
        if not is_own(self.request.headers):
            raise web.HTTPError(403, "Requests from pages of other origins are not allowed.")

    def home_url(self) -> str:
        """Return the address of JupyterLab, empty if unknown."""
        lab = self.login.lab if self.login else self.hosts.lab_of(self)
        return lab and f"{lab}{self.base_url}lab"
