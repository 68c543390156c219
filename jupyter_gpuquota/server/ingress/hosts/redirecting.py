"""The ingress at JupyterLab's host if sessions have their own hosts: it redirects there.

A session's pages are shown at no other origin. Programs that send JupyterLab's token in a header
are served here as well, as browsers do not show their responses.
"""

from __future__ import annotations

from html import escape

from ....core.hosts import Place
from ....errors import NotAllowed
from ..error_pages import Page, hash_source, write_page
from ..http import HttpProxy
from ..protocol.headers import without_secrets
from ..protocol.origins import is_navigation
from ..request import IngressHandler, ProxyContext
from ..websocket import WebSocketProxy
from .addresses import Hosts
from .handover import Login


class Redirecting(IngressHandler):
    """A handler for sessions at JupyterLab's host."""

    hosts: Hosts

    def initialize(self, context: ProxyContext, hosts: Hosts) -> None:  # type: ignore[override]
        """Store what the mount passes to every handler."""
        super().initialize(context)
        self.hosts = hosts

    def check_site(self) -> None:
        """Raise NotAllowed unless a user opens a page or a program sends a token."""
        super().check_site()
        if not (self._is_program or is_navigation(str(self.request.method), self.request.headers)):
            origin = self.hosts.origin_of(self._place, self.request)
            raise NotAllowed(
                f"This session is shown at {origin} only.",
                hint="Open it in its own tab. Programs send JupyterLab's token in Authorization.",
            )

    async def redirects(self) -> bool:
        """Send a browser to the session's host if the session can be shown."""
        if await super().redirects():
            return True
        if self._is_program:
            return False
        await self.resolve(**self.path_kwargs)
        path, query = self.request.path, without_secrets(self.request.query)
        target = self.hosts.to_place(self._place, path) + (f"?{query}" if query else "")
        lab = f"{self.request.protocol}://{self.request.host}"
        login = Login(self._place, self.current_user, lab)
        origin = self.hosts.origin_of(self._place, self.request)
        page = handover_page(origin, self.hosts.entrance, self.hosts.handovers.offer(login, target))
        await write_page(self, page)
        return True

    @property
    def _place(self) -> Place:
        return Place(self.path_kwargs["session"], int(self.path_kwargs.get("port") or 0))

    @property
    def _is_program(self) -> bool:
        """Whether the caller is a program: browsers do not send a token in a header."""
        return self.token_authenticated and "Authorization" in self.request.headers


class RedirectingHttpProxy(Redirecting, HttpProxy):
    """The HTTP proxy at JupyterLab's host."""


class RedirectingWebSocketProxy(Redirecting, WebSocketProxy):
    """The WebSocket proxy at JupyterLab's host."""


_SCRIPT = "const f = document.forms[0]; f.action += location.hash; f.submit();"
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Opening the session</title>
<meta name="viewport" content="width=device-width"></head>
<body><form method="post" action="{action}"><input type="hidden" name="code" value="{code}">
<noscript><button>Open the session</button></noscript></form>
<script>{script}</script></body>
</html>
"""


def handover_page(origin: str, path: str, code: str) -> Page:
    """Return a page that automatically posts a code to a path of another origin.

    It is posted because URLs end up in logs, histories and `Referer`.
    """
    policy = (
        f"default-src 'none'; script-src {hash_source(_SCRIPT)}; form-action {origin}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Content-Type": "text/html; charset=utf-8",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    text = _PAGE.format(action=escape(origin + path), code=escape(code), script=_SCRIPT)
    return Page(headers, text.encode())
