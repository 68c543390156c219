"""What a project has beyond its engine's own settings: an annotation of the engine's object.

People and their roles are the cluster's own (RBAC). Only KAI Scheduler knows priorities of projects
and a minimum run time.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from ...core.fields import FieldReader
from ...model.quota import Affinity, Project
from ...model.struct import Model
from .. import labels
from ..api import Manifest
from ..objects.meta import Object
from ..resources import Resource

ANNOTATION = f"{labels.DOMAIN}/project"
"""Annotation of a LocalQueue, Queue or ResourceQuota: the extras of its project, as JSON."""


class Extras(Model, frozen=True, kw_only=True):
    """The node groups and the maximum run time of a project."""

    node_affinity: Affinity = Affinity()
    interactive_duration: int = 0


NONE = Extras()
_ELSEWHERE = ("members", "leads", "viewers", "priority", "min_runtime")
"""The fields of a project that an engine of a cluster cannot keep."""


def extras_of(found: Object) -> Extras:
    """Return the extras in an object's annotation; an unreadable one counts as absent."""
    text = found.metadata.annotations.get(ANNOTATION, "{}")
    try:
        return msgspec.json.decode(text, type=Extras)
    except msgspec.DecodeError:
        return NONE


def written(project: Project) -> str:
    """Return the annotation for a project."""
    extras = Extras(
        node_affinity=project.node_affinity,
        interactive_duration=project.interactive_duration,
    )
    return msgspec.json.encode(extras).decode()


def manifest(
    resource: Resource[Any],
    name: str,
    spec: Manifest,
    namespace: str = "",
    keeps: Project | None = None,
) -> Manifest:
    """Return a new object; the extras of the project that it keeps, if any, are annotated."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if keeps and written(keeps) != written(Project(name="", quota=0)):
        metadata["annotations"] = {ANNOTATION: written(keeps)}
    head = {"apiVersion": resource.api_version, "kind": resource.kind}
    return {**head, "metadata": metadata, "spec": spec}


def check_supported(
    project: Project, engine: str, reader: FieldReader, keeps: Collection[str] = ()
) -> None:
    """Note every field of a project that cannot be set; `keeps` are those that this engine has."""
    usual = Project(name=project.name, quota=project.quota)
    for field in _ELSEWHERE:
        if field not in keeps and getattr(project, field) != getattr(usual, field):
            reader.wrong(field, "project.elsewhere", engine=engine)
