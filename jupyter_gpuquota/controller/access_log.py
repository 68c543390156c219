"""The controller's access log: server errors only, because polls would fill it within a day."""

from __future__ import annotations

import logging
from typing import cast

from tornado import web
from tornado.http1connection import HTTP1Connection

log = logging.getLogger(__name__)


def log_server_error(handler: web.RequestHandler) -> None:
    """Log a request that failed with a server error, without its query.

    Requests that ended because either side closed the connection are not logged.
    """
    connection = cast("HTTP1Connection", handler.request.connection)
    status = handler.get_status()
    if status >= 500 and not connection.stream.closed():
        log.warning("%s %s %s", status, handler.request.method, handler.request.path)
