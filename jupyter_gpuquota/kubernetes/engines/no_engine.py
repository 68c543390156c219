"""Clusters without any quota of GPUs: the scheduler gives them to whoever asks first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from ...errors import Unsupported
from ...model.previews import Preview, QueuePosition
from ...model.quota import Department, Project
from ...model.sessions import Kind, Session, SessionSpec
from ...ports.backend import Differences
from ..api import Manifest
from ..namespaces import visible
from ..resources import NAMESPACES
from ..shares.gpu_node import Division
from .engine import Admission, EnginePatch, Gangs, unknown
from .surroundings import Surroundings

_OWN = ("kube-", "kueue-system")
"""What the names of namespaces begin with that belong to Kubernetes, or to Kueue."""


class NoEngine:
    """No quota. Every namespace may use all GPUs, as far as they are free."""

    name = "none"
    gangs: Gangs = ""
    divides: Division = ""
    differences = Differences(
        withdraws_commands=False,
        names_reclaimer=False,
        knows_position=False,
        orders_within_a_second=False,
        lends=False,
    )

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._namespaces = around.caches.cache(NAMESPACES)
        self._ends: Sequence[Callable[[], None]] = ()
        self.administration = NoAdministration()

    async def start(self, changed: Callable[[], None]) -> None:
        """Follow the namespaces; call `changed` after each change."""
        self._ends = [self._namespaces.subscribe(lambda _: changed())]

    async def close(self) -> None:
        """Stop following."""
        for end in self._ends:
            end()
        self._ends = ()

    def warnings(self) -> Sequence[str]:
        """Return that nothing limits the use of GPUs."""
        return [
            "No quota limits the use of GPUs on this cluster: there is neither a ResourceQuota on "
            "GPUs nor a queue of Kueue. Whoever asks first gets them."
        ]

    def projects(self) -> Sequence[Project]:
        """Return the namespaces, each with all GPUs of the cluster."""
        listed = [each.metadata.name for each in self._namespaces.values()]
        found = listed or visible(self._around.api, ())
        names = self._around.namespaces or [n for n in found if not n.startswith(_OWN)]
        capacity = self._around.capacity()
        return [Project(name=name, quota=capacity, preemptible=()) for name in sorted(names)]

    def departments(self) -> Sequence[Department]:
        """Return that there are none."""
        return ()

    def limits(self, project: str) -> bool:
        """Return False: there is no quota."""
        return False

    def counts(self, project: str, kind: Kind, resource: str) -> bool:
        """Return True: without quotas every resource is as good."""
        return True

    def patch(self, spec: SessionSpec) -> EnginePatch:
        """Return that nothing is to be added."""
        return EnginePatch()

    def admission(self, session: Session) -> Admission:
        """Return that every session is admitted; only its pod tells what happens to it."""
        return Admission()

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return that only the cluster decides."""
        return unknown(self._around.cost(spec))

    async def position(self, session: Session) -> QueuePosition:
        """Return why a session has no node; there is no order among those that wait."""
        return QueuePosition(session=session.id, reason=session.reason)


class NoAdministration:
    """Refuses every change of projects: nothing on the cluster could keep it."""

    async def change_project(self, project: Project) -> Project:
        """Raise Unsupported."""
        _refuse()

    async def objects_for(self, project: Project) -> Sequence[Manifest]:
        """Raise Unsupported."""
        _refuse()

    def deletion_of(self, name: str) -> Sequence[str]:
        """Raise Unsupported."""
        _refuse()


def _refuse() -> NoReturn:
    raise Unsupported(
        "This cluster has no quotas of GPUs.",
        hint="Create a ResourceQuota or install Kueue, then restart the controller.",
    )
