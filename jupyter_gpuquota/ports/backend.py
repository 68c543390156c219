"""A backend: one record of its capabilities. An optional capability that it lacks is None.

Every method may be called from one event loop at any time and never blocks it; methods that are not
coroutines return at once, from memory. Errors are those of `errors`; an engine's own do not escape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Protocol, TypeVar

from ..core.lists.recent import RecentLists
from ..errors import Unsupported
from ..model.clusters.names import cluster_of
from ..model.resources import Usage as Use
from ..model.sessions import Session
from .access import Access
from .administration import Administration
from .changes import Changes
from .datasets import Caches, DataAdministration, Datasets, DataUses, Jobs
from .fallbacks import Fallbacks
from .inventory import Inventory
from .planning import Planning
from .policing import Policing
from .runs import Runs
from .sessions import Exec, Ingress, Logs, Sessions, Terminals
from .snapshots import SnapshotKeeping, Snapshots, SnapshotStreaming
from .templates import Templates
from .usage import History, Usage
from .variables import KernelVariables
from .volumes import Volumes

T = TypeVar("T")


class Resident(Protocol):
    """The part of a backend that a controller starts and closes."""

    async def start(self) -> None:
        """Load the state and adopt running sessions. Raises StorageFailed, VersionMismatch."""

    async def close(self) -> None:
        """Release all resources; sessions keep running."""

    def idle(self) -> bool:
        """Return whether no session needs the controller, which may then exit."""

    def ended(self) -> str:
        """Return why the controller has to exit, empty while it may go on."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Legitimate differences between engines, for the contract tests.

    `names_reclaimer`: a reclaimed session names the session that preempted it. `knows_position`: a
    queued session has a position in its project's queue. `stops_at_once`: stopping a queued
    session returns it as `stopped`. `orders_within_a_second`: sessions that are created within
    a second are listed in that order. `outlives_controller`: sessions run on without it.
    `on_this_machine`: its programs can enter sessions. `lends`: a project may use what others do
    not, until they need it. `withdraws_commands`: a queued session with a command can be withdrawn.
    """

    names_reclaimer: bool = True
    knows_position: bool = True
    stops_at_once: bool = True
    orders_within_a_second: bool = True
    outlives_controller: bool = True
    on_this_machine: bool = True
    lends: bool = True
    withdraws_commands: bool = True


def _lack(words: str) -> dict[str, str]:
    """Return the mark of an optional capability; `words` complete "The … backend …" without it."""
    return {"lack": words}


def _none() -> int:
    return 0


async def _noted(session: Session) -> Use | None:
    return session.usage


async def _elsewhere(_session: Session) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend and its capabilities; `hint` says how to get those that it could have but lacks.

    `hints` say it of single ones. `title` is how an error names it, by default by its `name`. Where
    it has several `clusters`, these are the backend of each by its name, the first one first.
    `lists` are those of sessions that were read lately, `failures` returns how often it has failed
    to bring a session to where it should be,
    `measured` what a session has used of its GPUs, None where that is not known, `listening` the
    ports of this machine at which its programs listen.
    """

    name: str
    resident: Resident
    sessions: Sessions
    inventory: Inventory
    changes: Changes
    access: Access
    planning: Planning
    usage: Usage
    logs: Logs | None = field(default=None, metadata=_lack("has no logs"))
    exec: Exec | None = field(default=None, metadata=_lack("cannot run programs inside sessions"))
    terminals: Terminals | None = field(
        default=None, metadata=_lack("opens terminals in pages of sessions only")
    )
    ingress: Ingress | None = field(
        default=None, metadata=_lack("cannot show sessions in a browser")
    )
    history: History | None = field(default=None, metadata=_lack("has no usage history"))
    administration: Administration | None = field(
        default=None, metadata=_lack("has its projects set elsewhere")
    )
    policing: Policing | None = field(default=None, metadata=_lack("does not act on idle sessions"))
    datasets: Datasets | None = field(default=None, metadata=_lack("has no datasets"))
    caches: Caches | None = field(default=None, metadata=_lack("caches no datasets"))
    jobs: Jobs | None = field(default=None, metadata=_lack("runs no jobs on datasets"))
    lakes: DataAdministration | None = field(
        default=None, metadata=_lack("has no settings for datasets")
    )
    uses: DataUses | None = field(default=None, metadata=_lack("does not record what sessions use"))
    snapshots: Snapshots | None = field(default=None, metadata=_lack("takes no snapshots"))
    streaming: SnapshotStreaming | None = field(
        default=None, metadata=_lack("streams no files of snapshots: it exports them to a folder")
    )
    keeping: SnapshotKeeping | None = field(
        default=None, metadata=_lack("takes and removes no snapshots by itself")
    )
    runs: Runs | None = field(default=None, metadata=_lack("reads no runs of MLflow"))
    variables: KernelVariables | None = field(
        default=None, metadata=_lack("does not ask kernels for their variables")
    )
    volumes: Volumes | None = field(default=None, metadata=_lack("has no shared volumes"))
    fallbacks: Fallbacks | None = field(default=None, metadata=_lack("has one cluster only"))
    templates: Templates | None = field(default=None, metadata=_lack("keeps no templates"))
    differences: Differences = Differences()
    hint: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    clusters: Mapping[str, Backend] = field(default_factory=dict)
    failures: Callable[[], int] = _none
    lists: RecentLists = field(default_factory=RecentLists)
    measured: Callable[[Session], Awaitable[Use | None]] = _noted
    listening: Callable[[Session], Awaitable[tuple[int, ...]]] = _elsewhere

    def at(self, project: str) -> Backend:
        """Return the backend of the cluster of a project: this one if there is only one."""
        if not self.clusters:
            return self
        name = cluster_of(project)
        return self.clusters[name if name in self.clusters else next(iter(self.clusters))]

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The names of the optional capabilities that this backend has."""
        return tuple(name for name in CAPABILITIES if getattr(self, name) is not None)


CAPABILITIES: Mapping[str, str] = {
    part.name: part.metadata["lack"] for part in fields(Backend) if "lack" in part.metadata
}
"""The optional capabilities, and the phrase for a backend without them."""


def require(backend: Backend, name: str, ability: T | None) -> T:
    """Return the capability `backend.<name>`, given as `ability`. Raises Unsupported if None."""
    if ability is None:
        offers = f"It offers: {', '.join(backend.capabilities) or 'nothing optional'}."
        raise Unsupported(
            f"{backend.title or f'The {backend.name} backend'} {CAPABILITIES[name]}.",
            hint=backend.hints.get(name) or backend.hint or offers,
        )
    return ability
