"""Ask the kernel whether a process listens: a port alone may be anyone's."""

from __future__ import annotations

import psutil

_LOOPBACK = ("127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "::", "::1")  # noqa: S104 (compared)


def listens(pid: int, port: int) -> str:
    """Return the loopback address at which a process listens on a port, empty if it does not."""
    try:
        sockets = psutil.Process(pid).net_connections(kind="tcp")
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return ""
    for found in sockets:
        address = found.laddr
        if found.status == psutil.CONN_LISTEN and address.port == port and address.ip in _LOOPBACK:
            return "::1" if address.ip == "::1" else "127.0.0.1"
    return ""
