"""The bytes that sessions move from and to disks and the network between two readings.

Of connections that programs of a session have opened, both directions count; of those that they
accept, what they receive: what they send is for pages, which poll. Those between two programs of
one session are heartbeats of both. A session's Jupyter Server and relays do not count: what they
move is this product's own traffic.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from ...sock_diag import Connection, connections
from ..shim import procfs
from ..shim.procfs import Stat
from .cpu_time import words_of

_log = logging.getLogger(__name__)

_RELAY = b"\0jupyter_gpuquota.kernels\0"
_SOCKET, _END = "socket:[", "]"

Process = tuple[int, int]
"""A process by its number and start."""


@dataclass(slots=True)
class Disks:
    """Remembers the bytes of a session's processes at the last reading."""

    _before: dict[Process, tuple[int, int]] | None = field(default=None)

    def update(self, stats: Iterable[Stat]) -> int | None:
        """Return the bytes that processes moved from and to disks; None at the first reading.

        Those of a process that has ended move to the parent that reaps it, and are not new.
        """
        parents = {stat.pid: stat for stat in stats}
        found = {pid: procfs.moved_by(pid) for pid in parents}
        now = {
            (pid, parents[pid].ticks): (moved, parents[pid].parent)
            for pid, moved in found.items()
            if moved is not None
        }
        before, self._before = self._before, now
        return None if before is None else gained(before, now)


def gained(
    before: Mapping[Process, tuple[int, int]], now: Mapping[Process, tuple[int, int]]
) -> int:
    """Return the bytes that are new; processes are mapped to their bytes and their parents."""
    own = {pid: (pid, ticks) for pid, ticks in before}
    reaped: dict[Process, int] = {}
    for process, (moved, parent) in before.items():
        if process in now:
            continue
        above = own.get(parent)
        while above and above not in now:
            above = own.get(before[above][1])
        if above:
            reaped[above] = reaped.get(above, 0) + moved
    return sum(
        max(0, moved - before.get(process, (0, 0))[0] - reaped.get(process, 0))
        for process, (moved, _) in now.items()
    )


@dataclass(frozen=True, slots=True)
class Gain:
    """The new bytes of a session's connections: all of those it opened, received by others."""

    opened: int = 0
    accepted: int = 0


class Network:
    """Remembers the bytes of connections at the last reading; `works` is whether that is known."""

    def __init__(self, ask: Callable[[], list[Connection]] = connections) -> None:
        self._ask = ask
        self._before: dict[int, Connection] | None = None
        self.works = True

    def update(
        self, members: Mapping[str, Iterable[int]], excepted: Mapping[str, int]
    ) -> dict[str, Gain]:
        """Map sessions to the bytes of their connections since the last reading.

        `members` are their processes, `excepted` those that do not count.
        """
        try:
            found = self._ask()
        except OSError as error:
            if self.works:
                _log.warning("The bytes of connections are not known: %s", error)
            self.works, self._before = False, None
            return {}
        before, self.works = self._before, True
        self._before = {each.inode: each for each in found if each.inode}
        if before is None:
            return {}
        moved = {inode: gain for inode, gain in gains(before, found) if gain != Gain()}
        return self._attribute(moved, found, members, excepted) if moved else {}

    def _attribute(
        self,
        moved: Mapping[int, Gain],
        found: Iterable[Connection],
        members: Mapping[str, Iterable[int]],
        excepted: Mapping[str, int],
    ) -> dict[str, Gain]:
        ends = {(each.local, each.remote): each.inode for each in found}
        others = {each.inode: ends.get((each.remote, each.local)) for each in found}
        result = {}
        for session, pids in members.items():
            holders = _holders(pids)
            own = [
                gain
                for inode, gain in moved.items()
                if (holder := holders.get(inode)) is not None
                and others[inode] not in holders
                and holder != excepted.get(session)
                and _RELAY not in words_of(holder)
            ]
            result[session] = Gain(sum(g.opened for g in own), sum(g.accepted for g in own))
        return result


def gains(
    before: Mapping[int, Connection], found: Iterable[Connection]
) -> Iterator[tuple[int, Gain]]:
    """Yield the new bytes of the connections of our account, by their inodes."""
    found = list(found)
    ports = {each.local[1] for each in found if each.listens}
    uid = os.geteuid()
    for each in found:
        if not each.inode or each.listens or (uid and each.uid != uid):
            continue
        old = before.get(each.inode)
        sent = max(0, each.sent - (old.sent if old else 0))
        received = max(0, each.received - (old.received if old else 0))
        accepted = each.local[1] in ports
        yield each.inode, Gain(accepted=received) if accepted else Gain(sent + received)


def _holders(pids: Iterable[int]) -> dict[int, int]:
    """Map the sockets that processes hold to one that does."""
    found: dict[int, int] = {}
    for pid in pids:
        with suppress(OSError):  # it has ended, or must not be looked into
            for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 (see procfs.read)
                with suppress(OSError):  # it was closed
                    held = os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115
                    if held.startswith(_SOCKET):
                        found[int(held.removeprefix(_SOCKET).removesuffix(_END))] = pid
    return found
