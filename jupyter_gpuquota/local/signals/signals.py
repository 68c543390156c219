"""Look at what is done with all sessions, at a cost that stays small with many of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...control.clock import Clock
from ...control.signals.kernels import Kernels
from ...control.signals.presence import Presence
from ...control.signals.servers import Servers, Told
from ...core.idleness import Reading
from ...core.policy import Limits
from ...model.sessions import Endpoint, Session
from ..devices import Devices
from ..folders import Leader, SessionFolder
from ..inventory import Work
from ..readiness import find_server
from . import gpus, spending, terminals
from .families import Families, Family, words_of
from .gpus import Gpus, held_by
from .iopub import Listeners, address_of
from .spending import Spending, Spent
from .terminals import Seen

Key = tuple[str, int]
"""A session and its run."""


@dataclass(slots=True)
class _Known:
    """Be what is remembered of one run of a session from look to look.

    `entered` is whether it ever had a terminal that is not its server's.
    """

    kernels: Kernels
    spending: Spending = field(default_factory=Spending)
    leader: Leader | None = None
    entered: bool = False


@dataclass(slots=True)
class _Sight:
    """Be what one look at the machine has found."""

    families: dict[str, Family]
    spent: dict[str, Spent | None]
    terminals: dict[str, Seen]
    works: dict[str, Work | None]
    owners: dict[int, str]
    addresses: dict[tuple[str, str], str]


class Signals:
    """Read the signals of sessions. One look at a time, from the event loop."""

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
        self._families = Families()
        self._gpus = Gpus(devices)
        self._known: dict[Key, _Known] = {}

    async def read(
        self, sessions: Sequence[Session], limits: Mapping[str, Limits]
    ) -> dict[str, tuple[Reading, ...]]:
        """Map each session to what is seen of it; what cannot be read is `unknown`."""
        self._keep_only(sessions)
        served = [session for session in sessions if session.spec.serves_jupyter]
        answers = await asyncio.gather(*(self._servers.ask(session) for session in served))
        told = {session.id: answer for session, answer in zip(served, answers, strict=True)}
        wanted = {
            session.id: self._known[_key(session)].kernels.look(answer.kernels)
            for session, answer in zip(served, answers, strict=True)
            if not answer.problem
        }
        sight = await asyncio.to_thread(self._look, sessions, wanted)
        for kernel, address in sight.addresses.items():
            self._listeners.listen(kernel, address)
        named = [name for known in self._known.values() for name in known.kernels.names]
        self._listeners.keep_only(named)
        return {
            session.id: self._read(session, told, sight, limits[session.id], sessions)
            for session in sessions
        }

    async def _find_server(self, session: Session) -> Endpoint | None:
        return await asyncio.to_thread(find_server, self._folder_of(session), session.run)

    async def close(self) -> None:
        """Hang up everywhere."""
        self._servers.keep_only(())
        self._listeners.close()
        self._known.clear()

    def _keep_only(self, sessions: Sequence[Session]) -> None:
        keys = [_key(session) for session in sessions]
        self._known = {key: self._known.get(key) or self._new(key) for key in keys}
        self._servers.keep_only(keys)
        self._presence.keep_only(session for session, _ in keys)

    def _new(self, key: Key) -> _Known:
        return _Known(Kernels(key[0], self._listeners))

    def _look(self, sessions: Sequence[Session], wanted: Mapping[str, Sequence[str]]) -> _Sight:
        """Look at processes, devices and files. Works in a thread."""
        at = time.monotonic()
        families = self._families.find(dict(self._leaders(sessions)))
        works = self._gpus.look(sessions)
        owners = {pid: session for session, family in families.items() for pid in family.stats}
        spent = {
            session.id: self._known[_key(session)].spending.look(families[session.id], at)
            for session in sessions
            if session.id in families
        }
        seen = {session: terminals.look(family) for session, family in families.items()}
        owned = self._gpus.attribute(works.values(), owners)
        addresses = self._addresses(sessions, wanted, families)
        return _Sight(families, spent, seen, works, owned, addresses)

    def _leaders(self, sessions: Sequence[Session]) -> Iterator[tuple[str, Leader]]:
        for session in sessions:
            known = self._known[_key(session)]
            if known.leader is None:
                with suppress(OSError):  # then it is unknown what its processes do
                    known.leader = self._folder_of(session).leader(session.run)
            if known.leader is not None:
                yield session.id, known.leader

    def _addresses(
        self,
        sessions: Sequence[Session],
        wanted: Mapping[str, Sequence[str]],
        families: Mapping[str, Family],
    ) -> dict[tuple[str, str], str]:
        """Map the kernels that have to be listened to to where they publish."""
        found = {}
        for session in sessions:
            if kernels := wanted.get(session.id):
                runtime = self._folder_of(session).runtime
                words = [words_of(pid) for pid in families.get(session.id, Family()).stats]
                for kernel in kernels:
                    found[session.id, kernel] = address_of(runtime, kernel, words)
        return found

    def _read(
        self,
        session: Session,
        told: Mapping[str, Told],
        sight: _Sight,
        limits: Limits,
        sessions: Sequence[Session],
    ) -> tuple[Reading, ...]:
        spent = sight.spent.get(session.id)
        found = [self._presence.reading(session)]
        found += self._of_server(session, told.get(session.id), sight)
        if session.spec.kind == "train" and not session.spec.serves_jupyter:
            found.append(_process(sight.families.get(session.id)))
        if session.id in sight.families:
            found.append(spending.cpu(spent, limits.cpu_busy))
        else:
            found.append(Reading("cpu", "unknown", detail="Its processes cannot be found."))
        if held := held_by(session):
            works = {uuid: sight.works.get(uuid) for uuid in held}
            alone = not any(
                set(held) & set(held_by(other)) for other in sessions if other is not session
            )
            found.append(
                gpus.gpu(session.id, works, sight.owners, alone=alone, busy=limits.gpu_busy)
            )
        return tuple(found)

    def _of_server(self, session: Session, told: Told | None, sight: _Sight) -> Iterator[Reading]:
        """Read what a server tells of, and terminals also without one."""
        known = self._known[_key(session)]
        if told and told.problem:
            yield Reading("kernels", "unknown", detail=told.problem)
            yield Reading("terminals", "unknown", detail=told.problem)
            return
        if told:
            yield known.kernels.reading(told.kernels, self._clock)
        jupyters = told.terminals if told else None
        seen = sight.terminals.get(session.id, Seen())
        known.entered = known.entered or seen.any or seen.awaited
        if known.entered or jupyters is not None:
            spent = sight.spent.get(session.id)
            yield terminals.reading(jupyters or (), seen, spent, self._clock)


def _key(session: Session) -> Key:
    return session.id, session.run


def _process(family: Family | None) -> Reading:
    if family is None:
        return Reading("process", "unknown", detail="Its process cannot be found.")
    if family.leads:
        return Reading("process", "busy", detail="Its command runs.")
    return Reading("process", "idle", detail="Its command has ended.")
