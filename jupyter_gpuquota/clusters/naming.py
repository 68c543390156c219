"""The names of one cluster, as they are outside and inside of it.

Everything that leaves a cluster passes `Outward`, everything that enters it one of the functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import structs

from ..core.access import Rights
from ..core.usage.history import Window
from ..model.clusters.names import cluster_of, name_in, qualified
from ..model.history import History
from ..model.nodes import Reading
from ..model.previews import Preview
from ..model.quota import Department, Project, ProjectUse, Quota
from ..model.resources import Holding, Node, Placement
from ..model.sessions import Session, SessionRequest, SessionSpec
from ..model.volumes.mounts import VolumeUse
from ..model.volumes.volumes import NewVolume, Volume


@dataclass(frozen=True, slots=True)
class Outward:
    """What leaves a cluster other than the first: its projects and nodes are named after it."""

    cluster: str

    def out(self, name: str) -> str:
        """Return a name as it is outside."""
        return qualified(self.cluster, name)

    def session(self, session: Session) -> Session:
        """Return a session as it is outside."""
        reclaimed = session.reclaimed
        return structs.replace(
            session,
            spec=structs.replace(session.spec, project=self.out(session.spec.project)),
            placement=self.placement(session.placement),
            reclaimed=reclaimed and structs.replace(reclaimed, project=self.out(reclaimed.project)),
        )

    def placement(self, placement: Placement | None) -> Placement | None:
        """Return a placement as it is outside."""
        return placement and structs.replace(placement, node=self.out(placement.node))

    def project(self, project: Project) -> Project:
        """Return a project as it is outside."""
        return structs.replace(project, name=self.out(project.name))

    def node(self, node: Node) -> Node:
        """Return a node as it is outside."""
        return structs.replace(node, name=self.out(node.name))

    def reading(self, reading: Reading) -> Reading:
        """Return a reading as it is outside."""
        return structs.replace(reading, node=self.out(reading.node))

    def holding(self, holding: Holding) -> Holding:
        """Return a holding as it is outside."""
        node = self.out(holding.placement.node)
        return structs.replace(holding, placement=structs.replace(holding.placement, node=node))

    def preview(self, preview: Preview) -> Preview:
        """Return a preview as it is outside."""
        return structs.replace(preview, placement=self.placement(preview.placement))

    def quota(self, quota: Quota) -> Quota:
        """Return the use of projects as it is outside."""
        return structs.replace(
            quota,
            projects=tuple(map(self._use, quota.projects)),
            mine=tuple(map(self.out, quota.mine)),
            default=self.out(quota.default),
            departments=tuple(map(self._department, quota.departments)),
        )

    def history(self, history: History) -> History:
        """Return the use of projects in the past as it is outside."""
        return structs.replace(
            history,
            points=tuple(structs.replace(p, project=self.out(p.project)) for p in history.points),
            users=tuple(structs.replace(u, project=self.out(u.project)) for u in history.users),
        )

    def volume(self, volume: Volume) -> Volume:
        """Return a volume as it is outside."""
        return structs.replace(
            volume,
            project=self.out(volume.project),
            nodes=tuple(map(self.out, volume.nodes)),
            uses=tuple(map(self._volume_use, volume.uses)),
        )

    def rights(self, rights: Rights) -> Rights:
        """Return rights as they are outside."""
        return replace(
            rights,
            roles={self.out(name): role for name, role in rights.roles.items()},
            withheld={self.out(name): needs for name, needs in rights.withheld.items()},
        )

    def _use(self, use: ProjectUse) -> ProjectUse:
        return structs.replace(use, name=self.out(use.name))

    def _department(self, department: Department) -> Department:
        return structs.replace(
            department,
            name=self.out(department.name),
            parent=self.out(department.parent),
            projects=tuple(map(self.out, department.projects)),
        )

    def _volume_use(self, use: VolumeUse) -> VolumeUse:
        return structs.replace(use, project=self.out(use.project), node=self.out(use.node))


def spec_inside(spec: SessionSpec) -> SessionSpec:
    """Return a checked request as it is inside."""
    return structs.replace(spec, project=name_in(spec.project))


def session_inside(session: Session) -> Session:
    """Return a session with its project as it is inside."""
    return structs.replace(session, spec=spec_inside(session.spec))


def request_inside(request: SessionRequest) -> SessionRequest:
    """Return a request as it is inside."""
    return structs.replace(request, project=name_in(request.project))


def project_inside(project: Project) -> Project:
    """Return a project as it is inside."""
    return structs.replace(project, name=name_in(project.name))


def node_inside(node: Node) -> Node:
    """Return a node as it is inside."""
    return structs.replace(node, name=name_in(node.name))


def window_inside(window: Window, names: Outward) -> Window:
    """Return the time that is asked for, with the users that may be named inside."""
    visible = window.elsewhere.get(names.cluster, window.visible)
    if visible:
        own = (name for name in visible.projects if cluster_of(name) == names.cluster)
        visible = replace(visible, projects=frozenset(map(name_in, own)))
    return replace(window, project=name_in(window.project), visible=visible, elsewhere={})


def volume_inside(volume: Volume) -> Volume:
    """Return a volume as it is inside."""
    return structs.replace(volume, project=name_in(volume.project))


def new_volume_inside(wanted: NewVolume) -> NewVolume:
    """Return a request for a volume as it is inside."""
    return structs.replace(wanted, project=name_in(wanted.project))
