"""Where the controller logs to."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

_LOG_BYTES = 1024 * 1024


class PrivateLog(RotatingFileHandler):
    """A log for the account only; a umask would be every session's, too."""

    def _open(self) -> TextIOWrapper:
        number = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(number, "a", encoding=self.encoding)


def log_to(path: Path | None) -> None:
    """Send all logging to a file that never grows large, or to standard error.

    What tornado tells of malformed requests stays out: it shows headers, tokens among them.
    """
    handler: logging.Handler = logging.StreamHandler()
    if path:
        handler = PrivateLog(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("tornado.general").setLevel(logging.WARNING)
