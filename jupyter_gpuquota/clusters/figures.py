"""Projects, nodes, forecasts and use of all clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import structs

from ..core.requests.feasibility import Fit
from ..model.environments import Environment, LaunchPlace
from ..model.nodes import Reading
from ..model.pods import ContainerRules
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project, Quota, Rules
from ..model.resources import Holding, Node, Share
from ..model.sessions import Kind, SessionRequest, SessionSpec
from ..ports.backend import Backend
from ..ports.inventory import Inventory
from .members import Members

T = TypeVar("T")
V = TypeVar("V")


class UnitedInventory:
    """The projects and nodes of all clusters; what has no project is of the first one."""

    def __init__(self, members: Members) -> None:
        self._members = members

    @property
    def source(self) -> str:
        """Where the GPUs of the first cluster come from."""
        return self._first.source

    @property
    def local_files(self) -> bool:
        """Whether sessions of the first cluster see this machine's folders."""
        return self._first.local_files

    @property
    def containers(self) -> ContainerRules | None:
        """What options of containers may be in the first cluster."""
        return self._first.containers

    def projects(self) -> tuple[Project, ...]:
        """Return the projects."""
        return _joined(self._members, lambda each: each.inventory.projects())

    def rules(self) -> Rules:
        """Return the rules for all projects of the first cluster."""
        return self._first.rules()

    def nodes(self) -> tuple[Node, ...]:
        """Return nodes and devices."""
        return _joined(self._members, lambda each: each.inventory.nodes())

    def readings(self) -> Mapping[str, Reading]:
        """Return the newest reading of each device, by its UUID."""
        return _mapped(each.inventory.readings() for each in self._members.usable())

    def fit(
        self, share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
    ) -> Fit:
        """Return a share rounded up to what the nodes of the project's cluster can give."""
        here = self._members.of(project.name).inventory
        own = {node.name for node in here.nodes()}
        there = [node for node in nodes if node.name in own]
        return here.fit(share, kind, node_type, there, project)

    async def environments(self) -> tuple[Environment, ...]:
        """Return the environments of the first cluster."""
        return await self._first.environments()

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up the environment and the folder that a request names."""
        return await self._members.of(request.project).inventory.look_up(request)

    @property
    def _first(self) -> Inventory:
        return self._members.first.backend.inventory


class UnitedPlanning:
    """The forecasts of each cluster's engine."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user."""
        return await self._members.of(spec.project).planning.preview(spec, owner)

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound."""
        return await self._members.having(session_id).planning.position(session_id)

    def starts(self) -> Mapping[str, datetime]:
        """Map queued sessions to when they should start, where that is known."""
        return _mapped(each.planning.starts() for each in self._members.usable())

    async def try_change(self, project: Project) -> ChangePreview:
        """Return the effect of a project of the first cluster."""
        return await self._members.first.backend.planning.try_change(project)


class UnitedUsage:
    """The GPUs in use in all clusters."""

    def __init__(self, members: Members, revision: Callable[[str], str]) -> None:
        self._members = members
        self._revision = revision

    def quota(self) -> Quota:
        """Return what every project has, uses and requests, and the sums of all clusters."""
        first, *others = [each.usage.quota() for each in self._members.usable()]
        every = [first, *others]
        return structs.replace(
            first,
            projects=tuple(use for each in every for use in each.projects),
            capacity=sum(each.capacity for each in every),
            allocated=sum(each.allocated for each in every),
            free=sum(each.free for each in every),
            others=sum(each.others for each in every),
            simulated=any(each.simulated for each in every),
            mine=tuple(name for each in every for name in each.mine),
            default=next((each.default for each in every if each.default), ""),
            departments=tuple(found for each in every for found in each.departments),
            revision=self._revision("quota"),
        )

    def holdings(self) -> tuple[Holding, ...]:
        """Return the GPUs held by workloads that are not our sessions."""
        return _joined(self._members, lambda each: each.usage.holdings())

    @property
    def interval(self) -> int:
        """The time between two measurements in the first cluster, in seconds."""
        return self._members.first.backend.usage.interval

    def utilisation(self) -> Mapping[str, tuple[int, ...]]:
        """Map each session whose GPU utilisation is measured to its last values, in per cent."""
        return _mapped(each.usage.utilisation() for each in self._members.usable())


def _joined(members: Members, part: Callable[[Backend], tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(found for each in members.usable() for found in part(each))


def _mapped(found: Iterable[Mapping[str, V]]) -> Mapping[str, V]:
    return {key: value for each in found for key, value in each.items()}
