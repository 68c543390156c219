"""The kinds of workloads that sessions have, by their requests and by what the cluster serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...model.messages.build import message
from ...model.sessions import Session, SessionSpec
from ...model.struct import Message
from ..api import Api, Manifest
from ..engines.surroundings import versions
from ..objects.workloads import Job, MpiJob, StatefulSet, TrainingRuntime, TrainJob, Workload
from ..resources import JOB_SETS, JOBS, MPI_JOBS, STATEFUL_SETS, TRAIN_JOBS, Resource

Child = tuple[Resource[Any], Manifest]
"""An object of a session, and its kind."""


class Manifests(Protocol):
    """Makes the manifests of sessions, without owner references and records."""

    async def workload(self, session: Session) -> Child:
        """Return the workload and its kind, without pods: at 0 replicas, or suspended.

        Raises InvalidFields.
        """

    def released(self, session: Session) -> Mapping[str, str]:
        """Return the labels of a workload that may start, as its data is there."""

    def children(self, session: Session, token: str, kind: Resource[Any]) -> Sequence[Child]:
        """Return the Secret first, then what else a session with such a workload has."""


_OF: dict[type[Workload], Resource[Any]] = {
    StatefulSet: STATEFUL_SETS,
    Job: JOBS,
    MpiJob: MPI_JOBS,
    TrainJob: TRAIN_JOBS,
}
_CHANGES = ("create", "get", "list", "watch", "patch", "delete")
"""What is done with the workloads of sessions."""
_READS = ("list", "watch")
"""What is done with the objects that others make of them."""

Made = tuple[Resource[Any], Message | None]
"""A kind, and why it is not the one that the request would have elsewhere."""


@dataclass(frozen=True, slots=True)
class _Optional:
    """A kind that not every cluster has.

    `needed` are the rights on kinds of objects that it takes. `none` says that the cluster does not
    have it, `refused` that a right is missing.
    """

    needed: Mapping[Resource[Any], Sequence[str]]
    none: str
    refused: str


_OPTIONAL: Mapping[Resource[Any], _Optional] = {
    MPI_JOBS: _Optional({MPI_JOBS: _CHANGES}, "preview.no_mpi", "preview.mpi_right"),
    TRAIN_JOBS: _Optional(
        {TRAIN_JOBS: _CHANGES, JOB_SETS: _READS}, "preview.no_trainjob", "preview.trainjob_right"
    ),
}


def kind_of(workload: Workload) -> Resource[Any]:
    """Return the kind of a workload."""
    return _OF[type(workload)]


def plain_kind(spec: SessionSpec) -> Resource[Any]:
    """Return the kind of a request's workload that every cluster has."""
    return JOBS if spec.kind == "train" else STATEFUL_SETS


class Rights(Protocol):
    """Knows which kinds of objects may be made."""

    async def lacking(self, kind: Resource[Any], project: str, verbs: Sequence[str]) -> str:
        """Return the first right that is missing in a project, empty for none."""


class WorkloadKinds:
    """The kinds of workloads; which of them a cluster serves is known once `find` has returned.

    `runtime` is the name of that of TrainJobs; without one none are made.
    """

    def __init__(
        self,
        served: Iterable[Resource[Any]] = (),
        rights: Rights | None = None,
        runtime: str = "",
    ) -> None:
        self.served = frozenset(served)
        """The kinds of the cluster that not every one has."""
        self.runtime_name = runtime
        self.runtime: Callable[[], TrainingRuntime | None] = lambda: None
        """Returns the runtime of TrainJobs, None if it is not there or may not be read."""
        self._rights = rights

    async def find(self, api: Api, rights: Rights) -> None:
        """Ask a cluster what it serves; its rights are asked for when they matter. Raises Fault."""
        self.served = frozenset(
            [kind for kind, found in _OPTIONAL.items() if await _are_served(api, found.needed)]
        )
        self._rights = rights

    async def made_for(self, spec: SessionSpec) -> Made:
        """Return the kind in which a request is made now."""
        plain, wished = plain_kind(spec), self._wished(spec)
        if wished is None:
            return plain, None
        about = _OPTIONAL[wished]
        if wished not in self.served:
            return plain, message(about.none)
        for kind, verbs in about.needed.items():
            if lacking := await self._lacking(kind, spec.project, verbs):
                return plain, message(about.refused, right=lacking, project=spec.project)
        return wished, None

    def possible_for(self, spec: SessionSpec) -> tuple[Resource[Any], ...]:
        """Return the kinds that the workload of a session may be of."""
        wished = self._wished(spec)
        return (plain_kind(spec), *([wished] if wished in self.served else []))

    def _wished(self, spec: SessionSpec) -> Resource[Any] | None:
        """Return the kind that a request is to have where it can, None for the plain one."""
        if spec.kind != "train" or spec.processes == 1:
            return None
        wished = {"mpi": MPI_JOBS, "torch": TRAIN_JOBS if self.runtime_name else None}
        return wished.get(spec.framework)

    async def _lacking(self, kind: Resource[Any], project: str, verbs: Sequence[str]) -> str:
        return await self._rights.lacking(kind, project, verbs) if self._rights else ""


async def _are_served(api: Api, kinds: Iterable[Resource[Any]]) -> bool:
    return all([kind.version in await versions(api, kind.group) for kind in kinds])
