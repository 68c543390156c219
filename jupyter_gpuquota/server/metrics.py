"""Prometheus metrics on the registry that Jupyter Server exposes as `/metrics`.

A scrape returns the last known values at once and triggers a read for the next one: without
scrapes nothing is read, and no scrape blocks. Labels are projects, states and status classes, so
their number is bounded.
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

from ..api.dispatch import ApiRequest, Dispatcher
from ..errors import GpuQuotaError
from ..model.quota import Quota
from ..model.resources import MILLI
from ..model.routes.table import route

Show = Callable[[list[bytes]], list[GaugeMetricFamily]]

INGRESS = Counter(
    "gpuquota_ingress_requests",
    "Requests to sessions, by kind and status class of the response",
    ["kind", "status"],
)


def count_ingress(kind: str, status: int) -> None:
    """Count a request to a session."""
    INGRESS.labels(kind=kind, status=f"{status // 100}xx").inc()


class Snapshot(Collector):
    """A collector of quota and sessions as last read."""

    def __init__(self, dispatcher: Dispatcher, registry: CollectorRegistry = REGISTRY) -> None:
        self._dispatcher = dispatcher
        self._registry = registry
        self._known: dict[str, tuple[str, list[GaugeMetricFamily]]] = {}
        self._reading: asyncio.Future[None] | None = None
        registry.register(self)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return nothing: otherwise the registry would collect on registration."""
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the known values and trigger a read."""
        if self._reading is None or self._reading.done():
            try:
                self._reading = asyncio.get_running_loop().create_task(self.read())
            except RuntimeError:  # scraped from a thread without an event loop
                self._reading = None
        return [family for _, families in self._known.values() for family in families]

    def close(self) -> None:
        """Unregister; does nothing if that is done already."""
        with suppress(KeyError):
            self._registry.unregister(self)
        if self._reading:
            self._reading.cancel()

    async def read(self) -> None:
        """Read what has changed; on an error no values are known."""
        try:
            await self._read("quota.get", _of_quota)
            await self._read("sessions.list", _of_sessions)
        except GpuQuotaError:
            self._known.clear()

    async def _read(self, name: str, show: Show) -> None:
        etag, _ = self._known.get(name, ("", []))
        pages = [await self._dispatcher.dispatch(ApiRequest(route(name), etags=etag))]
        if pages[0].status != 200:
            return
        while cursor := msgspec.json.decode(pages[-1].body, type=_Next).next:
            query = urlencode({"cursor": cursor})
            pages.append(await self._dispatcher.dispatch(ApiRequest(route(name), query=query)))
        self._known[name] = (pages[0].etag, show([page.body for page in pages]))


class _Next(msgspec.Struct):
    """The cursor of a page."""

    next: str = ""


class _Spec(msgspec.Struct):
    """The counted part of a session's request."""

    project: str


class _Row(msgspec.Struct):
    """The counted part of a session."""

    spec: _Spec
    state: str


class _Page(msgspec.Struct):
    """The counted part of a page."""

    items: list[_Row]


def _of_quota(pages: list[bytes]) -> list[GaugeMetricFamily]:
    quota = msgspec.json.decode(pages[0], type=Quota)
    capacity = GaugeMetricFamily("gpuquota_gpus_capacity", "Total GPUs")
    capacity.add_metric([], quota.capacity / MILLI)
    guaranteed = GaugeMetricFamily(
        "gpuquota_gpus_quota", "GPUs guaranteed to a project", labels=["project"]
    )
    held = GaugeMetricFamily(
        "gpuquota_gpus_allocated", "GPUs allocated to a project's sessions", labels=["project"]
    )
    for project in quota.projects:
        guaranteed.add_metric([project.name], project.quota / MILLI)
        held.add_metric([project.name], project.allocated / MILLI)
    return [capacity, guaranteed, held]


def _of_sessions(pages: list[bytes]) -> list[GaugeMetricFamily]:
    family = GaugeMetricFamily(
        "gpuquota_sessions", "Sessions of a project by state", labels=["project", "state"]
    )
    rows = [row for page in pages for row in msgspec.json.decode(page, type=_Page).items]
    for (project, state), number in Count((row.spec.project, row.state) for row in rows).items():
        family.add_metric([project, state], number)
    return [family]
