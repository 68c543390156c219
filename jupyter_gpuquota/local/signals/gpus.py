"""The activity of sessions on their GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ...core.idle.decide import Reading
from ...model.idleness import SignalState
from ...model.sessions import Session
from ..gpus.devices import Devices
from ..gpus.inventory import Work
from ..gpus.programs import is_here, stranger
from ..gpus.usage import held_by


class Gpus:
    """Reads the work of devices. Runs in a thread.

    `is_here` tells which pids of the driver are those of processes here.
    """

    def __init__(self, devices: Devices, is_here: Callable[[int], bool] = is_here) -> None:
        self._devices = devices
        self._is_here = is_here

    def read_work(self, sessions: Iterable[Session]) -> dict[str, Work | None]:
        """Map each device, or MIG instance, that sessions hold to its work."""
        return self._devices.work.take(uuid for session in sessions for uuid in held_by(session))

    def attribute(self, works: Iterable[Work | None], owners: Mapping[int, str]) -> dict[int, str]:
        """Map processes that use devices to their session, or `-` for other programs.

        Processes that cannot be attributed are left out: inside a container those outside, and
        others where the driver reports the machine's pids; and MPS servers, which work for other
        processes.
        """
        named = {pid for work in works if work for pid in (*(work.processes or ()), *work.drawing)}
        pids = {pid for pid in named if self._is_here(pid)}
        found = {pid: owners.get(pid) or ("-" if stranger(pid) else "") for pid in pids}
        return {pid: owner for pid, owner in found.items() if owner}


def gpu(
    session: str,
    works: Mapping[str, Work | None],
    owners: Mapping[int, str],
    *,
    alone: bool,
    busy: int,
) -> Reading:
    """Return the signal of the devices that a session holds; above `busy` per cent is work."""
    found = [_judge(session, work, owners, alone=alone, busy=busy) for work in works.values()]
    own = [_own(session, work, owners, alone=alone) for work in works.values()]
    known = [percent for percent in own if percent is not None]
    percent = round(sum(known) / len(known)) if len(known) == len(own) else None
    for state in ("busy", "unknown"):
        for found_state, detail in found:
            if found_state == state:
                return Reading("gpu", found_state, detail=detail, percent=percent)
    return Reading("gpu", "idle", detail=found[0][1], percent=percent)


def _own(session: str, work: Work | None, owners: Mapping[int, str], *, alone: bool) -> int | None:
    """Return the utilisation of a device by a session at this moment, None if that is unknown."""
    if work is None:
        return None
    screen = _screen(work, owners)
    if not work.processes or any(pid not in owners and pid not in screen for pid in work.processes):
        return work.whole if (alone and not screen) or work.whole == 0 else None
    own = sum(used for pid, used in work.newest.items() if owners.get(pid) == session)
    return min(own, 100)


def _judge(
    session: str, work: Work | None, owners: Mapping[int, str], *, alone: bool, busy: int
) -> tuple[SignalState, str]:
    if work is None:
        return "unknown", "The driver does not respond for one of its GPUs."
    screen = _screen(work, owners)
    above = {
        pid: used
        for pid, used in (work.processes or {}).items()
        if used > busy and pid not in screen
    }
    own = [used for pid, used in above.items() if owners.get(pid) == session]
    if own:
        return "busy", f"Its processes use a GPU at {max(own)} %."
    unattributed = [used for pid, used in above.items() if pid not in owners]
    if not unattributed and (above or (screen and work.processes)):
        return "idle", "Its processes do not use its GPUs."
    known = [used for used in (*unattributed, work.whole, work.most) if used is not None]
    return _judge_whole(max(known, default=None), alone=alone and not screen, busy=busy)


def _screen(work: Work, owners: Mapping[int, str]) -> frozenset[int]:
    """Return the processes of a screen that runs on a device, where one does.

    Inside a container they are not processes here, and have no owner.
    """
    return frozenset(pid for pid in work.drawing if owners.get(pid, "-") == "-")


def _judge_whole(whole: int | None, *, alone: bool, busy: int) -> tuple[SignalState, str]:
    """Judge a device whose processes are unknown, by its utilisation as a whole."""
    if whole is None:
        return "unknown", "The driver does not report the utilisation of one of its GPUs."
    if whole <= busy:
        return "idle", f"Its GPU is {whole} % busy (idle up to {busy} %)."
    if alone:
        return "busy", f"Its GPU is {whole} % busy."
    return "unknown", "One of its GPUs is busy; the driver does not report by which process."
