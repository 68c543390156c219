"""Changes of projects in KAI's queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.fields import FieldReader
from ....core.projects import check_revision, find
from ....errors import Conflict, NotFound, Unsupported
from ....model.projects import ChangePreview
from ....model.quota import Project
from ....model.resources import MILLI
from ... import labels
from ...api import Fault, Manifest
from ...faults import translated
from ...resources import NAMESPACES
from ..extras import ANNOTATION, check_supported, written
from ..surroundings import Surroundings
from .amounts import gpus_of
from .objects import QUEUES, UNLIMITED, Queue, QueueResource
from .previews import effect
from .queues import ProjectQueue
from .view import KaiView

DEPARTMENT = "default-parent-queue"
"""The queue above others, as KAI's chart names it."""
_KEPT = ("priority", "min_runtime")
"""What KAI keeps of a project, unlike other engines."""
_MISSING = 404


class KaiAdministration:
    """Writes the queues of projects, or tries to on the server without changing anything."""

    def __init__(self, around: Surroundings, view: KaiView) -> None:
        self._around = around
        self._view = view

    async def try_change(self, put: Sequence[Project], gone: Sequence[str]) -> ChangePreview:
        """Return the effect of a change: a dry run on the server, then the numbers after it."""
        for project in put:
            with translated():
                await self._put(project, dry_run=True)
        known = {each.name: each for each in self._view.projects()}
        after = {**known, **{each.name: each for each in put}}
        left = [each for name, each in after.items() if name not in gone]
        return effect(self._view.snapshot(), self._view.snapshot(left))

    async def put_project(self, project: Project) -> Project:
        """Change or create the queue of a namespace; return the project as it then is.

        Raises Outdated, InvalidFields, NotFound where there is no such namespace.
        """
        old = self._view.state.queues.get(project.name)
        check_revision(project.name, old.revision if old else "", project.revision)
        with translated():
            found = await self._put(project, dry_run=False)
        changed = ProjectQueue(project.name, found, old.above if old else ())
        return changed.project(self._around.capacity())

    async def drain_project(self, name: str, revision: str) -> Project:
        """Refuse: KAI has no state in which what runs goes on, and nothing more starts.

        A limit of 0 also makes its fair share 0, so that others may reclaim what is preemptible.
        """
        raise Unsupported(
            f"{name} cannot be drained under KAI Scheduler.",
            hint="Set quota and limit to 0: nothing more starts, and interactive sessions go on. "
            "Spot sessions and trainings may be preempted for others, and would not start again.",
        )

    async def delete_project(self, name: str, revision: str) -> None:
        """Delete the queue of a project, not the one above it."""
        known = self._view.state.queues
        find(name, self._view.projects())
        check_revision(name, known[name].revision, revision or known[name].revision)
        self._check_own(known[name])
        meta = known[name].leaf.metadata
        with translated():
            await self._around.api.delete(QUEUES, "", meta.name, uid=meta.uid)

    async def _put(self, project: Project, *, dry_run: bool) -> Queue:
        old = self._view.state.queues.get(project.name)
        _check(project, old)
        if old is None:
            return await self._create(project, dry_run=dry_run)
        self._check_own(old)
        body = {"metadata": {"annotations": _annotations(project)}, "spec": _spec(project, old)}
        api, name = self._around.api, old.leaf.metadata.name
        return await api.patch(QUEUES, "", name, body, dry_run=dry_run)

    async def _create(self, project: Project, *, dry_run: bool) -> Queue:
        """Create the queue of a namespace, in the department of the others."""
        api = self._around.api
        try:
            await api.get(NAMESPACES, "", project.name)
        except Fault as fault:
            if fault.status != _MISSING:
                raise
            raise NotFound(
                f"Namespace {project.name} not found. Nothing was saved.",
                hint=f"Create it first: kubectl create namespace {project.name}",
            ) from fault
        parents = [q.leaf.spec.parent_queue for q in self._view.state.queues.values()]
        parent = next(filter(None, parents), "")
        if not parent and not await self._exists(DEPARTMENT):
            everything = {name: _amounts(None, None, 1.0) for name in ("gpu", "cpu", "memory")}
            department = _manifest(DEPARTMENT, {"resources": everything})
            await api.create(QUEUES, "", department, dry_run=dry_run)
        spec = {"parentQueue": parent or DEPARTMENT, **_spec(project, None)}
        body = _manifest(project.name, spec, _annotations(project))
        return await api.create(QUEUES, "", body, dry_run=dry_run)

    async def _exists(self, name: str) -> bool:
        try:
            await self._around.api.get(QUEUES, "", name)
        except Fault as fault:
            if fault.status != _MISSING:
                raise
            return False
        return True

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


def _annotations(project: Project) -> Manifest:
    return {ANNOTATION: written(project)}


def _manifest(name: str, spec: Manifest, annotations: Manifest | None = None) -> Manifest:
    meta: dict[str, Any] = {"name": name, "labels": {labels.MANAGED_BY: labels.MANAGER}}
    if annotations:
        meta["annotations"] = annotations
    head = {"apiVersion": QUEUES.api_version, "kind": QUEUES.kind, "metadata": meta}
    return {**head, "spec": spec}
