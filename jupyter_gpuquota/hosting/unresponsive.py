"""Errors of a controller that does not respond: which process it is, and what to do."""

from __future__ import annotations

from pathlib import Path

from ..errors import NoServer
from .locate import Location
from .lock import Holder, holder


def not_responding(location: Location, pid: int = 0) -> NoServer:
    """Return the error of a process of this machine that listens, but does not respond.

    Without a `pid` it is the process that holds the lock.
    """
    held = holder(location)
    pid = pid or (held.pid if held else 0)
    if _is_stopped(pid):
        return NoServer(
            f"The controller (process {pid}) does not respond: it was stopped by a signal.",
            hint=f"Run `kill -CONT {pid}` to continue it.",
        )
    name = f" (process {pid})" if pid else ""
    return NoServer(
        f"The controller{name} does not respond.", hint=_end(location, pid, signal="-9 ")
    )


def on_another_machine(location: Location, held: Holder) -> NoServer:
    """Return the error of a state folder whose controller runs on another machine."""
    return NoServer(
        f"The state folder {location.state_dir} is in use on another machine: its controller is "
        f"{held.name}.",
        hint=f"Work on {held.host}, stop the controller there (`jupyter gpu controller stop`), or "
        "set GpuQuota.state_dir to a folder of this machine's own.",
    )


def unreachable(location: Location, held: Holder, seconds: float) -> NoServer:
    """Return the error of a controller that holds its lock, but does not listen."""
    return NoServer(
        f"The controller ({held.name}) was not reachable within {seconds:.0f} s: it does not "
        f"listen on {location.socket}.",
        hint=_end(location, held.pid),
    )


def _end(location: Location, pid: int, signal: str = "") -> str:
    log = f"See {location.log}."
    if not pid:
        return log
    return (
        f"End it with `kill {signal}{pid}`; the next request starts a new controller, and sessions "
        f"that outlive a controller keep running. {log}"
    )


def _is_stopped(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in {b"T", b"t"}
