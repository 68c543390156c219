"""The controller's access log: faults of ours only, as polls would fill it within a day."""

from __future__ import annotations

import logging
from typing import cast

from tornado import web
from tornado.http1connection import HTTP1Connection

log = logging.getLogger(__name__)


def log_fault(handler: web.RequestHandler) -> None:
    """Log a request that went wrong by our fault, without its query.

    Whoever hung up, or is hung up on because we leave, is told nothing and missed nothing.
    """
    connection = cast("HTTP1Connection", handler.request.connection)
    status = handler.get_status()
    if status >= 500 and not connection.stream.closed():
        asked = f"{handler.request.method} {handler.request.path}"
        log.warning("%s %s", status, asked)
