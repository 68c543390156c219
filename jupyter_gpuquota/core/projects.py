"""Check requested projects, node groups and rules: every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from ..errors import NotFound, Outdated, refused
from ..model.messages.build import field_error
from ..model.projects import (
    AffinityRequest,
    AuditEntry,
    Groups,
    GroupsRequest,
    NodeGroup,
    NodeGroupRequest,
    ProjectRequest,
    RulesRequest,
)
from ..model.quota import GROUP, Affinity, Project, Rules
from ..model.resources import Node
from .fields import FieldReader
from .requests.shares import parse_quota

PRIORITIES = range(1001)
NO_GROUPS = Groups()


@dataclass(frozen=True, slots=True)
class Known:
    """The nodes and node groups that a request may name."""

    nodes: Sequence[Node]
    groups: Groups = NO_GROUPS

    @property
    def group_names(self) -> frozenset[str]:
        """The names of all groups, including those that the backend finds itself."""
        labels = {label for node in self.nodes for label in node.labels}
        return frozenset(labels | {group.name for group in self.groups.items})


def check(request: ProjectRequest, known: Known) -> Project:
    """Return the requested project; its revision is the request's.

    Raises InvalidFields with every broken field.
    """
    reader = FieldReader()
    reader.name("name", request.name, "team-a")
    quota = _gpus(reader, "quota", request.quota)
    weight = None if request.weight is None else _gpus(reader, "weight", request.weight)
    limit = None if request.limit is None else _gpus(reader, "limit", request.limit)
    reader.within("priority", request.priority, PRIORITIES[0], PRIORITIES[-1])
    _check_people(reader, "members", request.members)
    _check_people(reader, "leads", request.leads)
    _check_people(reader, "viewers", request.viewers)
    _check_affinity(request.node_affinity, known, reader)
    duration = _duration(reader, "interactive_duration", request.interactive_duration)
    least = _duration(reader, "min_runtime", request.min_runtime)
    reader.finish()
    return Project(
        name=request.name,
        quota=quota,
        weight=weight,
        limit=limit,
        priority=request.priority,
        members=request.members,
        leads=request.leads,
        viewers=request.viewers,
        node_affinity=Affinity(
            interactive=request.node_affinity.interactive, train=request.node_affinity.train
        ),
        interactive_duration=duration,
        min_runtime=least,
        revision=request.revision,
    )


def named(request: ProjectRequest, name: str) -> ProjectRequest:
    """Return a request for the project that a path names. Raises InvalidFields for another."""
    if request.name not in ("", name):
        raise refused(field_error("name", "project.renamed", path=name, body=request.name))
    return msgspec.structs.replace(request, name=name)


def check_rules(request: RulesRequest) -> Rules:
    """Return the requested rules. Raises InvalidFields with every broken field."""
    reader = FieldReader()
    grace = _duration(reader, "grace", request.grace)
    least = _duration(reader, "min_runtime", request.min_runtime)
    reader.finish()
    return Rules(
        grace=grace,
        min_runtime=least,
        consolidate=request.consolidate,
        revision=request.revision,
    )


def check_groups(
    request: GroupsRequest, nodes: Sequence[Node], projects: Iterable[Project]
) -> Groups:
    """Return the requested node groups; `nodes` are as the backend finds them.

    Raises InvalidFields with every broken field.
    """
    reader = FieldReader()
    known = sorted({node.name for node in nodes})
    _check_distinct(reader, "groups", [group.name for group in request.groups])
    for i, group in enumerate(request.groups):
        if group.name:
            reader.name(f"groups[{i}].name", group.name, "team-a")
        _check_distinct(reader, f"groups[{i}].nodes", group.nodes)
        for j, node in enumerate(group.nodes):
            if node.strip():
                reader.known(f"groups[{i}].nodes[{j}]", node, known, "node.unknown")
    items = groups_of(request.groups)
    left = Known(nodes, Groups(items=items)).group_names
    for project in projects:
        affinity = project.node_affinity
        for name in sorted({*affinity.interactive, *affinity.train} - left):
            reader.wrong("groups", "group.used", project=project.name, group=name)
    reader.finish()
    return Groups(items=items, revision=request.revision)


def groups_of(requests: Iterable[NodeGroupRequest]) -> tuple[NodeGroup, ...]:
    """Return the requested node groups, unchecked."""
    return tuple(NodeGroup(name=r.name, nodes=r.nodes, separate=r.separate) for r in requests)


def check_revision(what: str, present: str, asked: str, by: str = "") -> None:
    """Raise Outdated unless a change was made from the present revision; empty for none.

    `by` is the last change, for example `ana changed the rules at 12:30`.
    """
    if asked == present:
        return
    happened = "was changed" if present and asked else "was added" if present else "was deleted"
    raise Outdated(
        f"{by or f'{what} {happened}'}. Your change was not saved.",
        hint="Look at its present state, then make your change again.",
    )


def change_text(entry: AuditEntry) -> str:
    """Return who made a change, what it was, and when."""
    return f"{entry.who} {entry.what} at {entry.at:%Y-%m-%d %H:%M:%S} UTC"


def find(name: str, projects: Iterable[Project]) -> Project:
    """Return the project with a name. Raises NotFound."""
    known = {project.name: project for project in projects}
    if name not in known:
        raise NotFound(
            f"Project {name!r} not found.", hint=f"Projects: {', '.join(known) or 'none'}."
        )
    return known[name]


def _check_affinity(affinity: AffinityRequest, known: Known, reader: FieldReader) -> None:
    groups = sorted(known.group_names)
    for kind, names in (("interactive", affinity.interactive), ("train", affinity.train)):
        field = f"node_affinity.{kind}"
        _check_distinct(reader, field, names)
        for i, name in enumerate(names):
            if name.strip():
                reader.known(f"{field}[{i}]", name, groups, "group.unknown")


def _check_distinct(reader: FieldReader, field: str, names: Sequence[str]) -> None:
    """Check a list of names: none is empty or listed twice."""
    for i, name in enumerate(names):
        if not name.strip():
            reader.wrong(f"{field}[{i}]", "name.empty")
        elif name in names[:i]:
            reader.wrong(f"{field}[{i}]", "name.twice", name=name)


def _check_people(reader: FieldReader, field: str, names: Sequence[str]) -> None:
    """Check accounts and groups of accounts."""
    _check_distinct(reader, field, names)
    for i, name in enumerate(names):
        if name.strip() == GROUP:
            reader.wrong(f"{field}[{i}]", "people.group")


def _duration(reader: FieldReader, field: str, value: object) -> int:
    """Read a duration, in seconds; nothing is none."""
    return reader.duration(field, str(value).strip() or "0", "none")


def _gpus(reader: FieldReader, field: str, value: object) -> int:
    """Read a number of GPUs, as milli-GPU."""
    return reader.read(field, value, parse_quota)


def labelled(nodes: Sequence[Node], groups: Groups) -> tuple[Node, ...]:
    """Return the nodes that a backend finds, with the labels of their groups."""
    made = []
    for node in nodes:
        own = [group for group in groups.items if node.name in group.nodes]
        labels = dict.fromkeys([*node.labels, *(group.name for group in own)])
        separate = node.separate or any(group.separate for group in own)
        made.append(msgspec.structs.replace(node, labels=tuple(labels), separate=separate))
    return tuple(made)
