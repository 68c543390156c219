"""Prometheus metrics, on the registry whose `/metrics` Jupyter Server serves.

A scrape returns what was known at once and has it read anew for the next one: nothing is read
while nobody scrapes, and no scrape waits. Labels are projects, states and classes of answers:
their number is bounded, whatever users do.
"""

from __future__ import annotations

import asyncio
from collections import Counter as Count
from collections.abc import Callable, Iterable
from contextlib import suppress
from urllib.parse import urlencode

import msgspec
from prometheus_client import REGISTRY, CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from ..api.dispatch import Asked, Dispatcher
from ..errors import GpuQuotaError
from ..model.quota import Quota
from ..model.resources import MILLI
from ..model.routes import route

Show = Callable[[list[bytes]], list[GaugeMetricFamily]]

INGRESS = Counter(
    "gpuquota_ingress_requests",
    "Requests that went to sessions, by kind and by the class of the answer's status",
    ["kind", "status"],
)


def count_ingress(kind: str, status: int) -> None:
    """Count a request that went to a session."""
    INGRESS.labels(kind=kind, status=f"{status // 100}xx").inc()


class Snapshot(Collector):
    """Show quota and sessions as they were when they were last read."""

    def __init__(self, dispatcher: Dispatcher, registry: CollectorRegistry = REGISTRY) -> None:
        self._dispatcher = dispatcher
        self._registry = registry
        self._known: dict[str, tuple[str, list[GaugeMetricFamily]]] = {}
        self._reading: asyncio.Future[None] | None = None
        registry.register(self)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Name nothing in advance: a registry would read to find out."""
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return what is known, and have it read anew."""
        if self._reading is None or self._reading.done():
            try:
                self._reading = asyncio.get_running_loop().create_task(self.read())
            except RuntimeError:  # scraped from a thread, which cannot read
                self._reading = None
        return [family for _, families in self._known.values() for family in families]

    def close(self) -> None:
        """Show nothing any more; silent if that is so already."""
        with suppress(KeyError):
            self._registry.unregister(self)
        if self._reading:
            self._reading.cancel()

    async def read(self) -> None:
        """Read what has changed; while nobody answers there is nothing to show."""
        try:
            await self._read("quota.get", _of_quota)
            await self._read("sessions.list", _of_sessions)
        except GpuQuotaError:
            self._known.clear()

    async def _read(self, name: str, show: Show) -> None:
        etag, _ = self._known.get(name, ("", []))
        pages = [await self._dispatcher.dispatch(Asked(route(name), etags=etag))]
        if pages[0].status != 200:
            return
        while cursor := msgspec.json.decode(pages[-1].body, type=_Next).next:
            query = urlencode({"cursor": cursor})
            pages.append(await self._dispatcher.dispatch(Asked(route(name), query=query)))
        self._known[name] = (pages[0].etag, show([page.body for page in pages]))


class _Next(msgspec.Struct):
    """Be what every page says, and nothing else of it."""

    next: str = ""


class _Spec(msgspec.Struct):
    """Be what is counted of a session's request."""

    project: str


class _Row(msgspec.Struct):
    """Be what is counted of a session."""

    spec: _Spec
    state: str


class _Page(msgspec.Struct):
    """Be what is counted of a page."""

    items: list[_Row]


def _of_quota(pages: list[bytes]) -> list[GaugeMetricFamily]:
    quota = msgspec.json.decode(pages[0], type=Quota)
    capacity = GaugeMetricFamily("gpuquota_gpus_capacity", "GPUs that there are")
    capacity.add_metric([], quota.capacity / MILLI)
    by_right = GaugeMetricFamily(
        "gpuquota_gpus_quota", "GPUs that a project has by right", labels=["project"]
    )
    held = GaugeMetricFamily(
        "gpuquota_gpus_allocated", "GPUs that a project's sessions hold", labels=["project"]
    )
    for project in quota.projects:
        by_right.add_metric([project.name], project.quota / MILLI)
        held.add_metric([project.name], project.allocated / MILLI)
    return [capacity, by_right, held]


def _of_sessions(pages: list[bytes]) -> list[GaugeMetricFamily]:
    family = GaugeMetricFamily(
        "gpuquota_sessions", "Sessions of a project in a state", labels=["project", "state"]
    )
    rows = [row for page in pages for row in msgspec.json.decode(page, type=_Page).items]
    for (project, state), number in Count((row.spec.project, row.state) for row in rows).items():
        family.add_metric([project, state], number)
    return [family]
