"""What a caller may see and do: one rule for lists, details, history, metrics, events and errors.

======== ===================================================================================
need     who may
======== ===================================================================================
anyone   every authenticated caller
person   every caller but a session
see      callers who see the session: members, viewers and leads of its project; see below
inspect  its owner, leads of its project, admins: command, environment, folder, activity
log      the same: what it has written
manage   the same: stop, suspend, keep alive
own      its owner, admins: resume, resize, delete
enter    its owner; an admin too, which is audited: URL and token
exec     the same: programs, terminals
admin    admins
======== ===================================================================================

An admin sees all; a session sees itself, and may inspect and manage itself. A person's program that
runs in a session acts for the person, but never as an admin. What a caller does not see is "not
found". A `Source` of roles may limit this further.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..errors import NotAllowed, Unavailable
from ..model.clusters.names import cluster_of
from ..model.quota import GROUP, Project
from ..model.routes.route import Need
from ..model.sessions import Session
from .names import not_found

Role = Literal["viewer", "member", "lead"]
VolumeRight = Literal["create volumes", "change volumes", "delete volumes"]
"""What a role in a project allows with its volumes; `core.volumes.rights` has the rules."""

_STRANGER: frozenset[Need] = frozenset({"anyone", "person"})
SEEING: frozenset[Need] = _STRANGER | {"see"}
"""What those may who only see a project."""
_LEADS: frozenset[Need] = SEEING | {"inspect", "log", "manage"}
_OWNS: frozenset[Need] = _LEADS | {"own", "enter", "exec"}
_ADMIN: frozenset[Need] = _OWNS | {"admin"}
_SESSION: frozenset[Need] = frozenset({"anyone"})
_ITSELF: frozenset[Need] = _SESSION | {"see", "inspect", "log", "manage"}
_BY_ROLE: dict[Role | None, frozenset[Need]] = {
    "viewer": SEEING,
    "member": SEEING,
    "lead": _LEADS,
    None: _STRANGER,
}
_NOTHING: frozenset[Need | VolumeRight] = frozenset()


FOR_OWNER = "owner:"
"""What precedes a session's token in requests of its owner's programs."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where roles come from, and how refusals explain it.

    `owners` are the roles with which owners have all rights on their sessions, None for no role.
    `who` completes "Only … may." for callers who see a session but may not act on it. `admins`
    says who is an admin. `launching` is the right that launching needs, where lists of members do
    not decide.
    """

    owners: frozenset[Role | None]
    who: Mapping[Need, str]
    admins: str
    launching: str = ""


_LEADING = "its owner {owner}, leads of {project} and admins"
_OWNING = "its owner {owner} and admins"

LISTS = Source(
    owners=frozenset(_BY_ROLE),
    who={
        **dict.fromkeys(("inspect", "log", "manage"), _LEADING),
        **dict.fromkeys(("own", "enter", "exec"), _OWNING),
    },
    admins="Administrators are listed in GpuQuota.admins. Ask one of them.",
)
"""Roles by the members, viewers and leads of projects. An owner needs none of them."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person, or a session that acts for itself.

    `known` is how the caller was identified: `socket`, `jupyterhub`, `kubernetes`, `token` or
    `session`. `session` is the id of a session that acts for itself, empty for a person; `inside`
    that of the session in which a person's program runs, if any. `uid` and `extra` are what the
    authenticator says besides; only whoever knows the authenticator can interpret them.
    """

    name: str
    groups: frozenset[str] = frozenset()
    known: str = ""
    session: str = ""
    inside: str = ""
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def among(self, entries: Iterable[str]) -> bool:
        """Return whether a list of accounts and `group:NAME` entries names the caller."""
        return any(
            entry.removeprefix(GROUP) in self.groups
            if entry.startswith(GROUP)
            else entry == self.name
            for entry in entries
        )


NOBODY = Caller("")
"""The caller in a gateway: the controller identifies the real one."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What one caller may do: everything for an `admin`, else by the role in each project.

    `withheld` is what a role would allow, but not in this project. `unsure` is why only what was
    known before is granted for now. `clusters` are the rights at other clusters, each by its own
    authority; `roles` has the roles of all.
    """

    caller: Caller
    admin: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
    withheld: Mapping[str, frozenset[Need | VolumeRight]] = field(default_factory=dict)
    source: Source = LISTS
    unsure: Unavailable | None = None
    clusters: Mapping[str, Rights] = field(default_factory=dict)

    def of(self, project: str) -> Rights:
        """Return the rights by the authority that decides about a project."""
        return self.clusters.get(cluster_of(project), self) if self.clusters else self

    @property
    def key(self) -> str:
        """What makes this caller's view different from another's."""
        roles = " ".join(f"{name}={role}" for name, role in sorted(self.roles.items()))
        less = " ".join(f"{name}-{sorted(needs)}" for name, needs in sorted(self.withheld.items()))
        others = "".join(f" {name}: {rights.key}" for name, rights in self.clusters.items())
        return f"{self.caller.name} {self.caller.session} {self.admin} {roles} {less}{others}"

    def names(self, project: str) -> bool:
        """Return whether users and sessions of a project may be named to the caller."""
        return self.of(project).admin or project in self.roles

    def launches(self, project: str) -> bool:
        """Return whether the caller may launch in a project."""
        return self.of(project).admin or self.roles.get(project) in {"member", "lead"}

    def lacks(self, right: VolumeRight, project: str) -> bool:
        """Return whether the source of roles withholds a right on volumes in a project."""
        return right in self.of(project).withheld.get(project, _NOTHING)

    def owns(self, session: Session) -> bool:
        """Return whether the caller is the person who owns a session."""
        return not self.caller.session and session.owner == self.caller.name

    def granted(self, session: Session | None = None) -> frozenset[Need]:
        """Return what the caller may do, with a session if one is given."""
        if session and self.clusters and (there := self.of(session.spec.project)) is not self:
            return there.granted(session)
        if self.caller.session:
            itself = session is not None and session.id == self.caller.session
            return _ITSELF if itself else _SESSION
        if self.admin:
            return _ADMIN
        if session is None:
            return _STRANGER
        project = session.spec.project
        role = self.roles.get(project)
        owner = self.owns(session) and role in self.source.owners
        allowed = _OWNS if owner else _BY_ROLE[role]
        withheld = self.withheld.get(project)  # asked for each session of long lists
        return allowed - withheld if withheld else allowed

    def may(self, need: Need, session: Session | None = None) -> bool:
        """Return whether the caller may do what a route needs, with a session if one is given."""
        return need in self.granted(session)

    def check(self, need: Need, session: Session, what: str) -> None:
        """Raise NotFound for a session that the caller does not see, else NotAllowed.

        `what` is the requested action, as a verb: `stop`.
        """
        if self.may(need, session):
            return
        if not self.may("see", session):
            raise not_found(session.id)
        name, project = session.spec.name, session.spec.project
        if self.caller.session:
            raise NotAllowed(
                f"The session {name} may not {what} itself.",
                hint="A session's token reads, stops, suspends and keeps alive that session only.",
            )
        who = self.of(project).source.who[need].format(owner=session.owner, project=project)
        raise NotAllowed(f"You may not {what} {name}.", hint=f"Only {who} may.")

    def check_same_origin(self, session: Session) -> None:
        """Raise NotAllowed for a session that must not be shown on the caller's JupyterLab.

        Its page would act there with the caller's cookies.
        """
        if not self.owns(session):
            raise NotAllowed(
                f"Only {session.owner} can open {session.spec.name}.",
                hint="In your JupyterLab its page could act with your rights.",
            )

    def check_admin(self) -> None:
        """Raise NotAllowed unless the caller is an administrator."""
        self.check_person()
        if self.caller.inside:
            raise NotAllowed(
                "Programs in a session may not act as an administrator.",
                hint="Ask in JupyterLab or in a shell outside of sessions.",
            )
        if not self.may("admin"):
            raise NotAllowed(
                f"{self.caller.name} is not an administrator.",
                hint=self.source.admins,
            )

    def check_person(self) -> None:
        """Raise NotAllowed for a session that acts for more than itself."""
        if not self.may("person"):
            raise NotAllowed(
                "A session's token acts for that session only.",
                hint="Ask with your own token, or in JupyterLab.",
            )


def leads(rights: Rights, project: str) -> bool:
    """Return whether a caller leads a project; admins lead all."""
    return rights.of(project).admin or rights.roles.get(project) == "lead"


def rights_of(caller: Caller, projects: Iterable[Project], *, admin: bool) -> Rights:
    """Return what a caller may do, by the members, viewers and leads of the projects."""
    if caller.session:
        return Rights(caller)
    found = {project.name: role_in(project, caller) for project in projects}
    return Rights(caller, admin, {name: role for name, role in found.items() if role})


def role_in(project: Project, caller: Caller) -> Role | None:
    """Return the strongest role of a caller in a project; without members, all are members."""
    if caller.among(project.leads):
        return "lead"
    if not project.members or caller.among(project.members):
        return "member"
    return "viewer" if caller.among(project.viewers) else None
