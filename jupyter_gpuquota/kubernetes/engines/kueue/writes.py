"""Changes of a project's quota as writes to Kueue's objects. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from ....core.fields import FieldReader
from ....errors import Conflict
from ....model.quota import Project
from ....model.resources import MILLI
from ...api import Manifest
from ...quantities import text, thousandths_text
from ..extras import ANNOTATION, check_supported, written
from ..surroundings import GpuResources
from .objects import ClusterQueue, Cohort
from .projects import weight_of
from .queues import ProjectQueues
from .quota_tree import Key, queue

Raw = Mapping[str, Any]
"""An object as the server gives it, with fields that no record has."""


@dataclass(frozen=True, slots=True)
class QuotaChange:
    """What to write into a ClusterQueue or Cohort, in milli-GPU.

    None leaves a value. `unlimited` removes the limit to borrowing.
    """

    key: Key
    nominal: int | None = None
    borrowing: int | None = None
    unlimited: bool = False
    weight: int | None = None


def revision_of(queues: ProjectQueues) -> str:
    """Return the revision of a project's settings: a hash of all that they are read from.

    Objects are taken by name, as a cache has them in the order of their last change.
    """
    names = set(queues.cluster_queues)
    tops = {name for flavor in queues.flavors for _, name in queues.tops(flavor)}
    own: list[ClusterQueue | Cohort] = [
        q for q in queues.state.cluster_queues if q.metadata.name in names
    ]
    own += [c for c in queues.state.cohorts if c.metadata.name in tops]
    own.sort(key=lambda each: (each.metadata.name, type(each).__name__))
    parts = [msgspec.json.encode((each.metadata.name, each.spec)) for each in own]
    parts += [
        msgspec.json.encode((q.metadata.name, q.spec, q.metadata.annotations.get(ANNOTATION, "")))
        for q in queues.all
    ]
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]


def changes(queues: ProjectQueues, project: Project) -> list[QuotaChange]:
    """Return what to write for a project; unchanged values are left.

    Raises InvalidFields, and Conflict for a quota or limit that is spread over several flavors:
    they show the sum, which does not say where to add.
    """
    reader = FieldReader()
    check_supported(project, "Kueue", reader)
    _check_amounts(queues, project, reader)
    reader.finish()
    same = (project.quota, project.limit) == (queues.quota, queues.limit)
    if len(queues.flavors) > 1 and not same:
        raise Conflict(
            f"The quota of {queues.namespace} is the sum of several flavors "
            f"({', '.join(queues.flavors)}). Nothing was saved.",
            hint="Change the flavors with kubectl, in its ClusterQueues: "
            f"{', '.join(queues.cluster_queues)}.",
        )
    return list(_changes(queues, project))


def merge_patch(
    raw: Raw, change: QuotaChange, gpus: GpuResources, like: Raw | None = None
) -> Manifest:
    """Return the merge patch of an object for a change; it names the version that it is for.

    A Cohort without a quota of its own takes resource and flavor from a ClusterQueue, `like`.
    """
    spec = raw.get("spec", {})
    groups = spec.get("resourceGroups") or _without_quota((like or {}).get("spec", {}), gpus)
    body: dict[str, Any] = {"resourceGroups": [_group(group, change, gpus) for group in groups]}
    if change.weight is not None:
        body["fairSharing"] = {"weight": thousandths_text(change.weight)}
    return {"metadata": {"resourceVersion": raw["metadata"]["resourceVersion"]}, "spec": body}


def annotation_patch(project: Project) -> Manifest:
    """Return the merge patch of the main LocalQueue: what only this program knows of a project."""
    return {"metadata": {"annotations": {ANNOTATION: written(project)}}}


def _changes(queues: ProjectQueues, project: Project) -> Iterator[QuotaChange]:
    """Return one change for each object."""
    flavor = next(f for f in queues.state.flavors_of(queues.main.spec.cluster_queue))
    tree = queues.state.trees[flavor]
    more = project.quota - queues.quota
    own = sorted(map(queue, queues.cluster_queues), key=lambda key: -tree.members[key].nominal)
    found = {key: QuotaChange(key) for key in own}
    if more:
        nominal = tree.members[own[0]].nominal + more
        found[own[0]] = replace(found[own[0]], nominal=nominal)
    top = queues.tops(flavor)[0] if len(queues.tops(flavor)) == 1 else own[0]
    if tree.members[top].parent is not None:
        change = found.get(top, QuotaChange(top))
        if project.limit is None and queues.limit is not None:
            found[top] = replace(change, unlimited=True)
        elif project.limit is not None and (more or project.limit != queues.limit):
            found[top] = replace(change, borrowing=project.limit - project.quota)
    if project.weight is not None and project.weight != weight_of(queues):
        main = queue(queues.main.spec.cluster_queue)
        found[main] = replace(found[main], weight=project.weight)
    return (change for change in found.values() if change != QuotaChange(change.key))


def _check_amounts(queues: ProjectQueues, project: Project, reader: FieldReader) -> None:
    gpus = queues.state.gpus
    groups = queues.behind("train").spec.resource_groups
    names = gpus.names(name for group in groups for name in group.covered_resources)
    if project.limit is not None and project.limit < project.quota:
        reader.wrong("limit", "project.limit_below", quota=project.quota)
    alone = not queues.behind("train").spec.cohort_name
    if alone and project.limit not in {None, project.quota, queues.limit}:
        reader.wrong("limit", "project.no_borrowing")
    for field, amount in (("quota", project.quota), ("limit", project.limit or 0)):
        if gpus.milli not in names and amount % MILLI:
            reader.wrong(field, "project.whole")


def _group(group: Raw, change: QuotaChange, gpus: GpuResources) -> Manifest:
    return {
        **group,
        "flavors": [
            {**flavor, "resources": [_resource(each, change, gpus) for each in flavor["resources"]]}
            for flavor in group["flavors"]
        ],
    }


def _resource(limit: Raw, change: QuotaChange, gpus: GpuResources) -> Manifest:
    """Return a quota after a change; those of other resources stay as they are."""
    factor = gpus.factor(limit["name"])
    if not factor:
        return limit
    changed = dict(limit)
    if change.nominal is not None:
        changed["nominalQuota"] = text(change.nominal // factor)
    if change.borrowing is not None:
        changed["borrowingLimit"] = text(change.borrowing // factor)
    if change.unlimited:
        changed.pop("borrowingLimit", None)
    return changed


def _without_quota(spec: Raw, gpus: GpuResources) -> list[Raw]:
    """Return the resource groups of a Cohort that has none: those of GPUs, with a quota of 0."""
    found: list[Raw] = []
    for group in spec.get("resourceGroups", ()):
        names = gpus.names(group["coveredResources"])
        if names:
            quotas = [{"name": name, "nominalQuota": "0"} for name in names]
            flavors = [{"name": f["name"], "resources": quotas} for f in group["flavors"]]
            found.append({"coveredResources": list(names), "flavors": flavors})
    return found
