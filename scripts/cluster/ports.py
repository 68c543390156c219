"""Free ports of this machine."""

from __future__ import annotations

import random
import socket

RANGE = range(20_000, 32_768)
"""Below the ports of outgoing connections, so that one stays free while its server restarts."""


def free_ports(names: tuple[str, ...]) -> dict[str, int]:
    """Return a free port on 127.0.0.1 for each name."""
    chosen: dict[str, int] = {}
    for name in names:
        port = random.choice(RANGE)  # noqa: S311 (nothing to guess here)
        while port in chosen.values() or not _is_free(port):
            port = random.choice(RANGE)  # noqa: S311
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
