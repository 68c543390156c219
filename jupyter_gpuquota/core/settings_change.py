"""Check a change of settings as a whole, and say what would be there once it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from ..errors import FieldError, InvalidFields, refuse
from ..model.projects import Groups, GroupsRequest, SettingsChange
from ..model.quota import Project
from ..model.resources import Node
from . import members
from .nodegroups import labelled
from .plans import Situation
from .projects import Known, check, check_groups, check_rules, find, groups_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Present:
    """Be what a change is made from: what is, the nodes as they are found, and the groups."""

    situation: Situation
    nodes: Sequence[Node]
    groups: Groups


def changed(change: SettingsChange, present: Present) -> Situation:
    """Return the situation as it would be; what a change does not name stays as it is.

    Raises InvalidFields with every broken field of every part, NotFound.
    """
    old = present.situation
    for name in change.delete:
        find(name, old.projects)
    errors: list[FieldError] = []
    groups = present.groups
    if change.groups is not None:
        groups = Groups(items=groups_of(change.groups))
        request = GroupsRequest(groups=change.groups)
        _gather(errors, lambda: check_groups(request, present.nodes, _untouched(change, old)))
    rules = old.rules
    if wanted := change.rules:
        rules = _gather(errors, lambda: check_rules(wanted, prefix="rules.")) or rules
    projects = _projects(change, old, Known(nodes=present.nodes, groups=groups), errors)
    refuse(errors)
    return replace(old, projects=projects, rules=rules, nodes=labelled(present.nodes, groups))


def _projects(
    change: SettingsChange, old: Situation, known: Known, errors: list[FieldError]
) -> tuple[Project, ...]:
    """Return the projects as they would be, and note what is wrong with those to put in place."""
    found = {project.name: project for project in old.projects}
    names = [request.name for request in change.put]
    for i, request in enumerate(change.put):
        prefix = f"put[{i}]."
        if request.name in names[:i]:
            errors.append(_clash(prefix, f"{request.name} is named twice."))
        elif request.name in change.delete:
            errors.append(_clash(prefix, f"{request.name} is to be deleted, too."))
        project = _gather(errors, partial(check, request, known, prefix=prefix))
        if project:
            found[project.name] = project
    return members.without(found.values(), change.delete, old.sessions)


def _untouched(change: SettingsChange, old: Situation) -> list[Project]:
    """Return the projects that stay as they are; those with sessions outlive their deletion."""
    put = {request.name for request in change.put}
    left = members.without(old.projects, change.delete, old.sessions)
    return [project for project in left if project.name not in put]


def _clash(prefix: str, message: str) -> FieldError:
    return FieldError(f"{prefix}name", message, "Keep one of them.")


def _gather(errors: list[FieldError], work: Callable[[], T]) -> T | None:
    """Return what a check returns, or None and note what is wrong."""
    try:
        return work()
    except InvalidFields as error:
        errors += error.fields
        return None
