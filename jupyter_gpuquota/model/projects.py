"""What administrators set: projects, node groups and rules, and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from .quota import Project
from .resources import gpus_text
from .struct import ADDED, UNCHANGED, Message, Model, Number, Open, Request

Effect = Literal["starts", "waits", "reclaimed", "keeps", "ends"]
SetBy = Literal["config", "store", "file", "engine"]


class AffinityRequest(Request, frozen=True, kw_only=True):
    """Request for the node groups that a project may use; empty means any."""

    interactive: tuple[str, ...] = ()
    train: tuple[str, ...] = ()


class ProjectRequest(Request, frozen=True, kw_only=True):
    """Request for a project, as an administrator types it; see `core.projects.check`.

    `quota`, `weight` and `limit` are numbers of GPUs (`4`, `2.5`); the default weight is the quota,
    the default limit none. Durations are seconds or `8h`, `90m`, `1h30m`; 0 is none. `revision` is
    that of the project it is based on, empty for a new one: an outdated one is refused.
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
    """Request to delete a project.

    With `drain` it starts no sessions and is deleted when the last of its sessions has ended.
    `revision` is that of the project it is based on, empty for any.
    """

    drain: bool = False
    revision: str = ""


class NodeGroupRequest(Request, frozen=True, kw_only=True):
    """A request for one node group; see `NodeGroup`."""

    name: str
    nodes: tuple[str, ...] = ()
    separate: bool = False


class GroupsRequest(Request, frozen=True, kw_only=True):
    """Request for all node groups; `revision` is that of the groups it is based on."""

    groups: tuple[NodeGroupRequest, ...] = ()
    revision: str = ""


class RulesRequest(Request, frozen=True, kw_only=True):
    """Request for all rules; `revision` is that of the rules it is based on.

    Durations are seconds or `8h`, `90m`.
    """

    grace: Number = 60
    min_runtime: Number = 0
    consolidate: bool = False
    revision: str = ""


class NodeGroup(Model, frozen=True, kw_only=True):
    """Nodes under a name that projects and requests may refer to.

    With `separate` set, sessions that share compute and sessions that share memory alone are never
    placed together on its nodes (ACK's rule).
    """

    name: str
    nodes: tuple[str, ...] = ()
    separate: bool = False


class Groups(Model, frozen=True, kw_only=True):
    """The node groups."""

    items: tuple[NodeGroup, ...] = ()
    revision: str = UNCHANGED


class Projects(Model, frozen=True, kw_only=True):
    """The projects.

    `source` is who sets them: `config`, until an administrator changes something; then `store`; or
    the quota `file`, whose path is in `file` and which is the only place to change them; or the
    cluster's `engine`. `warnings` are settings that an administrator may not have intended.
    `revision` changes with every change of what is set, held or queued.
    """

    items: tuple[Project, ...]
    source: Open[SetBy]
    revision: str
    file: str = ""
    warnings: tuple[str, ...] = ()


class ProjectAnswer(Model, frozen=True, kw_only=True):
    """A project after a change, None if it was deleted.

    `sessions` names those that it is drained of; `warnings` are as in `Projects`.
    """

    project: Project | None = None
    sessions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ProjectEffect(Model, frozen=True, kw_only=True):
    """The effect of a change on one project, in milli-GPU."""

    name: str
    quota_before: int
    quota: int
    fair_before: int
    fair: int
    allocated_before: int
    allocated: int


class SessionEffect(Model, frozen=True, kw_only=True):
    """The effect of a change on one session; `sentences` are those of `message`."""

    session: str
    name: str
    project: str
    effect: Open[Effect]
    message: str
    sentences: Annotated[tuple[Message, ...], ADDED] = ()


class ChangePreview(Model, frozen=True, kw_only=True):
    """What a change of a project would do to the present state; `message` sums up.

    `sentences` are those of `message`, with their keys.
    """

    message: str
    sentences: Annotated[tuple[Message, ...], ADDED] = ()
    projects: tuple[ProjectEffect, ...] = ()
    sessions: tuple[SessionEffect, ...] = ()
    warnings: tuple[str, ...] = ()


class SettingsText(Model, frozen=True, kw_only=True):
    """All that admins set, as the text of a quota file; `revision` is that of the text.

    `file` is the path of the quota file that sets it all, empty where it is changed here.
    """

    text: str
    revision: str
    file: str = ""


class SettingsTextRequest(Request, frozen=True, kw_only=True):
    """Request for all settings, as the text of a quota file, with the revision it is based on."""

    text: str
    revision: str


class AuditQuery(Request, frozen=True, kw_only=True):
    """Request for a page of the audit log, newest first."""

    limit: int = 100
    cursor: str = ""


class AuditEntry(Model, frozen=True, kw_only=True):
    """Who changed what and when; `before` and `after` are JSON, empty for nothing.

    `sentence` is `what` with its key, where the catalog has it.
    """

    id: str
    at: datetime
    who: str
    what: str
    sentence: Annotated[Message | None, ADDED] = None
    before: str = ""
    after: str = ""


def request_of(project: Project) -> ProjectRequest:
    """Return the request for an existing project, to be changed in part."""
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
    """Return the request for an existing node group."""
    return NodeGroupRequest(name=group.name, nodes=group.nodes, separate=group.separate)
