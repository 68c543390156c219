"""Read the signals of sessions that are pods."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from urllib.parse import quote

import msgspec

from ...control.clock import Clock
from ...control.idle.activity_poller import Readings
from ...control.session_http import ServerConnection
from ...control.signals.kernels import Kernels, Listener
from ...control.signals.presence import Notebook, Presence, digest
from ...control.signals.servers import ServerActivity, Servers
from ...core.idle.decide import Reading
from ...core.idle.policy import Limits
from ...errors import GpuQuotaError
from ...model.sessions import Endpoint, Session
from ..api import Fault
from ..session_pods import Outside, PodOf
from . import readings
from .measured import Measured, Pod
from .prometheus import Prometheus

_SECONDS = 5.0


class _Contents(msgspec.Struct):
    """A notebook in the answer of the contents API."""

    content: Notebook


class Fingerprints:
    """Hashes of the sources of notebooks: see `control/signals/presence.py`."""

    def __init__(self, locate: Locate) -> None:
        self._locate = locate

    async def __call__(self, session: Session, path: str) -> str:
        """Return the hash of a notebook's sources; empty if it cannot be read."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._read(await self._locate(session), path)
        except (OSError, ValueError, msgspec.MsgspecError, Fault, GpuQuotaError):
            return ""

    async def _read(self, endpoint: Endpoint, path: str) -> str:
        connection = await ServerConnection.open(endpoint)
        try:
            place = f"api/contents/{quote(path.lstrip('/'))}"
            found = await connection.get_json(place, _Contents)
        finally:
            connection.close()
        return digest(found.content.cells) if found else ""


Locate = Callable[[Session], Awaitable[Endpoint]]
"""Returns where a session's Jupyter Server is reached."""


class _NoListeners:
    """No listeners: every change of a kernel's `last_activity` counts as use."""

    def get(self, kernel: tuple[str, str]) -> Listener | None:
        """Return None."""
        return None


class KubeSignals:
    """Reads the signals of sessions. Without a Prometheus the use of GPUs is unknown."""

    def __init__(
        self,
        locate: Locate,
        pod_of: PodOf,
        clock: Clock,
        presence: Presence,
        outside: Outside,
        prometheus: Prometheus | None = None,
    ) -> None:
        self._outside = outside
        self._locate = locate
        self._pod_of = pod_of
        self._clock = clock
        self._presence = presence
        self._prometheus = prometheus
        self._servers = Servers(self._find_server)
        self._kernels: dict[tuple[str, int], Kernels] = {}

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Readings:
        """Return the signals of each session; unreadable ones are `unknown`."""
        self._keep_only(sessions)
        served = [session for session in sessions if session.spec.serves_jupyter]
        asked = asyncio.gather(*(self._servers.ask(session) for session in served))
        answers, measured = await asyncio.gather(asked, self._measure(sessions))
        activity = {session.id: answer for session, answer in zip(served, answers, strict=True)}
        return {
            session.id: tuple(
                self._read(session, activity.get(session.id), measured, limits[session.id])
            )
            for session in sessions
        }

    async def close(self) -> None:
        """Close all connections."""
        self._servers.keep_only(())
        self._kernels.clear()
        if self._prometheus:
            self._prometheus.close()

    def _keep_only(self, sessions: Sequence[Session]) -> None:
        keys = [(session.id, session.run) for session in sessions]
        none = _NoListeners()
        self._kernels = {key: self._kernels.get(key) or Kernels(key[0], none) for key in keys}
        self._servers.keep_only(keys)
        self._presence.keep_only(session for session, _ in keys)
        self._outside.keep_only(session for session, _ in keys)

    async def _measure(self, sessions: Sequence[Session]) -> Mapping[Pod, Measured]:
        return await self._prometheus.read() if self._prometheus and sessions else {}

    async def _find_server(self, session: Session) -> Endpoint | None:
        if self._pod_of(session) is None:
            return None
        try:
            return await self._locate(session)
        except (Fault, GpuQuotaError) as error:
            raise ConnectionError(str(error)) from error

    def _read(
        self,
        session: Session,
        activity: ServerActivity | None,
        measured: Mapping[Pod, Measured],
        limits: Limits,
    ) -> Iterator[Reading]:
        pod = self._pod_of(session)
        found = measured.get((pod.metadata.namespace, pod.metadata.name)) if pod else None
        yield self._presence.reading(session)
        if activity:
            yield from self._of_server(session, activity)
        elif session.spec.kind == "train":
            yield readings.process(pod.status.phase if pod else "")
        if cpu := readings.cpu(found, limits):
            yield cpu
        if io := readings.io(found, limits):
            yield io
        if session.spec.share.wants_gpu:
            problem = self._prometheus.problem if self._prometheus else readings.NO_METRICS
            yield readings.gpu(session.spec.share, found, problem, limits)

    def _of_server(self, session: Session, activity: ServerActivity) -> Iterator[Reading]:
        if activity.problem:
            yield Reading("kernels", "unknown", detail=activity.problem)
            yield Reading("terminals", "unknown", detail=activity.problem)
            return
        kernels = self._kernels[session.id, session.run]
        kernels.update(activity.kernels)
        yield kernels.reading(activity.kernels, self._clock, activity.behind)
        last = self._outside.last(session.id)
        if self._outside.runs(session.id):
            yield readings.PROGRAM_FROM_OUTSIDE
        elif activity.terminals is not None or last:
            found = activity.terminals or ()
            yield readings.terminals(found, last, self._clock, activity.behind)
