"""HTTP over a unix socket whose owner is verified by the kernel."""

from __future__ import annotations

import errno
import http.client
import os
import socket
import struct
import time
from pathlib import Path

from ..errors import NotAllowed
from ..unix_paths import short

API = "/gpuquota/api"
"""The prefix of the REST interface's paths on the controller's socket."""

RETIRE = "/gpuquota/retire"
"""A POST to this path makes the controller exit."""

_BUSY_PAUSE = 0.01


class UnixConnection(http.client.HTTPConnection):
    """An HTTP connection to a controller of our own account, or of root.

    `timeout` in seconds; `only` is the only process that may listen, 0 for any. Raises OSError if
    none listens, NotAllowed if the listener belongs to another account.
    """

    def __init__(self, path: Path, timeout: float, only: int = 0) -> None:
        super().__init__("controller", timeout=timeout)
        self._path = path
        self._patience = timeout
        self._only = only
        self.pid = 0

    def connect(self) -> None:
        """Connect, and verify the listener's account."""
        try:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._connect(self.sock)
            self.pid, uid, _ = struct.unpack("3i", self._credentials(self.sock))
        except BaseException:
            self.close()
            raise
        if uid not in {os.getuid(), 0}:
            self.close()
            raise NotAllowed(
                f"{self._path} is owned by another user.",
                hint="Set GpuQuota.state_dir to a folder of your own.",
            )
        if self._only not in {0, self.pid}:
            self.close()
            raise ConnectionRefusedError(errno.ECONNREFUSED, "another controller listens by now")

    def _connect(self, sock: socket.socket) -> None:
        sock.settimeout(self._patience)
        deadline = time.monotonic() + self._patience
        with short(self._path) as address:
            while True:
                try:
                    return sock.connect(address)
                except BlockingIOError:  # the listener's backlog is full
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(_BUSY_PAUSE)

    @staticmethod
    def _credentials(sock: socket.socket) -> bytes:
        return sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
