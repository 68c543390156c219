"""What sessions do on their GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...core.idleness import Reading
from ...model.idleness import SignalState
from ...model.sessions import Session
from ..devices import Devices
from ..inventory import Work

_FIRST_NAMESPACE = 0xEFFFFFFC
"""The number of the machine's own process ids; in a container they are others (linux/proc_ns.h)."""
_PROXY = "nvidia-cuda-mps"


class Gpus:
    """Remember up to when each device was looked at. Works in a thread."""

    def __init__(self, devices: Devices) -> None:
        self._devices = devices
        self._stamps: dict[str, int] = {}
        self._outside = Path("/proc/self/ns/pid").stat().st_ino == _FIRST_NAMESPACE

    def look(self, sessions: Iterable[Session]) -> dict[str, Work | None]:
        """Map each device, or MIG instance, that sessions hold to what it has done."""
        uuids = {uuid for session in sessions for uuid in held_by(session)}
        found = {uuid: self._devices.work(uuid, self._stamps.get(uuid, 0)) for uuid in uuids}
        self._stamps = {uuid: work.stamp for uuid, work in found.items() if work}
        return found

    def attribute(self, works: Iterable[Work | None], owners: Mapping[int, str]) -> dict[int, str]:
        """Map processes that use devices to whose they are: a session's, or `-` for others'.

        Those that nobody can attribute are left out: the driver counts processes by the machine's
        numbers, a container by its own; and those of a control daemon work for others.
        """
        if not self._outside:
            return {}
        pids = {pid for work in works if work for pid in work.processes or ()}
        found = {pid: owners.get(pid) or _stranger(pid) for pid in pids}
        return {pid: owner for pid, owner in found.items() if owner}


def held_by(session: Session) -> list[str]:
    """Name the real devices, or MIG instances, that a session holds."""
    placement = session.placement
    if placement is None or placement.simulated:
        return []
    return [piece.uuid for piece in placement.slices]


def gpu(
    session: str,
    works: Mapping[str, Work | None],
    owners: Mapping[int, str],
    *,
    alone: bool,
    busy: int,
) -> Reading:
    """Read the signal of the devices that a session holds; above `busy` per cent is work."""
    found = [_judge(session, work, owners, alone=alone, busy=busy) for work in works.values()]
    for state in ("busy", "unknown"):
        for found_state, detail in found:
            if found_state == state:
                return Reading("gpu", found_state, detail=detail)
    return Reading("gpu", "idle", detail=found[0][1])


def _judge(
    session: str, work: Work | None, owners: Mapping[int, str], *, alone: bool, busy: int
) -> tuple[SignalState, str]:
    if work is None:
        return "unknown", "The driver does not answer for a GPU of it."
    above = {pid: used for pid, used in (work.processes or {}).items() if used > busy}
    own = [used for pid, used in above.items() if owners.get(pid) == session]
    if own:
        return "busy", f"Its processes use a GPU by {max(own)} %."
    nobody = [used for pid, used in above.items() if pid not in owners]
    if above and not nobody:
        return "idle", "Its processes do nothing on its GPUs."
    known = nobody if work.whole is None else [*nobody, work.whole]
    return _judge_whole(max(known, default=None), alone=alone, busy=busy)


def _judge_whole(whole: int | None, *, alone: bool, busy: int) -> tuple[SignalState, str]:
    """Judge a device of which nobody can tell which process uses it."""
    if whole is None:
        return "unknown", "The driver does not tell what a GPU of it does."
    if whole <= busy:
        return "idle", f"Its GPU is used by {whole} %; {busy} % are allowed."
    if alone:
        return "busy", f"Its GPU is used by {whole} %."
    return "unknown", f"Its GPU is used by {whole} %, and the driver does not tell by whom."


def _stranger(pid: int) -> str:
    """Return `-` for a process of this machine that works for itself; else nothing."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text(errors="replace")
    except OSError:
        return ""
    return "" if name.startswith(_PROXY) else "-"
