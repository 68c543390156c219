"""Free ports of this machine."""

from __future__ import annotations

import random
import socket
from collections.abc import Hashable, Iterable
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)

RANGE = range(20_000, 32_768)
"""Below the ports of outgoing connections, so that one stays free until its server binds it."""


def free_port() -> int:
    """Return a free port on 127.0.0.1."""
    port = random.choice(RANGE)  # noqa: S311 (nothing to guess here)
    while not _is_free(port):
        port = random.choice(RANGE)  # noqa: S311
    return port


def free_ports(names: Iterable[Name]) -> dict[Name, int]:
    """Return a free port on 127.0.0.1 for each name."""
    chosen: dict[Name, int] = {}
    for name in names:
        port = free_port()
        while port in chosen.values():
            port = free_port()
        chosen[name] = port
    return chosen


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
