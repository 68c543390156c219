"""Check a change of settings as a whole, and return the settings after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...model.projects import Groups, GroupsRequest, SettingsChange
from ...model.quota import Project
from ...model.resources import Node
from .. import members
from ..fields import FieldReader
from ..nodegroups import labelled
from ..projects import Known, check, check_groups, check_rules, find, groups_of
from ..scheduling.snapshot import ClusterSnapshot


@dataclass(frozen=True, slots=True)
class Present:
    """What a change is based on: the present state, the nodes as found, and the groups."""

    snapshot: ClusterSnapshot
    nodes: Sequence[Node]
    groups: Groups


def changed(change: SettingsChange, present: Present) -> ClusterSnapshot:
    """Return the settings after a change; what it does not name stays unchanged.

    Raises InvalidFields with every invalid field of every part, NotFound.
    """
    old = present.snapshot
    for name in change.delete:
        find(name, old.projects)
    reader = FieldReader()
    groups = present.groups
    if change.groups is not None:
        groups = Groups(items=groups_of(change.groups))
        request = GroupsRequest(groups=change.groups)
        reader.take(lambda: check_groups(request, present.nodes, _untouched(change, old)))
    rules = old.rules
    if wanted := change.rules:
        rules = reader.under("rules.").take(lambda: check_rules(wanted)) or rules
    projects = _projects(change, old, Known(nodes=present.nodes, groups=groups), reader)
    reader.finish()
    return replace(old, projects=projects, rules=rules, nodes=labelled(present.nodes, groups))


def _projects(
    change: SettingsChange, old: ClusterSnapshot, known: Known, reader: FieldReader
) -> tuple[Project, ...]:
    """Return the projects after a change, and collect what is wrong with them."""
    found = {project.name: project for project in old.projects}
    names = [request.name for request in change.put]
    for i, request in enumerate(change.put):
        inside = reader.under(f"put[{i}].")
        if request.name in names[:i]:
            inside.wrong("name", "name.twice", name=request.name)
        elif request.name in change.delete:
            inside.wrong("name", "project.deleted", name=request.name)
        project = inside.take(partial(check, request, known))
        if project:
            found[project.name] = project
    return members.without(found.values(), change.delete, old.sessions)


def _untouched(change: SettingsChange, old: ClusterSnapshot) -> list[Project]:
    """Return the unchanged projects; those with sessions outlive their deletion."""
    put = {request.name for request in change.put}
    left = members.without(old.projects, change.delete, old.sessions)
    return [project for project in left if project.name not in put]
