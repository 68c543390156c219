"""How a controller looks from outside, without starting or replacing it; how it is stopped."""

from __future__ import annotations

import http.client
import json
import time
from datetime import UTC, datetime
from typing import Any

from ..errors import Unavailable
from ..model.controllers import ControllerStatus
from .locate import Location
from .lock import holder
from .unix import API, RETIRE, UnixConnection

_TIMEOUT = 5.0
_LEAVE_TIMEOUT = 30.0
_PAUSE = 0.05


def status(location: Location) -> ControllerStatus:
    """Return what the controller tells of itself. Raises NotAllowed for another account's."""
    socket = str(location.socket)
    connection = UnixConnection(location.socket, _TIMEOUT)
    try:
        about = _get(connection, "/about")
        running = _get(connection, "/sessions?state=running&limit=1")
        return ControllerStatus(
            backend=location.backend,
            socket=socket,
            running=True,
            pid=connection.pid,
            version=about["version"],
            since=datetime.fromtimestamp(location.socket.stat().st_mtime, UTC),
            sessions=running["total"],
            outlived=about.get("outlives_controller", True),
        )
    except (FileNotFoundError, NotADirectoryError, ConnectionError, http.client.HTTPException):
        return _silent(location)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return ControllerStatus(
            backend=location.backend,
            socket=socket,
            running=True,
            pid=connection.pid or holder(location) or 0,
            problem=f"It does not answer as it should: {type(error).__name__}: {error}",
        )
    finally:
        connection.close()


def stop(location: Location) -> None:
    """Make the controller leave and wait until it has; its sessions run on.

    Silent if none runs. Raises Unavailable if it does not leave, NotAllowed for another account's.
    """
    connection = UnixConnection(location.socket, _TIMEOUT)
    try:
        connection.request("POST", RETIRE, body=b"{}")
        pid = connection.pid
        connection.getresponse().read()
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        return
    except (OSError, http.client.HTTPException) as error:
        raise _stays(location, connection.pid) from error
    finally:
        connection.close()
    deadline = time.monotonic() + _LEAVE_TIMEOUT
    while holder(location) == pid:
        if time.monotonic() > deadline:
            raise _stays(location, pid)
        time.sleep(_PAUSE)


def _get(connection: UnixConnection, path: str) -> Any:
    connection.request("GET", API + path)
    return json.loads(connection.getresponse().read())


def _silent(location: Location) -> ControllerStatus:
    """Return the status of one that does not listen, or is just about to, or just has."""
    pid = holder(location) or 0
    return ControllerStatus(
        backend=location.backend,
        socket=str(location.socket),
        pid=pid,
        problem="It is starting or leaving." if pid else "",
    )


def _stays(location: Location, pid: int) -> Unavailable:
    return Unavailable(
        f"The controller (process {pid}) was told to leave, but has not left.",
        hint=f"`kill {pid}` leaves its sessions running, too; see {location.log}.",
    )
