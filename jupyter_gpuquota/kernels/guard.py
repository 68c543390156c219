"""Let only this account connect to a relay's ports.

ZeroMQ asks nobody who he is, and every account of the machine can connect to a port of loopback.
Whoever starts a kernel chooses its sockets, so a relay that is started with ports asks the system
whose connections they have. ZeroMQ asks it, by its authentication protocol
(https://rfc.zeromq.org/spec/27/), before a new connection sends or receives a message.
"""

from __future__ import annotations

import logging
import os
import socket as sockets
import threading
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import zmq

from ..sock_diag import Address, connections
from .connection_file import Connection

_HANDLER = "inproc://zeromq.zap.01"
_ACCEPTED, _LATER = b"200", b"300"
_DOMAIN = b"kernel"
"""Without a domain, ZeroMQ asks nobody about clients without keys."""
_HANDSHAKE = 5_000
"""Milliseconds after which a client that was refused may try again."""

_log = logging.getLogger(__name__)


class Guard:
    """Refuses other accounts at the ports of a connection file.

    It has no effect where the sockets are files, where clients need keys, where the ports are open
    to other machines, and where the system does not tell whose a connection is.
    """

    def __init__(self, connection: Connection, context: zmq.Context[Any]) -> None:
        self._ports = connection.ports
        self._needed = connection.is_open_to_the_machine and _system_tells()
        if self._needed:
            handler: zmq.Socket[Any] = context.socket(zmq.REP)
            handler.bind(_HANDLER)
            threading.Thread(target=self._answer, args=(handler,), daemon=True).start()

    def protect(self, socket: zmq.Socket[Any]) -> None:
        """Let a socket, which is not yet bound, ask about each client."""
        if self._needed:
            socket.zap_domain = _DOMAIN
            socket.handshake_ivl = _HANDSHAKE

    def _answer(self, handler: zmq.Socket[Any]) -> None:
        """Answer until the context is closed."""
        with handler, suppress(zmq.ContextTerminated):
            while True:
                version, request, *_ = handler.recv_multipart()
                status = _LATER if _has_strangers(self._ports) else _ACCEPTED
                handler.send_multipart([version, request, status, b"", b"", b""])


def _system_tells() -> bool:
    """Return whether the system tells whose a connection is."""
    if not hasattr(sockets, "AF_NETLINK"):  # not Linux
        return False
    try:
        connections()
    except OSError as error:
        _log.warning("Every account of this machine can read what cells print: %s", error)
        return False
    return True


def _has_strangers(ports: Collection[int]) -> bool:
    """Return whether another account has a connection to one of our ports.

    ZeroMQ does not say which connection it asks about, so one of a stranger delays all new ones.
    """
    try:
        return any(
            each.uid != os.geteuid()
            for each in connections()
            if each.inode and _is_of_this_machine(each.remote) and each.remote[1] in ports
        )
    except OSError as error:
        _log.warning("The connections of this machine cannot be read: %s", error)
        return True


def _is_of_this_machine(address: Address) -> bool:
    return address[0].startswith(b"\x7f") or address[0] == sockets.inet_pton(
        sockets.AF_INET6, "::1"
    )
