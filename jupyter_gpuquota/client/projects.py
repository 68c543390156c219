"""Projects as they are set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import msgspec

from ..errors import FieldError, NotFound, refuse, refused
from ..model.clusters.names import cluster_of
from ..model.projects import (
    AffinityRequest,
    ChangePreview,
    ProjectAnswer,
    ProjectRemoval,
    ProjectRequest,
    request_of,
)
from ..model.projects import Projects as Answer
from ..model.quota import Project
from ..model.struct import Number
from .listing import Listing, Table
from .namespace import Namespace

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Settings(TypedDict, total=False):
    """The fields of `ProjectRequest` that may be set; amounts in GPUs, not milli-GPU."""

    quota: Number
    weight: Number | None
    limit: Number | None
    priority: int
    members: Sequence[str]
    leads: Sequence[str]
    viewers: Sequence[str]
    node_affinity: Mapping[str, Sequence[str]]
    interactive_duration: Number
    min_runtime: Number


PROJECTS = Table[Project](
    columns={
        "project": lambda project: project.name,
        "quota": lambda project: project.quota / 1000,
        "weight": lambda project: project.weighs / 1000,
        "limit": lambda project: None if project.limit is None else project.limit / 1000,
        "priority": lambda project: project.priority,
        "members": lambda project: ",".join(project.members),
        "leads": lambda project: ",".join(project.leads),
        "viewers": lambda project: ",".join(project.viewers),
        "interactive_on": lambda project: ",".join(project.node_affinity.interactive),
        "train_on": lambda project: ",".join(project.node_affinity.train),
        "interactive_duration": lambda project: project.interactive_duration,
        "min_runtime": lambda project: project.min_runtime,
        "draining": lambda project: project.draining,
        "department": lambda project: project.department,
    },
    shown=("project", "quota", "weight", "limit", "priority", "members", "draining"),
    empty="No projects.",
)
"""Amounts in GPUs, times in seconds."""


class Projects(Namespace):
    """Projects as they are set; admins set, try and delete them."""

    def list(self) -> Listing[Project, Answer]:
        """List the projects."""
        answer: Answer = self._context.call("projects.list")
        return Listing(answer, answer.items, PROJECTS)

    def get(self, name: str) -> Project:
        """Return one project. Raises NotFound."""
        known = {project.name: project for project in self.list()}
        if name not in known:
            hint = f"Projects: {', '.join(known) or 'none'}."
            raise NotFound(f"Project {name!r} not found.", hint=hint)
        return known[name]

    def put(self, name: str, **settings: Unpack[Settings]) -> ProjectAnswer:
        """Create or change a project; what is left out stays as it is.

        For example `quota=4`, `weight=2`, `limit=8`; `weight=None` and `limit=None` unset them. A
        new project needs a quota. Raises InvalidFields, NotAllowed, and Outdated if another admin
        changed it meanwhile.
        """
        request = self._request(name, settings)
        answer: ProjectAnswer = self._context.call("projects.put", {"name": name}, body=request)
        return answer

    def delete(self, name: str, *, drain: bool = False) -> ProjectAnswer:
        """Delete a project. Raises NotFound, NotAllowed, and InUse if it has sessions.

        With `drain` it starts no more sessions, and is deleted when its last one has ended.
        """
        _check_name(name)
        query = ProjectRemoval(drain=drain)
        answer: ProjectAnswer = self._context.call("projects.delete", {"name": name}, query=query)
        return answer

    def preview(self, name: str, **settings: Unpack[Settings]) -> ChangePreview:
        """Preview the same `put`; nothing changes. Raises Unsupported on a cluster."""
        request = self._request(name, settings)
        answer: ChangePreview = self._context.call("projects.preview", body=request)
        return answer

    def _request(self, name: str, settings: Settings) -> ProjectRequest:
        _check_name(name)
        present = {project.name: project for project in self.list()}
        wanted = _plain(settings)
        if name in present:
            return msgspec.structs.replace(request_of(present[name]), **wanted)
        if "quota" not in wanted:
            hint = "Set one, for example 4, or correct the name of the project."
            raise refused(FieldError("quota", f"{name} is new: it needs a quota.", hint))
        return ProjectRequest(name=name, **wanted)


def _check_name(name: str) -> None:
    """Raise InvalidFields for text that cannot be in a path; the server has the full rule."""
    if cluster := cluster_of(name):
        message = f"{name} cannot be set here: it is a project of the cluster {cluster}."
        raise refused(FieldError("name", message, f"Set it where {cluster} is set up."))
    if not _NAME.fullmatch(name):
        message = "Use lower-case letters, digits and hyphens, 63 at most."
        raise refused(FieldError("name", message, "For example team-a."))


def _plain(settings: Settings) -> dict[str, Any]:
    """Return the settings in the types of the request. Raises InvalidFields for a single name."""
    wanted: dict[str, Any] = dict(settings)
    people = [field for field in ("members", "leads", "viewers") if field in wanted]
    refuse(
        FieldError(field, "It must be a list of names, not text.", f'Write ["{lone}"].')
        for field in people
        if isinstance(lone := wanted[field], str)
    )
    wanted |= {field: tuple(wanted[field]) for field in people}
    if "node_affinity" in wanted:
        groups = {kind: tuple(names) for kind, names in wanted["node_affinity"].items()}
        wanted["node_affinity"] = AffinityRequest(**groups)
    return wanted
