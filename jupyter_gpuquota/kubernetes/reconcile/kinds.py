"""The kinds of workloads that sessions have, by their requests and by what the cluster serves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...model.messages.build import message
from ...model.sessions import SessionSpec
from ...model.struct import Message
from ..api import Api
from ..engines.served import versions
from ..objects.workloads import Job, MpiJob, StatefulSet, Workload
from ..resources import JOBS, MPI_JOBS, STATEFUL_SETS, Resource

_OF: dict[type[Workload], Resource[Any]] = {
    StatefulSet: STATEFUL_SETS,
    Job: JOBS,
    MpiJob: MPI_JOBS,
}
_CHANGES = ("create", "get", "list", "watch", "patch", "delete")
"""What is done with the workloads of sessions."""
_NEEDED: Mapping[Resource[Any], Mapping[Resource[Any], Sequence[str]]] = {
    MPI_JOBS: {MPI_JOBS: _CHANGES},
}
"""The kinds that are needed for a kind that not every cluster has, and what is done with them."""

Made = tuple[Resource[Any], Message | None]
"""A kind, and why it is not the one that the request would have elsewhere."""


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
    """The kinds of workloads; which of them a cluster serves is known once `find` has returned."""

    def __init__(self, served: Iterable[Resource[Any]] = (), rights: Rights | None = None) -> None:
        self.served = frozenset(served)
        """The kinds of the cluster that not every one has."""
        self._rights = rights

    async def find(self, api: Api, rights: Rights) -> None:
        """Ask a cluster what it serves; its rights are asked for when they matter. Raises Fault."""
        self.served = frozenset(
            [kind for kind, needed in _NEEDED.items() if await _are_served(api, needed)]
        )
        self._rights = rights

    async def made_for(self, spec: SessionSpec) -> Made:
        """Return the kind in which a request is made now."""
        wished = self._wished(spec)
        if wished is None:
            return plain_kind(spec), None
        if wished not in self.served:
            return plain_kind(spec), message("preview.no_mpi")
        for kind, verbs in _NEEDED[wished].items():
            lacking = await self._lacking(kind, spec.project, verbs)
            if lacking:
                why = message("preview.mpi_right", right=lacking, project=spec.project)
                return plain_kind(spec), why
        return wished, None

    def possible_for(self, spec: SessionSpec) -> tuple[Resource[Any], ...]:
        """Return the kinds that the workload of a session may be of."""
        wished = self._wished(spec)
        return (plain_kind(spec), *([wished] if wished in self.served else []))

    def _wished(self, spec: SessionSpec) -> Resource[Any] | None:
        """Return the kind that a request is to have where it can, None for the plain one."""
        several = spec.kind == "train" and spec.processes > 1
        return MPI_JOBS if several and spec.framework == "mpi" else None

    async def _lacking(self, kind: Resource[Any], project: str, verbs: Sequence[str]) -> str:
        return await self._rights.lacking(kind, project, verbs) if self._rights else ""


async def _are_served(api: Api, kinds: Iterable[Resource[Any]]) -> bool:
    return all([kind.version in await versions(api, kind.group) for kind in kinds])
