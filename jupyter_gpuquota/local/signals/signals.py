"""Look at what is done with all sessions, at a cost that stays small with many of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...core.idleness import Reading
from ...core.policy import Limits
from ..clock import Clock
from ..devices import Devices
from ..folders import Leader, Record, SessionFolder
from ..inventory import Work
from . import gpus, spending, terminals
from .families import Families, Family, words_of
from .gpus import Gpus, held_by
from .iopub import Listeners, address_of
from .kernels import Kernels
from .presence import Presence
from .servers import Servers, Told
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
        folder_of: Callable[[Record], SessionFolder],
        devices: Devices,
        clock: Clock,
        presence: Presence,
    ) -> None:
        self._folder_of = folder_of
        self._clock = clock
        self._presence = presence
        self._servers = Servers(folder_of)
        self._listeners = Listeners()
        self._families = Families()
        self._gpus = Gpus(devices)
        self._known: dict[Key, _Known] = {}

    async def read(
        self, records: Sequence[Record], limits: Mapping[str, Limits]
    ) -> dict[str, tuple[Reading, ...]]:
        """Map each session to what is seen of it; what cannot be read is `unknown`."""
        self._keep_only(records)
        served = [record for record in records if record.session.spec.serves_jupyter]
        answers = await asyncio.gather(*(self._servers.ask(record) for record in served))
        told = {record.session.id: answer for record, answer in zip(served, answers, strict=True)}
        wanted = {
            record.session.id: self._known[_key(record)].kernels.look(answer.kernels)
            for record, answer in zip(served, answers, strict=True)
            if not answer.problem
        }
        sight = await asyncio.to_thread(self._look, records, wanted)
        for kernel, address in sight.addresses.items():
            self._listeners.listen(kernel, address)
        named = [name for known in self._known.values() for name in known.kernels.names]
        self._listeners.keep_only(named)
        return {
            record.session.id: self._read(record, told, sight, limits[record.session.id], records)
            for record in records
        }

    async def close(self) -> None:
        """Hang up everywhere."""
        self._servers.keep_only(())
        self._listeners.close()
        self._known.clear()

    def _keep_only(self, records: Sequence[Record]) -> None:
        keys = [_key(record) for record in records]
        self._known = {key: self._known.get(key) or self._new(key) for key in keys}
        self._servers.keep_only(keys)
        self._presence.keep_only(session for session, _ in keys)

    def _new(self, key: Key) -> _Known:
        return _Known(Kernels(key[0], self._listeners))

    def _look(self, records: Sequence[Record], wanted: Mapping[str, Sequence[str]]) -> _Sight:
        """Look at processes, devices and files. Works in a thread."""
        at = time.monotonic()
        families = self._families.find(dict(self._leaders(records)))
        works = self._gpus.look(records)
        owners = {pid: session for session, family in families.items() for pid in family.stats}
        spent = {
            record.session.id: self._known[_key(record)].spending.look(
                families[record.session.id], at
            )
            for record in records
            if record.session.id in families
        }
        seen = {session: terminals.look(family) for session, family in families.items()}
        owned = self._gpus.attribute(works.values(), owners)
        addresses = self._addresses(records, wanted, families)
        return _Sight(families, spent, seen, works, owned, addresses)

    def _leaders(self, records: Sequence[Record]) -> Iterator[tuple[str, Leader]]:
        for record in records:
            known = self._known[_key(record)]
            if known.leader is None:
                with suppress(OSError):  # then it is unknown what its processes do
                    known.leader = self._folder_of(record).leader(record.run)
            if known.leader is not None:
                yield record.session.id, known.leader

    def _addresses(
        self,
        records: Sequence[Record],
        wanted: Mapping[str, Sequence[str]],
        families: Mapping[str, Family],
    ) -> dict[tuple[str, str], str]:
        """Map the kernels that have to be listened to to where they publish."""
        found = {}
        for record in records:
            session = record.session.id
            if kernels := wanted.get(session):
                runtime = self._folder_of(record).runtime
                words = [words_of(pid) for pid in families.get(session, Family()).stats]
                for kernel in kernels:
                    found[session, kernel] = address_of(runtime, kernel, words)
        return found

    def _read(
        self,
        record: Record,
        told: Mapping[str, Told],
        sight: _Sight,
        limits: Limits,
        records: Sequence[Record],
    ) -> tuple[Reading, ...]:
        session, spent = record.session, sight.spent.get(record.session.id)
        found = [self._presence.reading(record)]
        found += self._of_server(record, told.get(session.id), sight)
        if session.spec.kind == "train" and not session.spec.serves_jupyter:
            found.append(_process(sight.families.get(session.id)))
        if session.id in sight.families:
            found.append(spending.cpu(spent, limits.cpu_busy))
        else:
            found.append(Reading("cpu", "unknown", detail="Its processes cannot be found."))
        if held := held_by(record):
            works = {uuid: sight.works.get(uuid) for uuid in held}
            alone = not any(set(held) & set(held_by(r)) for r in records if r is not record)
            found.append(
                gpus.gpu(session.id, works, sight.owners, alone=alone, busy=limits.gpu_busy)
            )
        return tuple(found)

    def _of_server(self, record: Record, told: Told | None, sight: _Sight) -> Iterator[Reading]:
        """Read what a server tells of, and terminals also without one."""
        known, session = self._known[_key(record)], record.session.id
        if told and told.problem:
            yield Reading("kernels", "unknown", detail=told.problem)
            yield Reading("terminals", "unknown", detail=told.problem)
            return
        if told:
            yield known.kernels.reading(told.kernels, self._clock)
        jupyters = told.terminals if told else None
        seen = sight.terminals.get(session, Seen())
        known.entered = known.entered or seen.any or seen.awaited
        if known.entered or jupyters is not None:
            spent = sight.spent.get(session)
            yield terminals.reading(jupyters or (), seen, spent, self._clock)


def _key(record: Record) -> Key:
    return record.session.id, record.run


def _process(family: Family | None) -> Reading:
    if family is None:
        return Reading("process", "unknown", detail="Its process cannot be found.")
    if family.leads:
        return Reading("process", "busy", detail="Its command runs.")
    return Reading("process", "idle", detail="Its command has ended.")
