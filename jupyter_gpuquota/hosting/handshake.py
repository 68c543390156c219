"""Compare versions with a running controller: use it, replace it, or refuse it."""

from __future__ import annotations

import msgspec

from ..errors import NoServer, StorageFailed, VersionMismatch
from . import takeover
from .locate import Location
from .takeover import OURS, Version
from .unresponsive import not_responding

_TIMEOUT = 10.0


def usable(location: Location) -> bool:
    """Return whether a compatible controller responds; an older one is asked to exit.

    Raises NoServer, VersionMismatch, NotAllowed.
    """
    import http.client  # noqa: PLC0415 (keeps the import light)

    from .unix import API, RETIRE, UnixConnection  # noqa: PLC0415 (the same)

    connection = UnixConnection(location.socket, _TIMEOUT)
    try:
        connection.request("GET", f"{API}/about")
        response = connection.getresponse()
        found = _read(response.status, response.read(), connection.pid)
        if not OURS.is_newer_than(found):
            return _understood(found, connection.pid)
        takeover.announce(location)
        # On the same connection: it reaches the very process that reported its version.
        connection.request("POST", RETIRE, body=b"{}")
        connection.getresponse().read()
    except (
        FileNotFoundError,
        NotADirectoryError,
        ConnectionError,
        http.client.HTTPException,
    ):
        return False  # no controller, or one that is exiting
    except (TimeoutError, BlockingIOError) as error:
        raise not_responding(location, connection.pid) from error
    except StorageFailed as error:
        raise NoServer(error.message, hint=error.hint) from error
    except OSError as error:
        raise NoServer(
            f"The controller's socket {location.socket} is unusable: {error}."
        ) from error
    finally:
        connection.close()
    return False


def _read(status: int, body: bytes, pid: int) -> Version:
    if status >= 500:
        raise NoServer(
            f"The controller (process {pid}) reports an error (HTTP {status}).",
            hint="See its log, controller.log in the state folder.",
        )
    try:
        return msgspec.json.decode(body, type=Version)
    except msgspec.MsgspecError as error:
        raise _not_understood("an unknown version", pid) from error


def _understood(found: Version, pid: int) -> bool:
    if found.api != OURS.api:
        raise _not_understood(f"version {found.version}", pid)
    return True


def _not_understood(version: str, pid: int) -> VersionMismatch:
    return VersionMismatch(
        f"The controller (process {pid}) has {version}, incompatible with {OURS.version}.",
        hint=f"Install the same version on both sides, then run `kill {pid}`: its sessions keep "
        "running, and the next client starts a controller of its own version.",
    )
