"""The controller's log."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import extract_tb
from typing import cast

from tornado import web
from tornado.http1connection import HTTP1Connection

_LOG_BYTES = 1024 * 1024
_KINDS = 1000
"""Maximum number of kinds of messages that are counted."""

Clock = Callable[[], float]
"""Returns monotonic seconds."""


class PrivateLog(RotatingFileHandler):
    """A log file for the account only; a umask would also apply to sessions."""

    def _open(self) -> TextIOWrapper:
        number = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(number, "a", encoding=self.encoding)


class RepeatFilter(logging.Filter):
    """Passes each kind of warning a few times a minute, then only counts it.

    A permanent failure would otherwise push everything else out of the size-limited log.
    """

    def __init__(
        self, burst: int = 5, seconds: float = 60.0, clock: Clock = time.monotonic
    ) -> None:
        super().__init__()
        self._burst, self._seconds, self._clock = burst, seconds, clock
        self._seen: dict[Hashable, _Repeats] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record; the next of its kind reports how many were omitted."""
        if record.levelno < logging.WARNING:
            return True
        now, kind = self._clock(), _kind(record)
        seen = self._seen.get(kind)
        if seen is None or now - seen.since >= self._seconds:
            self._forget(now)
            self._seen[kind] = _Repeats(now)
            if seen and seen.count > self._burst:
                record.msg = f"{record.msg} ({seen.count - self._burst} similar messages omitted)"
            return True
        seen.count += 1
        return seen.count <= self._burst

    def _forget(self, now: float) -> None:
        if len(self._seen) > _KINDS:
            recent = {k: s for k, s in self._seen.items() if now - s.since < self._seconds}
            self._seen = recent if len(recent) <= _KINDS else {}


@dataclass(slots=True)
class _Repeats:
    """The count of a kind of message since a time."""

    since: float
    count: int = 1


def _kind(record: logging.LogRecord) -> Hashable:
    """Return a key that messages about the same problem share: the error's origin, or the text."""
    trace = record.exc_info[2] if record.exc_info else None
    if trace is None:
        return record.name, record.getMessage()
    last = extract_tb(trace)[-1]
    return record.name, record.exc_info and record.exc_info[0], last.filename, last.lineno


def log_to(path: Path | None) -> None:
    """Send all logging to a file of limited size, or to standard error.

    Tornado's messages about malformed requests are left out: they show headers with tokens.
    """
    handler: logging.Handler = logging.StreamHandler()
    if path:
        handler = PrivateLog(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.addFilter(RepeatFilter())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("tornado.general").setLevel(logging.WARNING)


log = logging.getLogger(__name__)


def log_server_error(handler: web.RequestHandler) -> None:
    """Log a request that failed with a server error, without its query.

    Requests that ended because either side closed the connection are not logged.
    """
    connection = cast("HTTP1Connection", handler.request.connection)
    status = handler.get_status()
    if status >= 500 and not connection.stream.closed():
        log.warning("%s %s %s", status, handler.request.method, handler.request.path)
