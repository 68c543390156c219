"""The controller's claim on its state folder: the lock that it holds and its socket."""

from __future__ import annotations

import asyncio
import logging
import os
import time

from tornado.httpserver import HTTPServer

from ..api import sockets
from ..errors import Conflict, StorageFailed
from ..hosting import lock, takeover
from ..hosting.locate import Location
from ..hosting.unresponsive import on_another_machine
from .unix_mount import SocketServer

log = logging.getLogger(__name__)

_HANDOVER = 10.0
_PAUSE = 0.05


class Claim:
    """A controller's claim on its location, until the process ends."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._lock = -1
        self._trouble = ""

    def acquire(self) -> bool:
        """Acquire the lock; return False if another controller has it, or is about to.

        An exiting controller holds the lock for a moment after it stops responding. Raises
        StorageFailed, and NoServer if a controller on another machine holds it.
        """
        give_up = time.monotonic() + _HANDOVER
        while (held := lock.lock(self._location)) is None:
            holder = lock.holder(self._location)
            if holder and not holder.is_here:
                raise on_another_machine(self._location, holder)
            if asyncio.run(self._is_answered()) or time.monotonic() > give_up:
                return False
            time.sleep(_PAUSE)
        if takeover.newer(self._location):
            os.close(held)
            return False
        takeover.settle(self._location)
        self._lock = held
        return True

    def conflict(self) -> Conflict:
        """Return the error for a claim that could not be acquired."""
        holder = lock.holder(self._location)
        name = holder.name if holder else "a newer version"
        return Conflict(
            f"Another controller is running in {self._location.home}: {name}.",
            hint="Stop it first.",
        )

    def maintain(self, server: HTTPServer) -> bool:
        """Restore a removed lock or socket; return False if another controller has taken over.

        A missing folder is waited for: it comes back, or a client creates a new one.
        """
        try:
            if not self._location.home.exists():
                return True
            if not lock.is_in_place(self._location, self._lock) and not self._lock_again():
                log.warning("the state folder was recreated, and another controller has claimed it")
                return False
            if isinstance(server, SocketServer) and not server.is_found():
                server.bind_again()
                log.warning("the socket was missing or replaced; listening again")
        except (OSError, StorageFailed) as error:
            self._note(str(error))
        else:
            self._trouble = ""
        return True

    def _lock_again(self) -> bool:
        held = lock.lock(self._location)
        if held is None:
            return False
        os.close(self._lock)
        self._lock = held
        log.warning("the lock file was missing or replaced; locked again")
        return True

    def _note(self, trouble: str) -> None:
        if trouble != self._trouble:
            log.warning("clients cannot find this controller: %s", trouble)
        self._trouble = trouble

    async def _is_answered(self) -> bool:
        try:
            stream = await sockets.connect(self._location.socket)
        except OSError:
            return False
        stream.close()
        return True
