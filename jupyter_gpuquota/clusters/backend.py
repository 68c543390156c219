"""Several clusters as one backend: a controller's own, and those of `GpuQuota.clusters`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets.config import Config

from ..control.assembly import Plugin
from ..control.board import Board
from ..control.config import GpuQuota
from ..control.storage.fallbacks import FallbackStore
from ..control.storage.state_folder import make_state_folder
from ..core.access import Caller, Rights
from ..core.idle.policy import NO_POLICY, Ruling
from ..core.idle.replay import Stretch
from ..errors import FieldError, Unavailable, Unsupported
from ..model.idleness import Activity, PresenceRequest
from ..model.policy import Policy
from ..model.programs import (
    ExecContext,
    ExecEvent,
    ExecRequest,
    ExecResult,
    TerminalEvent,
    TerminalInput,
    TerminalRequest,
)
from ..model.sessions import Endpoint, LogChunk, LogQuery, Session, SessionRequest
from ..model.snapshots.runs import RunList
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange
from ..ports.backend import Backend, require
from ..ports.policing import Policing
from ..ports.volumes import Volumes
from .figures import UnitedInventory, UnitedUsage
from .history import UnitedHistory
from .members import Member, Members
from .mover import Mover
from .placed import ClusterFallbacks, PlacedPlanning, PlacedSessions
from .sessions import UnitedChanges, UnitedSessions

if TYPE_CHECKING:
    from ..ports.runs import Runs
    from ..ports.sessions import Exec, Ingress, Terminals
    from ..ports.variables import KernelVariables


FOLDER, FILE = "clusters", "fallbacks.sqlite"

Load = Callable[[str], Plugin]
"""Returns an installed backend by its name. Raises Unsupported."""


def open_clusters(first: Backend, control: GpuQuota, home: Path, load: Load) -> Backend:
    """Return the backend of all configured clusters; `first` itself if it is the only one.

    Each of the others has its folder below `home`. Raises Unsupported, TraitError, StorageFailed.
    """
    if not control.clusters:
        return first
    name = control.cluster_name or first.name
    if name in control.clusters:
        raise Unsupported(f"Two clusters are named {name}.", hint="Set c.GpuQuota.cluster_name.")
    own = Member(name, lambda: first, name)
    others = [
        Member(other, _opening(other, entry, control, home, load), name)
        for other, entry in control.clusters.items()
    ]
    folder = home / FOLDER
    make_state_folder(folder)
    return united(Members([own, *others]), FallbackStore(folder / FILE), control.fallback_wait)


def united(members: Members, store: FallbackStore, wait: int) -> Backend:
    """Return several clusters as one backend.

    What has no project is that of the first one: settings of admins, templates, datasets,
    snapshots. An optional capability is there if one of them has it.
    """
    first, own = members.first.backend, Board()
    every = [member.backend for member in members.members.values()]
    changes, sessions = UnitedChanges(members, own), UnitedSessions(members)
    mover = Mover(members, sessions, changes, store, own)
    placed = PlacedSessions(sessions, mover)

    def able(name: str, made: Callable[[Members], Any]) -> Any:
        return made(members) if any(name in each.capabilities for each in every) else None

    return replace(
        first,
        resident=UnitedResident(members, own, mover),
        sessions=placed,
        inventory=UnitedInventory(members),
        changes=changes,
        access=UnitedAccess(members),
        planning=PlacedPlanning(members, placed),
        usage=UnitedUsage(members, changes.revision),
        logs=able("logs", UnitedLogs),
        exec=able("exec", UnitedExec),
        terminals=able("terminals", UnitedTerminals),
        ingress=able("ingress", UnitedIngress),
        history=able("history", UnitedHistory),
        policing=able("policing", UnitedPolicing),
        runs=able("runs", UnitedRuns),
        variables=able("variables", UnitedVariables),
        volumes=able("volumes", UnitedVolumes),
        fallbacks=ClusterFallbacks(mover, wait),
        clusters=members,
        failures=lambda: sum(each.failures() for each in members.usable()),
        measured=lambda session: members.of(session.spec.project).measured(session),
        listening=lambda session: members.of(session.spec.project).listening(session),
    )


def _opening(
    name: str, entry: dict[str, Any], control: GpuQuota, home: Path, load: Load
) -> Callable[[], Backend]:
    """Return what opens a configured cluster. Raises Unsupported, TraitError."""
    plugin = load(entry["backend"])
    if reason := plugin.refuses.get(control.hosting):
        raise Unsupported(
            f"The backend {entry['backend']} of the cluster {name} cannot be hosted by "
            f"{control.hosting}: {reason}.",
            hint="Choose another backend for it.",
        )
    config = Config({key: value for key, value in entry.items() if key != "backend"})
    shared = GpuQuota(config=config, hosting=control.hosting, controller=control.controller)
    return partial(plugin.open, shared, plugin.config(config=config), home / FOLDER / name)


class UnitedAccess:
    """Asks every cluster; the entries of the audit log are in that of the first one."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's present rights.

        At a cluster that cannot be used, or cannot tell, a caller has none for now.
        """
        first = await self._members.first.backend.access.rights(caller)
        found = {member.name: Rights(caller) for member in self._members.others}
        for member in self._members.others:
            if not member.problem:
                try:
                    found[member.name] = await member.backend.access.rights(caller)
                except Unavailable as error:
                    found[member.name] = Rights(caller, unsure=error)
        roles = {name: role for each in found.values() for name, role in each.roles.items()}
        return replace(first, roles={**first.roles, **roles}, clusters=found)

    async def session_of(self, token: str) -> Session | None:
        """Return the live session to which a token was issued; None for any other token.

        Raises Unavailable if no cluster knows it, and one of them cannot tell.
        """
        problem: Unavailable | None = None
        for backend in self._members.usable():
            try:
                if found := await backend.access.session_of(token):
                    return found
            except Unavailable as error:
                problem = error
        if problem:
            raise problem
        return None

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log what somebody did with another user's session, and why."""
        await self._members.first.backend.access.acted(caller, session, how, why)


class UnitedPolicing:
    """The policy that is set and previewed is the first cluster's."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def policy(self) -> Policy:
        """Return the policy of the first cluster."""
        able = self._members.first.backend.policing
        return able.policy() if able else NO_POLICY

    @property
    def interval(self) -> int:
        """Seconds between two activity checks of a session in the first cluster."""
        return self._first.interval

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy means for a session now. Raises NotFound, Unsupported."""
        return await self._of(session_id).ruling(session_id)

    async def activity(self, session_id: str) -> Activity:
        """Return a session's observed activity. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).activity(session_id)

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return the recorded activity of the sessions of the first cluster."""
        return await self._first.recorded(since)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, Unsupported."""
        return await self._of(session_id).keep_alive(session_id, span)

    def _of(self, session_id: str) -> Policing:
        return _able(self._members.having(session_id))

    @property
    def _first(self) -> Policing:
        return _able(self._members.first.backend)


def _able(backend: Backend) -> Policing:
    return require(backend, "policing", backend.policing)


_MOMENT = 2.0
"""Seconds that the start waits at most for other clusters: most are there at once."""


class UnitedResident:
    """Starts the first cluster at once, and the others whenever they can be reached."""

    def __init__(self, members: Members, own: Board, mover: Mover) -> None:
        self._members = members
        self._own = own
        self._mover = mover
        self._starting: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the first cluster, and begin to start the others. Raises as the first one."""
        await self._members.first.start()
        self._starting = [
            asyncio.create_task(member.keep_trying(self._changed))
            for member in self._members.others
        ]
        await self._mover.start()
        await asyncio.wait(self._starting, timeout=_MOMENT)

    async def close(self) -> None:
        """Release all resources; sessions keep running."""
        await self._mover.close()
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        self._starting = []
        for member in (*self._members.others, self._members.first):
            await member.close()

    def idle(self) -> bool:
        """Return whether no session of a cluster that can be used needs the controller."""
        idle = all(backend.resident.idle() for backend in self._members.usable())
        return idle and self._mover.is_idle

    def ended(self) -> str:
        """Return why the controller has to exit, empty while it may go on."""
        ends = (backend.resident.ended() for backend in self._members.usable())
        return next(filter(None, ends), "")

    def _changed(self) -> None:
        """Let all screens read again: what belongs to a cluster comes and goes with it."""
        for noun in ("sessions", "quota", "nodes", "volumes"):
            self._own.touch(noun)


class UnitedVolumes:
    """Passes each call on to the cluster of the project."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name."""
        return tuple(volume for each in self._able() for volume in each.all())

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the classes of which volumes can be made, by default in the first cluster."""
        able = self._members.of(project).volumes
        return able.classes(project) if able else ()

    def knows(self, project: str) -> bool:
        """Return whether the volumes of a project are known."""
        able = self._members.of(project).volumes
        return able.knows(project) if able else False

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""
        return tuple(text for each in self._able() for text in each.problems())

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder."""
        return await self._of(wanted.project).create(wanted)

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume."""
        return await self._of(volume.project).change(volume, change, size)

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered."""
        await self._of(volume.project).delete(volume)

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session could not mount these volumes, by field."""
        return await self._of(project).check(request, project, mounts, owner)

    def _of(self, project: str) -> Volumes:
        backend = self._members.of(project)
        return require(backend, "volumes", backend.volumes)

    def _able(self) -> list[Volumes]:
        return [each.volumes for each in self._members.usable() if each.volumes]


class UnitedLogs:
    """The output of sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return part of a log. Raises NotFound, Unsupported."""
        backend = self._members.having(session_id)
        return await require(backend, "logs", backend.logs).read(session_id, query)


class UnitedExec:
    """Programs inside sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).execute(session_id, request)

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield its output. Raises as `execute`."""
        async with aclosing(self._of(session_id).stream(session_id, request)) as events:
            async for event in events:
                yield event

    async def context(self, session_id: str) -> ExecContext:
        """Return the session's environment variables and folder. Raises as `execute`."""
        return await self._of(session_id).context(session_id)

    def _of(self, session_id: str) -> Exec:
        backend = self._members.having(session_id)
        return require(backend, "exec", backend.exec)


class UnitedTerminals:
    """Terminals inside sessions that run elsewhere."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def open(
        self, session_id: str, request: TerminalRequest
    ) -> AsyncGenerator[TerminalEvent]:
        """Open a terminal and yield what it shows. Raises NotFound, WrongState, Unsupported."""
        async with aclosing(self._of(session_id).open(session_id, request)) as events:
            async for event in events:
                yield event

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        """Send input to a terminal, or resize it. Raises NotFound, Unsupported."""
        await self._of(session_id).type(session_id, terminal, typed)

    def _of(self, session_id: str) -> Terminals:
        backend = self._members.having(session_id)
        return require(backend, "terminals", backend.terminals)


class UnitedIngress:
    """Where sessions listen."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a running session listens. Raises NotFound, WrongState, NotAllowed."""
        return await self._of(session_id).endpoint(session_id, port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound, Unsupported."""
        await self._of(session_id).presence(session_id, seen)

    def _of(self, session_id: str) -> Ingress:
        backend = self._members.having(session_id)
        return require(backend, "ingress", backend.ingress)


class UnitedRuns:
    """Runs of sessions that MLflow has recorded."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def of(self, session_id: str) -> RunList:
        """Return the newest runs of a session. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).of(session_id)

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run; return why that failed. Raises NotFound, Unsupported."""
        return await self._of(session_id).tag(session_id, run, tags)

    def _of(self, session_id: str) -> Runs:
        backend = self._members.having(session_id)
        return require(backend, "runs", backend.runs)


class UnitedVariables:
    """Variables of the kernels of sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> Mapping[str, str]:
        """Let a kernel write variables. Raises NotFound, WrongState."""
        return await self._of(session_id).write(session_id, names, notebook, dump)

    async def forget(self, session_id: str, notebook: str) -> None:
        """Remove what is kept for the next kernel of a notebook."""
        await self._of(session_id).forget(session_id, notebook)

    def _of(self, session_id: str) -> KernelVariables:
        backend = self._members.having(session_id)
        return require(backend, "variables", backend.variables)
