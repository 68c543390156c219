"""Configuration of a session's Jupyter Server, which runs in the session's own environment.

Jupyter Server writes the token of its identity provider into its pages. That of a session is empty:
the ingress sends another token, which no page knows.

Jupyter Server drops output of more than 1 MB or 1,000 messages a second, to protect pages. A relay
is not a page: it passes output on to a server with limits of its own.

Terminals are not login shells: a profile would remove the session's environment from PATH.
"""

from __future__ import annotations

import os
from hmac import compare_digest
from shutil import which
from typing import Any

try:
    from jupyter_server.auth.identity import IdentityProvider, User
    from tornado.web import RequestHandler
except ImportError:  # Jupyter Server 1 has no identity providers, and reads JUPYTER_TOKEN itself
    pass
else:

    class SessionIdentity(IdentityProvider):
        """Authenticates requests with the session's token, which only the ingress has."""

        async def get_user_token(self, handler: RequestHandler) -> User | None:
            """Return a user for a request with the token, None for any other."""
            sent, token = self.get_token(handler) or "", os.environ.get("JUPYTER_TOKEN", "")
            if not token or not compare_digest(sent.encode(), token.encode()):
                return None
            return self.generate_anonymous_user(handler)

    c.ServerApp.identity_provider_class = SessionIdentity  # type: ignore[name-defined]
    c.SessionIdentity.token = ""  # type: ignore[name-defined]

try:
    from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
except ImportError:  # Jupyter Server 1
    pass
else:

    class SessionConnection(ZMQChannelsWebsocketConnection):
        """A connection to a kernel, without limits for a relay."""

        def connect(self) -> Any:
            """Connect, and see who it is for."""
            if self.websocket_handler.get_query_argument("gpuquota_relay", ""):
                self.limit_rate = False
            return super().connect()

    c.ServerApp.kernel_websocket_connection_class = SessionConnection  # type: ignore[name-defined]

_LARGEST = {"websocket_max_message_size": 2**30 + 2**24}
c.ServerApp.tornado_settings.update(_LARGEST)  # type: ignore[name-defined]

_SHELL = os.environ.get("SHELL") or which("bash") or "sh"
c.ServerApp.terminado_settings = {"shell_command": [_SHELL]}  # type: ignore[name-defined]
