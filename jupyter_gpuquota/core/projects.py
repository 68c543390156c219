"""Check what an admin asks of projects, node groups and rules: every mistake at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from ..errors import FieldError, NotFound, Outdated, refuse
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
from ..model.spans import LONGEST, parse_span
from .shares import parse_quota
from .specs import NAME_LIMIT

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
PRIORITIES = range(1001)
NO_GROUPS = Groups()


@dataclass(frozen=True, slots=True)
class Known:
    """Be what a request must agree with: the nodes, and the groups that are set."""

    nodes: Sequence[Node]
    groups: Groups = NO_GROUPS

    @property
    def group_names(self) -> frozenset[str]:
        """Name all groups, those that the backend itself finds included."""
        labels = {label for node in self.nodes for label in node.labels}
        return frozenset(labels | {group.name for group in self.groups.items})


class _Reader:
    """Read values one by one, and collect what is wrong with them."""

    def __init__(self, prefix: str = "") -> None:
        self.errors: list[FieldError] = []
        self._prefix = prefix

    def wrong(self, field: str, message: str, hint: str = "") -> None:
        """Note a mistake."""
        self.errors.append(FieldError(self._prefix + field, message, hint))

    def read(self, field: str, value: object, parse: Callable[[str], int], hint: str) -> int:
        """Return what a text means; 0 for a mistake."""
        try:
            return parse(str(value).strip())
        except ValueError as error:
            self.wrong(field, str(error), hint)
            return 0

    def amount(self, field: str, value: object) -> int:
        """Read a number of GPUs, as milli-GPU."""
        return self.read(
            field, value, parse_quota, "Write 4 or 2.5: 0 or more, with at most three decimals."
        )

    def duration(self, field: str, value: object) -> int:
        """Read a duration, as seconds."""
        return self.read(field, value, _parse_duration, "0 stands for none.")

    def names(self, field: str, names: Sequence[str]) -> None:
        """Refuse empty names and those that stand there twice."""
        for i, name in enumerate(names):
            if not name.strip():
                self.wrong(f"{field}[{i}]", "A name is missing.")
            elif name in names[:i]:
                self.wrong(f"{field}[{i}]", f"{name} is named twice.", "Keep one of them.")

    def people(self, field: str, names: Sequence[str]) -> tuple[str, ...]:
        """Read accounts and groups of accounts."""
        self.names(field, names)
        for i, name in enumerate(names):
            if name.strip() == GROUP:
                self.wrong(f"{field}[{i}]", "A group needs a name.", f"For example {GROUP}ml.")
        return tuple(names)

    def finish(self) -> None:
        """Raise InvalidFields if anything was wrong."""
        refuse(self.errors)


def check_name(name: str, what: str = "project") -> list[FieldError]:
    """Return what is wrong with a name."""
    if not name:
        return [FieldError("name", f"A {what} needs a name.", "For example team-a.")]
    if len(name) > NAME_LIMIT:
        return [FieldError("name", f"A name has at most {NAME_LIMIT} characters, not {len(name)}.")]
    if _NAME.fullmatch(name):
        return []
    close = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:NAME_LIMIT]
    message = "A name has small letters, digits and hyphens, and begins and ends without a hyphen."
    return [FieldError("name", message, f"For example {close or 'team-a'}.")]


def check(request: ProjectRequest, known: Known, *, prefix: str = "") -> Project:
    """Return the project that is asked for; its revision is the request's.

    Raises InvalidFields with every broken field, whose names begin with `prefix`.
    """
    reader = _Reader(prefix)
    for problem in check_name(request.name):
        reader.wrong(problem.field, problem.message, problem.hint)
    quota = reader.amount("quota", request.quota)
    weight = None if request.weight is None else reader.amount("weight", request.weight)
    limit = None if request.limit is None else reader.amount("limit", request.limit)
    if request.priority not in PRIORITIES:
        reader.wrong("priority", f"A priority is a number from 0 to {PRIORITIES[-1]}.")
    members = reader.people("members", request.members)
    leads = reader.people("leads", request.leads)
    viewers = reader.people("viewers", request.viewers)
    _check_affinity(request.node_affinity, known, reader)
    duration = reader.duration("interactive_duration", request.interactive_duration)
    least = reader.duration("min_runtime", request.min_runtime)
    reader.finish()
    return Project(
        name=request.name,
        quota=quota,
        weight=weight,
        limit=limit,
        priority=request.priority,
        members=members,
        leads=leads,
        viewers=viewers,
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
        message = f"The path names {name}, the body {request.name}."
        hint = "A project keeps its name: make another and delete this one."
        refuse([FieldError("name", message, hint)])
    return msgspec.structs.replace(request, name=name)


def check_rules(request: RulesRequest, *, prefix: str = "") -> Rules:
    """Return the rules that are asked for. Raises InvalidFields; `prefix` as in `check`."""
    reader = _Reader(prefix)
    grace = reader.duration("grace", request.grace)
    least = reader.duration("min_runtime", request.min_runtime)
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
    """Return the node groups that are asked for; `nodes` are as they are found.

    Raises InvalidFields.
    """
    reader = _Reader()
    known = {node.name for node in nodes}
    reader.names("groups", [group.name for group in request.groups])
    for i, group in enumerate(request.groups):
        for problem in check_name(group.name, "group") if group.name else []:
            reader.wrong(f"groups[{i}].name", problem.message, problem.hint)
        reader.names(f"groups[{i}].nodes", group.nodes)
        for j, node in enumerate(group.nodes):
            if node.strip() and node not in known:
                hint = f"There are: {', '.join(sorted(known)) or 'none'}."
                reader.wrong(f"groups[{i}].nodes[{j}]", f"There is no node {node!r}.", hint)
    items = groups_of(request.groups)
    left = Known(nodes, Groups(items=items)).group_names
    for project in projects:
        affinity = project.node_affinity
        for name in sorted({*affinity.interactive, *affinity.train} - left):
            hint = "Change the project first."
            reader.wrong("groups", f"{project.name} may run on the group {name} only.", hint)
    reader.finish()
    return Groups(items=items, revision=request.revision)


def groups_of(requests: Iterable[NodeGroupRequest]) -> tuple[NodeGroup, ...]:
    """Return the node groups that are asked for, unchecked."""
    return tuple(NodeGroup(name=r.name, nodes=r.nodes, separate=r.separate) for r in requests)


def check_revision(what: str, present: str, asked: str, by: str = "") -> None:
    """Raise Outdated unless a change was made from what is there; empty is nothing there.

    `by` says who has changed it last, for example `ana at 12:30`.
    """
    if asked == present:
        return
    if not present:
        message = f"{what} is not there any more" + (f": {by}." if by else ".")
    elif not asked:
        message = f"{what} exists already" + (f": {by}." if by else ".")
    else:
        message = f"{what} was changed meanwhile" + (f": {by}." if by else ".")
    raise Outdated(
        f"{message} Nothing was saved.",
        hint="Look at it as it is now, then make your change again.",
    )


def change_text(entry: AuditEntry) -> str:
    """Say who made a change, what it was, and when."""
    return f"{entry.who} {entry.what} at {entry.at:%Y-%m-%d %H:%M:%S} UTC"


def find(name: str, projects: Iterable[Project]) -> Project:
    """Find a project by name. Raises NotFound."""
    known = {project.name: project for project in projects}
    if name not in known:
        raise NotFound(
            f"There is no project {name!r}.", hint=f"There are: {', '.join(known) or 'none'}."
        )
    return known[name]


def _check_affinity(affinity: AffinityRequest, known: Known, reader: _Reader) -> None:
    groups = known.group_names
    for kind, names in (("interactive", affinity.interactive), ("train", affinity.train)):
        field = f"node_affinity.{kind}"
        reader.names(field, names)
        for i, name in enumerate(names):
            if name.strip() and name not in groups:
                hint = f"There are: {', '.join(sorted(groups))}." if groups else "There are none."
                reader.wrong(f"{field}[{i}]", f"There is no node group {name!r}.", hint)


def _parse_duration(text: str) -> int:
    seconds = parse_span(text or "0")
    if seconds > LONGEST:
        raise ValueError(f"{text} is longer than a year.")
    return seconds
