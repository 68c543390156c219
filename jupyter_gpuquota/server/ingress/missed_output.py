"""The route that returns kernel output from the time without a connected page."""

from __future__ import annotations

from typing import cast
from urllib.parse import unquote

import msgspec
from jupyter_server.auth.decorator import authorized
from tornado import web

from ...api.handlers import Verb
from ..jupyter_mount import RESOURCE
from .replay.kernel_channels import KernelKey
from .request import IngressHandler

MISSED = r"/gpuquota/missed/[^/]+"
"""The path below a session's address; its last segment is the kernel id."""


class MissedOutputHandler(IngressHandler):
    """The handler that returns the held output of one kernel, finished requests once."""

    async def send_missed(self, session: str) -> None:
        """Write the output as JSON."""
        self.check_site()
        destination = await self.resolve(session)
        kernel = unquote(self.request.path.rpartition("/")[2])
        key = KernelKey(self.current_user.username, session, destination.endpoint.authority, kernel)
        client, before = (self.get_query_argument(name, "") for name in ("client", "before"))
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        await self.finish(msgspec.json.encode(self.context.kernels.missed(key, client, before)))

    # Reading output takes the same permission as connecting to the kernel.
    post = cast("Verb", web.authenticated(authorized("execute", RESOURCE)(send_missed)))
