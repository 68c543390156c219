"""The usage port: sessions, and the other workloads of each project's namespace."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from ..control.usage import BoardUsage
from ..core.usage.quota import departments_with_use
from ..model.quota import ProjectUse, Quota


class ClusterUsage(BoardUsage):
    """The GPUs held on a cluster.

    Engines count all pods of a namespace against its quota, so that a project also holds what its
    other workloads hold. No user is charged with these.
    """

    def quota(self) -> Quota:
        """Return what every project has, uses and requests."""
        found = super().quota()
        others: Counter[str] = Counter()
        for holding in self.holdings():
            others[holding.name.partition("/")[0]] += holding.placement.milli
        projects = tuple(_with_others(use, others[use.name]) for use in found.projects)
        departments = departments_with_use(self._board.settings.departments, projects)
        return replace(found, projects=projects, departments=departments)


def _with_others(use: ProjectUse, milli: int) -> ProjectUse:
    """Return the use of a project with what its other workloads hold."""
    held = use.allocated + milli
    return replace(
        use,
        allocated=held,
        over=max(0, held - use.quota),
        requested=use.requested + milli,
    )
