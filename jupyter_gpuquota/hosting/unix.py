"""HTTP over a unix socket whose owner the kernel vouches for."""

from __future__ import annotations

import http.client
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import NotAllowed

API = "/gpuquota/api"
"""What the paths of the REST interface begin with on the controller's socket."""

RETIRE = "/gpuquota/retire"
"""A POST to this path makes the controller leave."""

_LONGEST = 107
"""Bytes that the kernel takes for the path of a socket."""
_BUSY_PAUSE = 0.01


class UnixConnection(http.client.HTTPConnection):
    """Speak HTTP to the controller of the own account, or of root.

    `timeout` in seconds. Raises OSError where nobody listens, NotAllowed where the listener
    belongs to another account.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("controller", timeout=timeout)
        self._path = path
        self._patience = timeout
        self.pid = 0

    def connect(self) -> None:
        """Connect, and ask the kernel who listens."""
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
                f"Whoever listens on {self._path} is another account than yours.",
                hint="Name a state folder of your own in GpuQuota.state_dir.",
            )

    def _connect(self, sock: socket.socket) -> None:
        sock.settimeout(self._patience)
        deadline = time.monotonic() + self._patience
        with short(self._path) as address:
            while True:
                try:
                    return sock.connect(address)
                except BlockingIOError:  # more wait to connect than the listener has room for
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(_BUSY_PAUSE)

    @staticmethod
    def _credentials(sock: socket.socket) -> bytes:
        return sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))


@contextmanager
def short(path: Path) -> Iterator[str]:
    """Yield an address of at most 107 bytes for a path of any length."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
