"""Changes of projects in Kueue's own objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ....core.projects import check_revision, find
from ....errors import Conflict, NotFound
from ....model.projects import ChangePreview
from ....model.quota import Project
from ...api import Api, Fault, Manifest
from ...faults import translated
from ...objects.meta import Object
from ...resources import NAMESPACES, Resource
from ..surroundings import Surroundings
from .creation import cluster_queue_like, local_queue
from .objects import CLUSTER_QUEUES, COHORTS, LOCAL_QUEUES, LocalQueue
from .projects import project_of
from .queues import ProjectQueues, find_queues
from .trial import changed, effect, settle
from .view import KueueView
from .writes import QuotaChange, annotation_patch, changes, merge_patch, revision_of

_TRIES = 3
"""How often a write is tried whose object Kueue itself has changed meanwhile."""


class KueueAdministration:
    """Writes the quotas of projects, or tries to on the server without changing anything."""

    def __init__(self, around: Surroundings, view: KueueView) -> None:
        self._around = around
        self._view = view

    async def try_change(self, put: Sequence[Project], gone: Sequence[str]) -> ChangePreview:
        """Return the effect of a change: a dry run on the server, then the numbers after it."""
        written: list[Object] = []
        for project in put:
            with translated():
                written += await self._put(project, dry_run=True)
        view, state = self._view, self._view.state
        before = settle(state, view.names, view.wanted_of)
        after = settle(changed(state, written, gone), view.names, view.wanted_of)
        return effect(state, before, after, self._around.sessions())

    async def put_project(self, project: Project) -> Project:
        """Change or create a project; return it as Kueue then has it.

        Raises Outdated, InvalidFields, Conflict, NotFound where there is no such namespace.
        """
        with translated():
            written = await self._put(project, dry_run=False)
        return self._after(project.name, written)

    async def drain_project(self, name: str, revision: str) -> Project:
        """Hold the LocalQueues of a project: what runs goes on, and nothing more is admitted."""
        queues = self._found(name, revision)
        project = replace(project_of(queues, "", self._view.priorities), draining=True)
        with translated():
            written = await self._hold(queues, project, dry_run=False)
        return self._after(name, written)

    async def delete_project(self, name: str, revision: str) -> None:
        """Delete the LocalQueues of a project, and the ClusterQueues that only it uses."""
        self._found(name, revision)
        with translated():
            await self._delete(name)

    def _found(self, name: str, revision: str) -> ProjectQueues:
        """Return the queues of a project. Raises NotFound, Outdated."""
        known = self._view.projects
        find(name, [project_of(each, "", self._view.priorities) for each in known.values()])
        present = revision_of(known[name])
        check_revision(name, present, revision or present)
        return known[name]

    def _after(self, name: str, written: Sequence[Object]) -> Project:
        """Return a project as it is once these objects are written."""
        queues = find_queues(changed(self._view.state, written), *self._view.names)[name]
        return project_of(queues, revision_of(queues), self._view.priorities)

    async def _delete(self, name: str) -> None:
        known = self._view.projects
        queues = known[name]
        shared = {q for n, each in known.items() if n != name for q in each.cluster_queues}
        for local in queues.all:
            meta = local.metadata
            await self._api.delete(LOCAL_QUEUES, meta.namespace, meta.name, uid=meta.uid)
        for behind in set(queues.cluster_queues) - shared:
            meta = queues.state.by_name[behind].metadata
            await self._api.delete(CLUSTER_QUEUES, "", meta.name, uid=meta.uid)

    async def _put(self, project: Project, *, dry_run: bool) -> Sequence[Object]:
        """Write a project; return the objects that changed."""
        queues = self._view.projects.get(project.name)
        if queues is None:
            return await self._create(project, dry_run=dry_run)
        if not dry_run:
            check_revision(project.name, revision_of(queues), project.revision)
        written: list[Object] = [
            await self._change(queues, change, dry_run=dry_run)
            for change in changes(queues, project)
        ]
        before = project_of(queues, "", self._view.priorities)
        if before.draining:
            return [*written, *await self._hold(queues, project, dry_run=dry_run)]
        if annotation_patch(project) != annotation_patch(before):
            written.append(await self._patch(queues.main, annotation_patch(project), dry_run))
        return written

    async def _hold(
        self, queues: ProjectQueues, project: Project, *, dry_run: bool
    ) -> Sequence[Object]:
        """Let a project drain or, once it is saved again, admit workloads."""
        spec = {"spec": {"stopPolicy": "Hold" if project.draining else "None"}}
        main = {**annotation_patch(project), **spec}
        others = (queue for queue in queues.all if queue is not queues.main)
        first = await self._patch(queues.main, main, dry_run)
        return [first, *[await self._patch(each, spec, dry_run) for each in others]]

    async def _patch(self, queue: LocalQueue, body: Manifest, dry_run: bool) -> Object:  # noqa: FBT001 (as in the API)
        namespace, name = queue.key
        return await self._api.patch(LOCAL_QUEUES, namespace, name, body, dry_run=dry_run)

    @property
    def _api(self) -> Api:
        return self._around.api

    async def _change(self, queues: ProjectQueues, change: QuotaChange, *, dry_run: bool) -> Object:
        """Write one object. Kueue writes its status, so its version may change in between."""
        kind, name = change.key
        resource: Resource[Any] = CLUSTER_QUEUES if kind == "queue" else COHORTS
        like = await self._raw(CLUSTER_QUEUES, queues.main.spec.cluster_queue)
        for attempt in range(_TRIES):
            raw = await self._raw(resource, name)
            body = merge_patch(raw, change, self._around.settings.gpus, like)
            try:
                found: Object = await self._api.patch(resource, "", name, body, dry_run=dry_run)
            except Fault as fault:
                if fault.status != _CONFLICT or attempt + 1 == _TRIES:
                    raise
            else:
                return found
        raise Conflict(f"{name} changed all the time. Nothing was saved.", hint="Try again.")

    async def _create(self, project: Project, *, dry_run: bool) -> Sequence[Object]:
        """Create the queues of a project like those of another one. Raises NotFound, Conflict."""
        check_revision(project.name, "", project.revision)
        known = self._view.projects
        try:
            await self._api.get(NAMESPACES, "", project.name)
        except Fault as fault:
            if fault.status != _MISSING:
                raise
            raise NotFound(
                f"Namespace {project.name} not found. Nothing was saved.",
                hint=f"Create it first: kubectl create namespace {project.name}",
            ) from fault
        if not known:
            raise Conflict(
                "No ClusterQueue gives GPUs yet. Nothing was saved.",
                hint="Create the first one with kubectl; further projects are made like it.",
            )
        like = next(iter(known.values()))
        raw = await self._raw(CLUSTER_QUEUES, like.main.spec.cluster_queue)
        body = cluster_queue_like(raw, project, self._around.settings.gpus)
        made = await self._api.create(CLUSTER_QUEUES, "", body, dry_run=dry_run)
        local = local_queue(project, like.main.metadata.name)
        entry = await self._api.create(LOCAL_QUEUES, project.name, local, dry_run=dry_run)
        return [made, entry]

    async def _raw(self, resource: Resource[Any], name: str) -> Manifest:
        """Return an object with all fields, also those that no record has."""
        found: Manifest = msgspec.json.decode(await self._api.read(resource.path("", name)))
        return found


_CONFLICT = 409
_MISSING = 404
