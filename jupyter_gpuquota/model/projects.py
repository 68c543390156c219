"""What admins set: projects, node groups and rules, and the record of who changed what."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .base import UNCHANGED, Model, Number, Open, Request
from .quota import Project
from .resources import gpus_text

Effect = Literal["starts", "waits", "reclaimed", "moves", "keeps", "ends"]
SetBy = Literal["config", "store", "file"]


class AffinityRequest(Request, frozen=True, kw_only=True):
    """Name the node groups that a project's sessions may run on; empty means any."""

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()


class ProjectRequest(Request, frozen=True, kw_only=True):
    """Ask for a project as it is to be, in the words an admin types; see `core.projects.check`.

    `quota`, `weight` and `limit` are numbers of GPUs (`4`, `2.5`); without a weight it is the
    quota, without a limit there is none. Durations are seconds or `8h`, `90m`, `1h30m`; 0 is
    none. `revision` is that of the project that the request was made from, empty for a new one:
    it is refused if somebody else was quicker.
    """

    quota: Number
    name: str = ""
    weight: Number | None = None
    limit: Number | None = None
    priority: int = 100
    members: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
    node_affinity: AffinityRequest = AffinityRequest()
    interactive_duration: Number = 0
    min_runtime: Number = 0
    revision: str = ""


class ProjectRemoval(Request, frozen=True, kw_only=True):
    """Say how a project is to go.

    With `drain` it starts nothing any more and goes when the last of its sessions has ended.
    `revision` is that of the project as it was read, empty for whichever it is.
    """

    drain: bool = False
    revision: str = ""


class NodeGroupRequest(Request, frozen=True, kw_only=True):
    """A request for one node group; see `NodeGroup`."""

    name: str
    nodes: tuple[str, ...] = ()
    separate: bool = False


class GroupsRequest(Request, frozen=True, kw_only=True):
    """Ask for the node groups as they are to be; `revision` is that of the groups read."""

    groups: tuple[NodeGroupRequest, ...] = ()
    revision: str = ""


class RulesRequest(Request, frozen=True, kw_only=True):
    """Ask for the rules as they are to be; `revision` is that of the rules read.

    Durations are seconds or `8h`, `90m`.
    """

    grace: Number = 60
    min_runtime: Number = 0
    consolidate: bool = False
    revision: str = ""


class SettingsChange(Request, frozen=True, kw_only=True):
    """Ask what a change would do: to projects, to rules, to node groups, or to several at once.

    `put` are projects to put in place, `delete` names of those to delete. `rules` and `groups`
    are all of them as they are to be; null leaves them as they are. No revision is looked at.
    """

    put: tuple[ProjectRequest, ...] = ()
    delete: tuple[str, ...] = ()
    rules: RulesRequest | None = None
    groups: tuple[NodeGroupRequest, ...] | None = None


class NodeGroup(Model, frozen=True, kw_only=True):
    """Nodes under a name that projects and requests may ask for.

    With `separate` set, sessions that share compute and sessions that share memory alone never
    run side by side on its nodes (ACK's rule).
    """

    name: str
    nodes: tuple[str, ...] = ()
    separate: bool = False


class Groups(Model, frozen=True, kw_only=True):
    """List the node groups."""

    items: tuple[NodeGroup, ...] = ()
    revision: str = UNCHANGED


class Projects(Model, frozen=True, kw_only=True):
    """List the projects as they are set.

    `source` says who sets them: `config`, until an admin changes something; then `store`; or the
    quota `file`, whose path stands in `file`: it is changed there and nowhere else. `warnings`
    are what an admin may not have meant. `revision` is another one after every change of
    what is set, held or waits.
    """

    items: tuple[Project, ...]
    source: Open[SetBy]
    revision: str
    file: str = ""
    warnings: tuple[str, ...] = ()


class ProjectAnswer(Model, frozen=True, kw_only=True):
    """A project as it is after a change, None if it is gone.

    `sessions` names those that it is drained of; `warnings` are as in `Projects`.
    """

    project: Project | None = None
    sessions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ProjectEffect(Model, frozen=True, kw_only=True):
    """Say what a change would do to one project, in milli-GPU."""

    name: str
    quota_before: int
    quota: int
    fair_before: int
    fair: int
    allocated_before: int
    allocated: int


class SessionEffect(Model, frozen=True, kw_only=True):
    """Say what a change would do to one session, in plain words."""

    session: str
    name: str
    project: str
    effect: Open[Effect]
    message: str


class PastEffect(Model, frozen=True, kw_only=True):
    """Say what a change would have meant for a project over the last week.

    Both are milli-GPU hours, compared with the quotas that there are: `gained` of what it waited
    for would have been inside its fair share, `lost` of what it held beyond it. Below 0 it is
    the other way round.
    """

    name: str
    gained: int
    lost: int


class ChangePreview(Model, frozen=True, kw_only=True):
    """Say what a change would do to the present state, and would have done; `message` sums up.

    `past` is empty where no history is kept, or nothing would have been different.
    """

    message: str
    projects: tuple[ProjectEffect, ...] = ()
    sessions: tuple[SessionEffect, ...] = ()
    past: tuple[PastEffect, ...] = ()
    warnings: tuple[str, ...] = ()


class AuditQuery(Request, frozen=True, kw_only=True):
    """Ask for a page of the audit log, newest first."""

    limit: int = 100
    cursor: str = ""


class AuditEntry(Model, frozen=True, kw_only=True):
    """Say who changed what and when; `before` and `after` are JSON, empty for nothing."""

    id: str
    at: datetime
    who: str
    what: str
    before: str = ""
    after: str = ""


def request_of(project: Project) -> ProjectRequest:
    """Return the request that asks for a project as it is, to be changed in part."""
    return ProjectRequest(
        name=project.name,
        quota=gpus_text(project.quota),
        weight=None if project.weight is None else gpus_text(project.weight),
        limit=None if project.limit is None else gpus_text(project.limit),
        priority=project.priority,
        members=project.members,
        leads=project.leads,
        viewers=project.viewers,
        node_affinity=AffinityRequest(
            interactive=project.node_affinity.interactive, train=project.node_affinity.train
        ),
        interactive_duration=project.interactive_duration,
        min_runtime=project.min_runtime,
        revision=project.revision,
    )


def group_request_of(group: NodeGroup) -> NodeGroupRequest:
    """Return the request that asks for a node group as it is."""
    return NodeGroupRequest(name=group.name, nodes=group.nodes, separate=group.separate)
