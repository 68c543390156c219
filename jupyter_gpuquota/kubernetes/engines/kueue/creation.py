"""The queues of a new project. Pure."""

from __future__ import annotations

from typing import Any

from ....core.fields import FieldReader
from ....model.quota import Project
from ....model.resources import MILLI
from ...api import Manifest
from ...quantities import text
from ..amounts import GpuResources
from ..extras import check_supported, manifest
from .objects import CLUSTER_QUEUES, LOCAL_QUEUES


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
