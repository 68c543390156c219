"""Find where a session listens; only sockets of its own processes are returned."""

from __future__ import annotations

from ..errors import WrongState
from ..model.sessions import Endpoint, Session
from .folders.folders import SessionFolder
from .processes import processes
from .processes.listeners import Holder, holder, listening_sockets
from .sessions.readiness import find_server

_MANY = 512


class Endpoints:
    """Finds where sessions listen, and remembers which process listens."""

    def __init__(self) -> None:
        self._holders: dict[tuple[str, int, int], Holder] = {}

    def find(self, session: Session, folder: SessionFolder, port: int) -> Endpoint:
        """Return where a port is served. Raises WrongState while no process listens on it."""
        name = session.spec.name
        if port == 0:
            server = find_server(folder, session.run)
            if server is None:
                raise WrongState(f"The Jupyter Server of {name} no longer responds.")
            return server
        if host := self._host(session, folder, port):
            return Endpoint(host=host, port=port)
        raise WrongState(
            f"No program of {name} listens on port {port} yet.",
            hint=f"Start the program that serves it, on 127.0.0.1 port {port}.",
        )

    def _host(self, session: Session, folder: SessionFolder, port: int) -> str:
        """Return the address at which a process of the session listens now, empty if none does.

        Finding a session's processes is a walk over /proc, so the process that was found last is
        checked first.
        """
        key, found = (session.id, session.run, port), listening_sockets(port)
        known = self._holders.get(key)
        if known and (host := known.host(found)):
            return host
        self._holders.pop(key, None)
        leader = folder.leader(session.run)
        for pid in processes.listeners(session.id, folder, leader) if found else ():
            if held := holder(pid, found):
                if len(self._holders) >= _MANY:
                    self._holders.clear()
                self._holders[key] = held
                return held.host(found)
        return ""
