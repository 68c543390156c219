"""Read the signals of all sessions, at a cost that stays small with many of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...control.clock import Clock
from ...control.signals.kernels import Kernels
from ...control.signals.presence import Presence
from ...control.signals.servers import ServerActivity, Servers
from ...core.idle import work
from ...core.idle.decide import Reading
from ...core.idle.policy import Limits
from ...model.sessions import Endpoint, Session
from ..folders.folders import Leader, SessionFolder
from ..gpus.devices import Devices
from ..gpus.inventory import Work
from ..gpus.usage import held_by
from ..sessions.readiness import find_server
from . import gpus, terminals
from .cpu_time import CpuTime, ProcessTree, ProcessTrees, Spent, words_of
from .gpus import Gpus
from .iopub import Listeners, address_of
from .terminals import TerminalUse
from .traffic import Disks, Gain, Network

_UNCOUNTED = "Connections are not counted: this system does not tell their bytes."

Key = tuple[str, int]
"""A session and its run."""


@dataclass(slots=True)
class _RunState:
    """The state of one run of a session between two readings.

    `entered` is whether it ever had a terminal that was not opened by its server.
    """

    kernels: Kernels
    cpu_time: CpuTime = field(default_factory=CpuTime)
    disks: Disks = field(default_factory=Disks)
    leader: Leader | None = None
    entered: bool = False


@dataclass(slots=True)
class _Snapshot:
    """One reading of the machine; `rates` are bytes per second."""

    trees: dict[str, ProcessTree]
    spent: dict[str, Spent | None]
    rates: dict[str, float | None]
    terminals: dict[str, TerminalUse]
    works: dict[str, Work | None]
    owners: dict[int, str]
    addresses: dict[tuple[str, str], str]


class Signals:
    """Reads the signals of sessions, one reading at a time, from the event loop."""

    def __init__(
        self,
        folder_of: Callable[[Session], SessionFolder],
        devices: Devices,
        clock: Clock,
        presence: Presence,
    ) -> None:
        self._folder_of = folder_of
        self._clock = clock
        self._presence = presence
        self._servers = Servers(self._find_server)
        self._listeners = Listeners()
        self._trees = ProcessTrees()
        self._gpus = Gpus(devices)
        self._network = Network()
        self._looked = 0.0
        self._known: dict[Key, _RunState] = {}

    async def read(
        self, sessions: Sequence[Session], limits: Mapping[str, Limits]
    ) -> dict[str, tuple[Reading, ...]]:
        """Map each session to its signals; unreadable ones are `unknown`."""
        self._keep_only(sessions)
        served = [session for session in sessions if session.spec.serves_jupyter]
        answers = await asyncio.gather(*(self._servers.ask(session) for session in served))
        activity = {session.id: answer for session, answer in zip(served, answers, strict=True)}
        wanted = {
            session.id: self._known[_key(session)].kernels.update(answer.kernels)
            for session, answer in zip(served, answers, strict=True)
            if not answer.problem
        }
        snapshot = await asyncio.to_thread(self._take_snapshot, sessions, wanted)
        for kernel, address in snapshot.addresses.items():
            self._listeners.listen(kernel, address)
        named = [name for known in self._known.values() for name in known.kernels.names]
        self._listeners.keep_only(named)
        return {
            session.id: self._read(session, activity, snapshot, limits[session.id], sessions)
            for session in sessions
        }

    async def _find_server(self, session: Session) -> Endpoint | None:
        return await asyncio.to_thread(find_server, self._folder_of(session), session.run)

    async def close(self) -> None:
        """Close all connections."""
        self._servers.keep_only(())
        self._listeners.close()
        self._known.clear()

    def _keep_only(self, sessions: Sequence[Session]) -> None:
        keys = [_key(session) for session in sessions]
        self._known = {key: self._known.get(key) or self._new(key) for key in keys}
        self._servers.keep_only(keys)
        self._presence.keep_only(session for session, _ in keys)

    def _new(self, key: Key) -> _RunState:
        return _RunState(Kernels(key[0], self._listeners))

    def _take_snapshot(
        self, sessions: Sequence[Session], wanted: Mapping[str, Sequence[str]]
    ) -> _Snapshot:
        """Read processes, devices and files. Runs in a thread."""
        at = time.monotonic()
        trees = self._trees.find(dict(self._leaders(sessions)))
        works = self._gpus.read_work(sessions)
        owners = {pid: session for session, tree in trees.items() for pid in tree.stats}
        seen = {session: terminals.observe(tree) for session, tree in trees.items()}
        spent = {
            session.id: self._known[_key(session)].cpu_time.update(
                trees[session.id], at, seen[session.id].clocks
            )
            for session in sessions
            if session.id in trees
        }
        rates = dict(self._rates([s for s in sessions if s.id in trees], trees, at))
        owned = self._gpus.attribute(works.values(), owners)
        addresses = self._addresses(sessions, wanted, trees)
        return _Snapshot(trees, spent, rates, seen, works, owned, addresses)

    def _rates(
        self, sessions: Sequence[Session], trees: Mapping[str, ProcessTree], at: float
    ) -> Iterator[tuple[str, float | None]]:
        """Yield the bytes per second of each session since the last reading; None at the first."""
        span, self._looked = at - self._looked, at
        servers = {
            session.id: leader.pid
            for session in sessions
            if session.spec.serves_jupyter and (leader := self._known[_key(session)].leader)
        }
        network = self._network.update({s.id: trees[s.id].stats for s in sessions}, servers)
        for session in sessions:
            disks = self._known[_key(session)].disks
            stats = trees[session.id].stats.values()
            moved = disks.update(s for s in stats if s.pid != servers.get(session.id))
            gain = network.get(session.id, Gain())
            if moved is None or span <= 0:
                yield session.id, None
            else:
                rates = (each / span for each in (moved, gain.opened, gain.accepted))
                yield session.id, work.moved(*rates)

    def _leaders(self, sessions: Sequence[Session]) -> Iterator[tuple[str, Leader]]:
        for session in sessions:
            known = self._known[_key(session)]
            if known.leader is None:
                with suppress(OSError):  # its processes stay unknown
                    known.leader = self._folder_of(session).leader(session.run)
            if known.leader is not None:
                yield session.id, known.leader

    def _addresses(
        self,
        sessions: Sequence[Session],
        wanted: Mapping[str, Sequence[str]],
        trees: Mapping[str, ProcessTree],
    ) -> dict[tuple[str, str], str]:
        """Map the kernels to listen to to the addresses at which they publish."""
        found = {}
        for session in sessions:
            if kernels := wanted.get(session.id):
                runtime = self._folder_of(session).runtime
                words = [words_of(pid) for pid in trees.get(session.id, ProcessTree()).stats]
                for kernel in kernels:
                    found[session.id, kernel] = address_of(runtime, kernel, words)
        return found

    def _read(
        self,
        session: Session,
        activity: Mapping[str, ServerActivity],
        snapshot: _Snapshot,
        limits: Limits,
        sessions: Sequence[Session],
    ) -> tuple[Reading, ...]:
        spent = snapshot.spent.get(session.id)
        found = [self._presence.reading(session)]
        found += self._of_server(session, activity.get(session.id), snapshot)
        if session.spec.kind == "train" and not session.spec.serves_jupyter:
            found.append(_process(snapshot.trees.get(session.id)))
        if session.id in snapshot.trees:
            found.append(work.cpu(spent.percent if spent else None, limits.cpu_busy))
            but = "" if self._network.works else _UNCOUNTED
            found.append(work.io(snapshot.rates.get(session.id), limits.io_busy, but))
        else:
            found.append(Reading("cpu", "unknown", detail="Its processes were not found."))
        if held := held_by(session):
            works = {uuid: snapshot.works.get(uuid) for uuid in held}
            alone = not any(
                set(held) & set(held_by(other)) for other in sessions if other is not session
            )
            found.append(
                gpus.gpu(session.id, works, snapshot.owners, alone=alone, busy=limits.gpu_busy)
            )
        return tuple(found)

    def _of_server(
        self, session: Session, activity: ServerActivity | None, snapshot: _Snapshot
    ) -> Iterator[Reading]:
        """Yield the signals of a session's server, and of terminals even without one."""
        known = self._known[_key(session)]
        if activity and activity.problem:
            yield Reading("kernels", "unknown", detail=activity.problem)
            yield Reading("terminals", "unknown", detail=activity.problem)
            return
        if activity:
            yield known.kernels.reading(activity.kernels, self._clock)
        jupyters = activity.terminals if activity else None
        seen = snapshot.terminals.get(session.id, TerminalUse())
        known.entered = known.entered or seen.any or seen.awaited
        if known.entered or jupyters is not None:
            spent = snapshot.spent.get(session.id)
            yield terminals.reading(jupyters or (), seen, spent, self._clock)


def _key(session: Session) -> Key:
    return session.id, session.run


def _process(tree: ProcessTree | None) -> Reading:
    if tree is None:
        return Reading("process", "unknown", detail="Its process was not found.")
    if tree.leads:
        return Reading("process", "busy", detail="Its command is running.")
    return Reading("process", "idle", detail="Its command has ended.")
