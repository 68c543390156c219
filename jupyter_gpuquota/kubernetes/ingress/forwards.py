"""Unix sockets that lead to ports of pods.

A unix socket, not a port of the loopback interface: only this account may connect (mode 0600 in a
folder with mode 0700), while a loopback port is open to every account of the machine.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from ...errors import Unavailable
from ...model.sessions import Session
from ...unix_paths import short
from ..api import Api
from ..session_pods import PodOf
from . import port_forward

_log = logging.getLogger(__name__)

Key = tuple[str, int, int]
"""A session, its run, and a port."""

MOST = 256
"""Most connections to one port at a time; further ones wait."""
_BACKLOG = 256
_PAUSE = 0.5
_LOOK = 1.0
"""Seconds between two looks, in memory, at whether the pod of a connection is still there."""


class Forwards:
    """The sockets of all sessions, each opened when it is first needed."""

    def __init__(self, api: Api, folder: Path, pod_of: PodOf, most: int = MOST) -> None:
        self._api = api
        self._folder = folder
        self._pod_of = pod_of
        self._most = most
        self._listeners: dict[Key, _Listener] = {}

    def open(self, session: Session, port: int) -> Path:
        """Return the path of the socket that leads to a session's port. Raises Unavailable."""
        key = (session.id, session.run, port)
        known = self._listeners.get(key)
        if known and not known.path.exists():  # the folder was removed, or cleaned up
            known.close()
            del self._listeners[key]
        if key not in self._listeners:
            self._sweep(session)
            self._listeners[key] = self._listen(session, port)
        return self._listeners[key].path

    def _listen(self, session: Session, port: int) -> _Listener:
        path = self._folder / f"{session.id}-{session.run}-{port}"

        async def connect() -> port_forward.PodConnection:
            pod = self._pod_of(session)
            if pod is None:
                raise ConnectionRefusedError(f"{session.spec.name} has no pod")
            return await port_forward.PodConnection.open(self._api, pod, port)

        async def gone(connection: port_forward.PodConnection) -> None:
            while True:
                pod = self._pod_of(session)
                if pod is None or pod.metadata.uid != connection.pod:
                    return
                await asyncio.sleep(_LOOK)

        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _Listener(
                session,
                _bind(path),
                path,
                partial(port_forward.forward, connect=connect, gone=gone),
                self._most,
            )
        except OSError as error:
            raise Unavailable(
                f"No port-forward can be opened in {self._folder}: {error.strerror or error}.",
                hint="Make room in the state folder, or check its permissions.",
            ) from error

    def _sweep(self, opened: Session) -> None:
        """Close what leads to earlier runs of a session, and to sessions without a pod."""
        for key, listener in list(self._listeners.items()):
            earlier = key[0] == opened.id and key[1] != opened.run
            if earlier or self._pod_of(listener.session) is None:
                self._listeners.pop(key).close()

    async def close(self) -> None:
        """Close all sockets and connections."""
        closing = [listener.close() for listener in self._listeners.values()]
        self._listeners.clear()
        await asyncio.gather(*closing)


class _Listener:
    """A listening socket; every connection to it becomes one to the pod."""

    def __init__(
        self,
        session: Session,
        bound: socket.socket,
        path: Path,
        copy: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
        most: int,
    ) -> None:
        self.session = session
        self.path = path
        self._bound = bound
        self._copy = copy
        self._slots = asyncio.Semaphore(most)
        self._connections: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._accept())
        self._accepting.add_done_callback(lambda _: bound.close())

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._slots.acquire()
            try:
                accepted, _ = await loop.sock_accept(self._bound)
            except OSError as error:  # no file descriptor is free, for example
                _log.warning("A connection to a port-forward cannot be accepted: %s", error)
                self._slots.release()
                await asyncio.sleep(_PAUSE)
                continue
            task = asyncio.create_task(self._serve(accepted))
            self._connections.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        self._slots.release()
        if not task.cancelled() and (error := task.exception()):
            _log.warning("A port-forward failed: %s", error)

    async def _serve(self, accepted: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=accepted, limit=port_forward.BLOCK)
        try:
            await self._copy(reader, writer)
        finally:
            writer.close()

    def close(self) -> asyncio.Future[list[BaseException | None]]:
        """Close the socket and all connections; the future is done when they are."""
        tasks = [self._accepting, *self._connections]
        for task in tasks:
            task.cancel()
        with suppress(OSError):
            self.path.unlink()
        return asyncio.gather(*tasks, return_exceptions=True)


def _bind(path: Path) -> socket.socket:
    """Listen on a path, in place of a socket that an earlier controller left. Raises OSError."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bound.settimeout(0)
        path.unlink(missing_ok=True)
        with short(path) as address:
            bound.bind(address)
        path.chmod(0o600)
        bound.listen(_BACKLOG)
    except OSError:
        bound.close()
        raise
    return bound
