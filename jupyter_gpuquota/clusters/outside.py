"""One cluster other than the first, with its names as they are outside.

What takes a session's id and returns no names of the cluster needs no translation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from ..core.access import Caller, Rights
from ..core.idle.policy import Ruling
from ..core.idle.replay import Stretch
from ..core.requests.feasibility import Fit
from ..core.usage.history import Window
from ..errors import FieldError
from ..model.clusters.names import cluster_of, name_in
from ..model.ending import PageReport
from ..model.environments import Environment, LaunchPlace
from ..model.history import History as Past
from ..model.idleness import Activity
from ..model.nodes import Reading
from ..model.pods import ContainerRules
from ..model.policy import Policy
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project, Quota, Rules
from ..model.reasons import Reason
from ..model.resources import Holding, Node, Share
from ..model.sessions import Kind, Session, SessionRequest, SessionSpec
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange
from ..ports.backend import Backend
from ..ports.policing import Policing
from ..ports.usage import History
from ..ports.volumes import Volumes
from .naming import (
    Outward,
    new_volume_inside,
    node_inside,
    project_inside,
    request_inside,
    session_inside,
    spec_inside,
    volume_inside,
    window_inside,
)


class OutsideVolumes:
    """Translates what enters and leaves it."""

    def __init__(self, names: Outward, inner: Volumes) -> None:
        self._out = names.volume
        self._inner = inner

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name."""
        return tuple(map(self._out, self._inner.all()))

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the classes of which volumes can be made."""
        return self._inner.classes(name_in(project))

    def knows(self, project: str) -> bool:
        """Return whether the volumes of a project are known."""
        return self._inner.knows(name_in(project))

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""
        return self._inner.problems()

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder."""
        return self._out(await self._inner.create(new_volume_inside(wanted)))

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume."""
        return self._out(await self._inner.change(volume_inside(volume), change, size))

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered."""
        await self._inner.delete(volume_inside(volume))

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session could not mount these volumes, by field."""
        return await self._inner.check(request_inside(request), name_in(project), mounts, owner)


class OutsideHistory:
    """Translates what enters and leaves it."""

    def __init__(self, names: Outward, inner: History) -> None:
        self._names = names
        self._inner = inner

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a period."""
        return self._names.history(await self._inner.read(window_inside(window, self._names)))


S = TypeVar("S")
T = TypeVar("T")


class Mapped(Generic[S, T]):
    """The elements of a tuple that is replaced as a whole, each mapped once."""

    def __init__(
        self,
        source: Callable[[], tuple[S, ...]],
        each: Callable[[S], T],
        key: Callable[[S], Hashable],
    ) -> None:
        self._source = source
        self._each = each
        self._key = key
        self._from: tuple[S, ...] | None = None
        self._result: tuple[T, ...] = ()
        self._known: dict[Hashable, tuple[S, T]] = {}

    def all(self) -> tuple[T, ...]:
        """Return the mapped tuple: the same one as long as the source is the same."""
        found = self._source()
        if found is not self._from:
            self._known = {self._key(each): self._pair(each) for each in found}
            self._from = found
            self._result = tuple(mapped for _, mapped in self._known.values())
        return self._result

    def _pair(self, item: S) -> tuple[S, T]:
        known = self._known.get(self._key(item))
        return known if known and known[0] is item else (item, self._each(item))


_ELSEWHERE = "Where it is set up, this cluster has more than its sessions: use it there."
_DATA = ("datasets", "caches", "jobs", "lakes", "uses", "snapshots", "streaming", "keeping")


def outside(cluster: str, inner: Backend, first: str) -> Backend:
    """Return the backend of a cluster beside the `first`, with its names as they are outside.

    Settings of admins, datasets and snapshots are those of the first cluster.
    """
    names = Outward(cluster)
    return Backend(
        name=inner.name,
        resident=inner.resident,
        sessions=OutsideSessions(names, inner),
        inventory=OutsideInventory(names, inner),
        changes=inner.changes,
        access=OutsideAccess(names, inner),
        planning=OutsidePlanning(names, inner),
        usage=OutsideUsage(names, inner),
        logs=inner.logs,
        exec=inner.exec,
        terminals=inner.terminals,
        ingress=inner.ingress,
        history=OutsideHistory(names, inner.history) if inner.history else None,
        policing=OutsidePolicing(names, inner.policing) if inner.policing else None,
        runs=inner.runs,
        variables=inner.variables,
        volumes=OutsideVolumes(names, inner.volumes) if inner.volumes else None,
        differences=inner.differences,
        hint=_ELSEWHERE,
        hints=dict.fromkeys(_DATA, _of_first(first, cluster, inner)),
        title=f"The cluster {cluster}",
        failures=inner.failures,
        measured=inner.measured,
        listening=inner.listening,
    )


def _of_first(first: str, cluster: str, inner: Backend) -> str:
    """Return what to do without datasets and snapshots."""
    keep = f", or keep files in a volume of {cluster}" if inner.volumes else ""
    return f"Datasets and snapshots are those of {first}: use a project of {first}{keep}."


class OutsideSessions:
    """The sessions of a cluster."""

    def __init__(self, names: Outward, inner: Backend) -> None:
        self._out = names.session
        self._inner = inner.sessions
        self._known = Mapped(lambda: self._inner.all(), names.session, lambda each: each.id)

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        return self._known.all()

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request."""
        return self._out(await self._inner.create(spec_inside(spec), owner, session_id))

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session."""
        return self._out(await self._inner.stop(session_id, why))

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to suspend a session."""
        return self._out(await self._inner.suspend(session_id, why))

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue."""
        return self._out(await self._inner.resume(session_id, base_url))

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and more volumes."""
        return self._out(await self._inner.resize(session_id, share, added))

    async def delete(self, session_id: str) -> None:
        """Delete a session."""
        await self._inner.delete(session_id)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never started."""
        return await self._inner.withdraw(session_id)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page."""
        await self._inner.put_page(session_id, page, report)


class OutsideInventory:
    """The projects, nodes and environments of a cluster."""

    def __init__(self, names: Outward, inner: Backend) -> None:
        self._names = names
        self._inner = inner.inventory
        self._nodes = Mapped(lambda: self._inner.nodes(), names.node, lambda each: each.name)
        self._projects = Mapped(
            lambda: self._inner.projects(), names.project, lambda each: each.name
        )

    @property
    def source(self) -> str:
        """Where GPUs come from."""
        return self._inner.source

    @property
    def local_files(self) -> bool:
        """Whether sessions see this machine's folders and Python prefixes."""
        return self._inner.local_files

    @property
    def containers(self) -> ContainerRules | None:
        """What options of containers may be."""
        return self._inner.containers

    def projects(self) -> tuple[Project, ...]:
        """Return the projects."""
        return self._projects.all()

    def rules(self) -> Rules:
        """Return the rules for all projects."""
        return self._inner.rules()

    def nodes(self) -> tuple[Node, ...]:
        """Return nodes and devices."""
        return self._nodes.all()

    def readings(self) -> Mapping[str, Reading]:
        """Return the newest reading of each device."""
        return {uuid: self._names.reading(each) for uuid, each in self._inner.readings().items()}

    def fit(
        self, share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
    ) -> Fit:
        """Return a share rounded up to what the cluster's own nodes can give."""
        own = [node_inside(each) for each in nodes if cluster_of(each.name) == self._names.cluster]
        return self._inner.fit(share, kind, node_type, own, project_inside(project))

    async def environments(self) -> tuple[Environment, ...]:
        """Return the environments that sessions may start from."""
        return await self._inner.environments()

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up the environment and the folder that a request names."""
        return await self._inner.look_up(request_inside(request))


class OutsideAccess:
    """The rights of callers by the authority of a cluster."""

    def __init__(self, names: Outward, inner: Backend) -> None:
        self._names = names
        self._inner = inner.access

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's present rights."""
        return self._names.rights(await self._inner.rights(caller))

    async def session_of(self, token: str) -> Session | None:
        """Return the live session to which a token was issued."""
        found = await self._inner.session_of(token)
        return self._names.session(found) if found else None

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log of the cluster what somebody did with a session."""
        await self._inner.acted(caller, session_inside(session), how, why)


class OutsidePlanning:
    """Forecasts of a cluster's engine."""

    def __init__(self, names: Outward, inner: Backend) -> None:
        self._names = names
        self._inner = inner.planning

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user."""
        return self._names.preview(await self._inner.preview(spec_inside(spec), owner))

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position."""
        return await self._inner.position(session_id)

    def starts(self) -> Mapping[str, datetime]:
        """Map queued sessions to when they should start."""
        return self._inner.starts()

    async def try_change(self, project: Project) -> ChangePreview:
        """Return the effect of a project of the cluster's own settings."""
        return await self._inner.try_change(project)


class OutsideUsage:
    """The GPUs in use in a cluster."""

    def __init__(self, names: Outward, inner: Backend) -> None:
        self._names = names
        self._inner = inner.usage

    def quota(self) -> Quota:
        """Return what every project has, uses and requests."""
        return self._names.quota(self._inner.quota())

    def holdings(self) -> tuple[Holding, ...]:
        """Return the GPUs held by workloads that are not our sessions."""
        return tuple(map(self._names.holding, self._inner.holdings()))

    @property
    def interval(self) -> int:
        """The time between two measurements of sessions' utilisation, in seconds."""
        return self._inner.interval

    def utilisation(self) -> Mapping[str, tuple[int, ...]]:
        """Map each session whose GPU utilisation is measured to its last values."""
        return self._inner.utilisation()


class OutsidePolicing:
    """The idle policy of a cluster."""

    def __init__(self, names: Outward, inner: Policing) -> None:
        self._names = names
        self._inner = inner

    def policy(self) -> Policy:
        """Return the policy as it is set in the cluster."""
        return self._inner.policy()

    @property
    def interval(self) -> int:
        """Seconds between two activity checks of a session."""
        return self._inner.interval

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy means for a session now."""
        return await self._inner.ruling(session_id)

    async def activity(self, session_id: str) -> Activity:
        """Return a session's observed activity."""
        return await self._inner.activity(session_id)

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return the recorded activity of all sessions."""
        return await self._inner.recorded(since)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive."""
        return self._names.session(await self._inner.keep_alive(session_id, span))
