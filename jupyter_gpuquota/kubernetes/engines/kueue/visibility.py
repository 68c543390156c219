"""Kueue's own list of what is queued (`visibility.kueue.x-k8s.io`)."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import quote

import msgspec

from ...api import Api, Fault
from ...objects.meta import Meta, Record

_ROOT = "/apis/visibility.kueue.x-k8s.io/v1beta2"
_PAUSE = 30.0
"""Seconds between two checks whether Kueue responds."""


class Pending(Record, frozen=True, kw_only=True):
    """A queued workload; Kueue counts positions from 0."""

    metadata: Meta
    position_in_local_queue: int = 0


class Summary(Record, frozen=True, kw_only=True):
    """The queued workloads of a LocalQueue."""

    items: tuple[Pending, ...] = ()


async def position(api: Api, namespace: str, local_queue: str, workload: str) -> int:
    """Return the position of a workload in its LocalQueue, from 1; 0 if it is not listed.

    Raises Fault, for example where Kueue's visibility API is switched off.
    """
    path = (
        f"{_ROOT}/namespaces/{quote(namespace, safe='')}/localqueues/{quote(local_queue, safe='')}"
    )
    body = await api.read(f"{path}/pendingworkloads")
    found = msgspec.json.decode(body, type=Summary).items
    place = (x.position_in_local_queue for x in found if x.metadata.name == workload)
    return next(place, -1) + 1


class Liveness:
    """Whether Kueue responds. Its webhooks refuse every pod while it does not."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._task: asyncio.Task[None] | None = None
        self.problem = ""

    def start(self) -> None:
        """Begin to check."""
        self._task = asyncio.ensure_future(self._run())

    async def close(self) -> None:
        """Stop checking."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def check(self) -> None:
        """Ask once; what refuses the question, or does not know it, says nothing about Kueue."""
        try:
            await self._api.read(_ROOT)
        except Fault as fault:
            self.problem = fault.message if fault.status == 503 else ""
        else:
            self.problem = ""

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE):
                    await self.check()
            await asyncio.sleep(_PAUSE)
