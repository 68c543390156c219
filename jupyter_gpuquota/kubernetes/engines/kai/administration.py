"""Changes of projects in KAI's queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.fields import FieldReader
from ....core.projects import check_revision
from ....errors import Conflict
from ....model.quota import Project
from ....model.resources import MILLI
from ...api import Manifest
from ..extras import ANNOTATION, check_supported, manifest, written
from ..surroundings import Surroundings
from .objects import QUEUES, UNLIMITED, QueueResource, gpus_of
from .queues import ProjectQueue
from .view import KaiView

DEPARTMENT = "default-parent-queue"
"""The queue above others, as KAI's chart names it."""
_KEPT = ("priority", "min_runtime")
"""What KAI keeps of a project, unlike other engines."""


class KaiAdministration:
    """Writes the queues of projects."""

    def __init__(self, around: Surroundings, view: KaiView) -> None:
        self._around = around
        self._view = view

    async def change_project(self, project: Project) -> Project:
        """Change the queue of a namespace; return the project as it then is.

        Raises Outdated, InvalidFields, Conflict, Fault.
        """
        old = self._view.state.queues[project.name]
        check_revision(project.name, old.revision, project.revision)
        _check(project, old)
        self._check_own(old)
        body = {
            "metadata": {"annotations": {ANNOTATION: written(project)}},
            "spec": _spec(project, old),
        }
        found = await self._around.api.patch(QUEUES, "", old.leaf.metadata.name, body)
        return ProjectQueue(project.name, found, old.above).project(self._around.capacity())

    async def objects_for(self, project: Project) -> Sequence[Manifest]:
        """Return the queue of a new project, in the department of the others.

        The first project comes with a department. Raises InvalidFields.
        """
        _check(project, None)
        parents = [q.leaf.spec.parent_queue for q in self._view.state.queues.values()]
        parent = next(filter(None, parents), "")
        everything = {name: _amounts(None, None, 1.0) for name in ("gpu", "cpu", "memory")}
        department = manifest(QUEUES, DEPARTMENT, {"resources": everything})
        spec = {"parentQueue": parent or DEPARTMENT, **_spec(project, None)}
        own = manifest(QUEUES, project.name, spec, keeps=project)
        return [own] if parent else [department, own]

    def deletion_of(self, name: str) -> Sequence[str]:
        """Return the command for the queue of a project, not the one above it."""
        found = self._view.state.queues[name]
        self._check_own(found)
        return [f"kubectl delete {QUEUES.plural}.{QUEUES.group} {found.name}"]

    def _check_own(self, found: ProjectQueue) -> None:
        """Raise Conflict for a queue that KAI makes of a Project, and would change back."""
        owner = next(iter(found.leaf.metadata.owner_references), None)
        if owner is not None:
            raise Conflict(
                f"The queue of {found.namespace} is made from the {owner.kind} {owner.name}. "
                "Nothing was saved.",
                hint=f"Change it there: kubectl edit {owner.kind.lower()}.kai.resources "
                f"{owner.name}",
            )


def _check(project: Project, old: ProjectQueue | None) -> None:
    """Raise InvalidFields for what a queue cannot have."""
    reader = FieldReader()
    check_supported(project, "KAI Scheduler", reader, keeps=_KEPT)
    unchanged = old is not None and project.limit == old.limit
    if project.limit is not None and project.limit < project.quota and not unchanged:
        reader.wrong("limit", "project.limit_below", quota=project.quota)
    reader.finish()


def _spec(project: Project, old: ProjectQueue | None) -> Manifest:
    """Return the settings of a queue. All three resources are written: an absent one allows none.

    Those that somebody has set for CPU and memory are kept; so is a bound that did not change, as
    that shown may be a queue's above, or the whole cluster.
    """
    now = old.leaf.spec.resources if old else None
    before = old.project(project.quota) if old else None
    gpu = _amounts(project.quota, project.limit, project.weighs / MILLI)
    if now and before and before.quota == project.quota:
        gpu["quota"] = now.gpu.quota
    if now and before and before.limit == project.limit:
        gpu["limit"] = now.gpu.limit
    spec: dict[str, Any] = {
        "priority": project.priority,
        "resources": {
            "gpu": gpu,
            "cpu": _others(now.cpu if now else None),
            "memory": _others(now.memory if now else None),
        },
    }
    if before is None or before.min_runtime != project.min_runtime:
        spec |= dict.fromkeys(("preemptMinRuntime", "reclaimMinRuntime"), f"{project.min_runtime}s")
    return spec


def _amounts(quota: int | None, limit: int | None, weight: float) -> dict[str, Any]:
    return {"quota": gpus_of(quota), "limit": gpus_of(limit), "overQuotaWeight": weight}


def _others(found: QueueResource | None) -> Manifest:
    """Return what a queue has of CPU or memory; without bounds unless somebody has set some."""
    unset = found is None or found == QueueResource()
    kept = QueueResource(quota=UNLIMITED, limit=UNLIMITED, over_quota_weight=1.0)
    given = kept if unset or found is None else found
    return {
        "quota": given.quota,
        "limit": given.limit,
        "overQuotaWeight": given.over_quota_weight,
    }
