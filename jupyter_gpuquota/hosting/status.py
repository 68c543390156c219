"""Report the status of a controller without starting or replacing it, and stop it."""

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
from .unresponsive import not_responding, on_another_machine

_TIMEOUT = 5.0
_LEAVE_TIMEOUT = 30.0
_PAUSE = 0.05


def status(location: Location) -> ControllerStatus:
    """Return the status of a controller. Raises NotAllowed for another account's."""
    connection = UnixConnection(location.socket, _TIMEOUT)
    try:
        about = _get(connection, "/about")
        running = _get(connection, "/sessions?state=running&limit=1")
        return ControllerStatus(
            backend=location.backend,
            socket=str(location.socket),
            running=True,
            pid=connection.pid,
            version=about["version"],
            since=datetime.fromtimestamp(location.socket.stat().st_mtime, UTC),
            sessions=running["total"],
            outlived=about.get("outlives_controller", True),
        )
    except (FileNotFoundError, NotADirectoryError, ConnectionError, http.client.HTTPException):
        return _silent(location)
    except (TimeoutError, BlockingIOError):
        silent = not_responding(location, connection.pid)
        return _strange(location, connection.pid, f"{silent.message} {silent.hint}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        said = f"Unexpected response: {type(error).__name__}: {error}"
        return _strange(location, connection.pid, said)
    finally:
        connection.close()


def stop(location: Location) -> None:
    """Stop the controller and wait until it has exited; its sessions keep running.

    Does nothing if none runs. Raises Unavailable if it does not exit or runs on another machine,
    NotAllowed for another account's.
    """
    deadline = time.monotonic() + _LEAVE_TIMEOUT
    pid = _ask_to_exit(location)
    while (held := holder(location)) and (not pid or held.pid in {0, pid}):
        if not held.is_here:
            raise on_another_machine(location, held)
        if time.monotonic() > deadline:
            raise _stays(location, held.pid)
        pid = pid or _ask_to_exit(location)
        time.sleep(_PAUSE)


def _ask_to_exit(location: Location) -> int:
    """Ask the controller to exit; return its pid, 0 if none listens (yet, or any more)."""
    connection = UnixConnection(location.socket, _TIMEOUT)
    try:
        connection.request("POST", RETIRE, body=b"{}")
        connection.getresponse().read()
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        return 0
    except (TimeoutError, BlockingIOError) as error:
        raise not_responding(location, connection.pid) from error
    except (OSError, http.client.HTTPException) as error:
        raise _stays(location, connection.pid) from error
    finally:
        connection.close()
    return connection.pid


def _get(connection: UnixConnection, path: str) -> Any:
    connection.request("GET", API + path)
    return json.loads(connection.getresponse().read())


def _silent(location: Location) -> ControllerStatus:
    """Return the status of a controller that does not listen, or not yet, or no longer."""
    held = holder(location)
    if held and not held.is_here:
        said = on_another_machine(location, held)
        return _strange(location, held.pid, f"{said.message} {said.hint}")
    return ControllerStatus(
        backend=location.backend,
        socket=str(location.socket),
        pid=held.pid if held else 0,
        problem="It is starting or exiting." if held else "",
    )


def _strange(location: Location, pid: int, problem: str) -> ControllerStatus:
    """Return the status of a running controller without a usable response."""
    held = holder(location)
    return ControllerStatus(
        backend=location.backend,
        socket=str(location.socket),
        running=True,
        pid=pid or (held.pid if held else 0),
        problem=problem,
    )


def _stays(location: Location, pid: int) -> Unavailable:
    return Unavailable(
        f"The controller (process {pid}) was asked to exit, but has not exited.",
        hint=f"Run `kill {pid}`: its sessions keep running. See {location.log}.",
    )
