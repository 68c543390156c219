"""A network that breaks, between a relay and the server of its session."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any

import msgspec

from jupyter_gpuquota import Client
from jupyter_gpuquota.kernels.session_server import SessionServer


class Network:
    """A TCP proxy on this machine, to a port or to the path of a socket."""

    def __init__(self, target: int | str) -> None:
        self._target = target
        self._forwards = threading.Event()
        self._forwards.set()
        self._refuses = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends: set[tuple[socket.socket, socket.socket]] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def refuse(self) -> None:
        """Close all connections, and refuse new ones."""
        self._refuses = True
        for ends in tuple(self._ends):
            _shut(*ends)

    def drop(self) -> None:
        """Close connections at the near end only: the far end does not see it. Refuse new ones."""
        self._refuses = True
        for near, _far in tuple(self._ends):
            _shut(near)

    def fall_silent(self) -> None:
        """Forward nothing, and close nothing."""
        self._forwards.clear()

    def recover(self) -> None:
        """Forward again."""
        self._refuses = False
        self._forwards.set()

    def close(self) -> None:
        """Close all connections."""
        self.recover()
        _shut(self._listener)
        self._listener.close()
        for ends in tuple(self._ends):
            _shut(*ends)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._forwards.wait()
                if self._refuses:
                    near.close()
                    continue
                try:
                    far = _connected(self._target)
                except (ConnectionRefusedError, FileNotFoundError):  # the target has ended
                    near.close()
                    continue
                self._ends.add((near, far))
                threading.Thread(target=self._connect, args=(near, far), daemon=True).start()

    def _connect(self, near: socket.socket, far: socket.socket) -> None:
        """Forward both ways until both have ended, then close the connections."""
        back = threading.Thread(target=self._copy, args=(far, near, near), daemon=True)
        back.start()
        self._copy(near, far, far)
        back.join()
        self._ends.discard((near, far))
        near.close()
        far.close()

    def _copy(self, source: socket.socket, target: socket.socket, *after: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._forwards.wait()
                target.sendall(data)
            if not self._refuses:
                _shut(*after)


class Elsewhere:
    """A client whose sessions are behind a network: their kernels' own sockets are out of reach."""

    def __init__(self, client: Client, network: Network) -> None:
        self.sessions = client.sessions
        self.context = self
        self.transport = client.context.transport
        self._client = client
        self._network = network

    def call(self, *words: Any, **options: Any) -> Any:
        """Return the answer of the controller, with addresses in that network."""
        endpoint = self._client.context.call(*words, **options)
        address = {"host": "127.0.0.1", "port": self._network.port, "socket": ""}
        return msgspec.structs.replace(endpoint, **address, runtime="")


def network_of(client: Client, session: str) -> Network:
    """Return a network to the server of a session."""
    endpoint = SessionServer.find(client.context, session).endpoint
    return Network(endpoint.socket or endpoint.port)


def _connected(target: int | str) -> socket.socket:
    if isinstance(target, int):
        return socket.create_connection(("127.0.0.1", target))
    found = socket.socket(socket.AF_UNIX)
    try:
        found.connect(target)
    except OSError:
        found.close()
        raise
    return found


def _shut(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
