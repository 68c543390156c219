"""Changes of projects in Kueue's own objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from ....core.fields import FieldReader
from ....core.projects import check_revision
from ....errors import Conflict
from ....model.quota import Project
from ....model.resources import MILLI
from ...api import Api, Fault, Manifest
from ...objects.meta import Object
from ...quantities import text
from ...resources import Resource
from ..extras import check_supported, manifest
from ..surroundings import GpuResources, Surroundings
from .objects import CLUSTER_QUEUES, COHORTS, LOCAL_QUEUES
from .projects import project_of
from .queues import ProjectQueues, find_queues
from .state import KueueState
from .view import KueueView
from .writes import QuotaChange, annotation_patch, changes, merge_patch, revision_of

_TRIES = 3
"""How often a write is tried whose object Kueue itself has changed meanwhile."""
_CONFLICT = 409


class KueueAdministration:
    """Writes the quotas of projects."""

    def __init__(self, around: Surroundings, view: KueueView) -> None:
        self._around = around
        self._view = view

    async def change_project(self, project: Project) -> Project:
        """Change a project; return it as Kueue then has it.

        Raises Outdated, InvalidFields, Conflict, Fault.
        """
        view = self._view
        queues = view.projects[project.name]
        check_revision(project.name, revision_of(queues), project.revision)
        written: list[Object] = [
            await self._change(queues, change) for change in changes(queues, project)
        ]
        before = project_of(queues, "", view.priorities)
        if annotation_patch(project) != annotation_patch(before):
            namespace, name = queues.main.key
            body = annotation_patch(project)
            found = await self._api.patch(LOCAL_QUEUES, namespace, name, body)
            written.append(found)
        now = find_queues(_changed(view.state, written), *view.names)[project.name]
        return project_of(now, revision_of(now), view.priorities)

    async def objects_for(self, project: Project) -> Sequence[Manifest]:
        """Return the queues of a new project, like those of another one.

        Raises InvalidFields, Conflict, Fault.
        """
        known = self._view.projects
        if not known:
            raise Conflict(
                "No ClusterQueue gives GPUs yet.",
                hint="Create the first one as in docs/engines/kueue.md; further projects are made "
                "like it.",
            )
        like = next(iter(known.values()))
        raw = await self._raw(CLUSTER_QUEUES, like.main.spec.cluster_queue)
        spec = {**raw["spec"], "cohortName": _above(like)}
        return [
            cluster_queue_like(spec, project, self._around.settings.gpus),
            local_queue(project, like.main.metadata.name),
        ]

    def deletion_of(self, name: str) -> Sequence[str]:
        """Return the commands for its LocalQueues, and the ClusterQueues that only it uses."""
        known = self._view.projects
        queues = known[name]
        shared = {q for other, each in known.items() if other != name for q in each.cluster_queues}
        local = " ".join(each.metadata.name for each in queues.all)
        own = " ".join(q for q in queues.cluster_queues if q not in shared)
        commands = [f"kubectl -n {name} delete localqueue {local}"]
        return [*commands, f"kubectl delete clusterqueue {own}"] if own else commands

    @property
    def _api(self) -> Api:
        return self._around.api

    async def _change(self, queues: ProjectQueues, change: QuotaChange) -> Object:
        """Write one object. Kueue writes its status, so its version may change in between."""
        kind, name = change.key
        resource: Resource[Any] = CLUSTER_QUEUES if kind == "queue" else COHORTS
        like = await self._raw(CLUSTER_QUEUES, queues.main.spec.cluster_queue)
        for attempt in range(_TRIES):
            raw = await self._raw(resource, name)
            body = merge_patch(raw, change, self._around.settings.gpus, like)
            try:
                found: Object = await self._api.patch(resource, "", name, body)
            except Fault as fault:
                if fault.status != _CONFLICT or attempt + 1 == _TRIES:
                    raise
            else:
                return found
        raise Conflict(f"{name} changed all the time. Nothing was saved.", hint="Try again.")

    async def _raw(self, resource: Resource[Any], name: str) -> Manifest:
        """Return an object with all fields, also those that no record has."""
        found: Manifest = msgspec.json.decode(await self._api.read(resource.path("", name)))
        return found


def _above(queues: ProjectQueues) -> str:
    """Return the Cohort above what belongs to a project alone, empty for none."""
    flavor = queues.flavors[0]
    parent = queues.state.trees[flavor].members[queues.tops(flavor)[0]].parent
    return parent[1] if parent else ""


def _changed(state: KueueState, written: Sequence[Object]) -> KueueState:
    """Return the state with objects as they were written."""
    new = {(type(each), each.key): each for each in written}

    def now(objects: Sequence[Any]) -> Iterator[Any]:
        return (new.get((type(each), each.key), each) for each in objects)

    return replace(
        state,
        local_queues=tuple(now(state.local_queues)),
        cluster_queues=tuple(now(state.cluster_queues)),
        cohorts=tuple(now(state.cohorts)),
    )


def cluster_queue_like(spec: Manifest, project: Project, gpus: GpuResources) -> Manifest:
    """Return the ClusterQueue of a project: the spec of another one with its own quota of GPUs.

    The quota is in the first flavor; those of other resources are the same. Raises InvalidFields.
    """
    reader = FieldReader()
    check_supported(project, "Kueue", reader)
    covered = [name for group in spec["resourceGroups"] for name in group["coveredResources"]]
    names = gpus.names(covered)
    if gpus.milli not in names:
        for field, amount in (("quota", project.quota), ("limit", project.limit or 0)):
            if amount % MILLI:
                reader.wrong(field, "project.whole")
    if project.limit is not None and project.limit < project.quota:
        reader.wrong("limit", "project.limit_below", quota=project.quota)
    reader.finish()
    groups = [_group(group, project, gpus, spec) for group in spec["resourceGroups"]]
    selector = {"matchLabels": {"kubernetes.io/metadata.name": project.name}}
    own = {**spec, "resourceGroups": groups, "namespaceSelector": selector}
    return manifest(CLUSTER_QUEUES, project.name, own)


def local_queue(project: Project, name: str) -> Manifest:
    """Return the LocalQueue of a project."""
    spec = {"clusterQueue": project.name}
    return manifest(LOCAL_QUEUES, name, spec, project.name, keeps=project)


def _group(group: Manifest, project: Project, gpus: GpuResources, spec: Manifest) -> Manifest:
    flavors = [
        {
            **flavor,
            "resources": [
                _resource(limit, project, gpus.factor(limit["name"]), spec, first=place == 0)
                for limit in flavor["resources"]
            ],
        }
        for place, flavor in enumerate(group["flavors"])
    ]
    return {**group, "flavors": flavors}


def _resource(
    limit: Manifest, project: Project, factor: int, spec: Manifest, *, first: bool
) -> Manifest:
    if not factor:
        return limit
    found: dict[str, Any] = {"name": limit["name"], "nominalQuota": "0"}
    if first:
        found["nominalQuota"] = text(project.quota // factor)
    if project.limit is not None and spec.get("cohortName"):
        more = project.limit - project.quota if first else 0
        found["borrowingLimit"] = text(more // factor)
    return found
