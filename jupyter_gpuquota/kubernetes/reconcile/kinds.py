"""The kinds of workloads that sessions have, by their requests and by what the cluster serves."""

from __future__ import annotations

from typing import Any

from ...model.sessions import SessionSpec
from ..api import Api
from ..engines.served import versions
from ..objects.workloads import Job, MpiJob, StatefulSet, Workload
from ..resources import JOBS, MPI_JOBS, STATEFUL_SETS, Resource

_OF: dict[type[Workload], Resource[Any]] = {
    StatefulSet: STATEFUL_SETS,
    Job: JOBS,
    MpiJob: MPI_JOBS,
}


def kind_of(workload: Workload) -> Resource[Any]:
    """Return the kind of a workload."""
    return _OF[type(workload)]


class WorkloadKinds:
    """The kinds of workloads; which of them a cluster serves is known once `find` has returned."""

    def __init__(self, *, mpi: bool = False) -> None:
        self.mpi = mpi
        """Whether the cluster has MPIJobs."""

    async def find(self, api: Api) -> None:
        """Ask a cluster what it serves. Raises Fault."""
        self.mpi = MPI_JOBS.version in await versions(api, MPI_JOBS.group)

    def made_for(self, spec: SessionSpec) -> Resource[Any]:
        """Return the kind in which a request is made now."""
        return self.possible_for(spec)[-1]

    def possible_for(self, spec: SessionSpec) -> tuple[Resource[Any], ...]:
        """Return the kinds that the workload of a session may be of.

        The last one is made now; another one may be of a time before the cluster had it.
        """
        if spec.kind != "train":
            return (STATEFUL_SETS,)
        several = self.mpi and spec.framework == "mpi" and spec.processes > 1
        return (JOBS, MPI_JOBS) if several else (JOBS,)
