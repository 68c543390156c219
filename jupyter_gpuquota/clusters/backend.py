"""Several clusters as one backend: a controller's own, and those of `GpuQuota.clusters`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from traitlets.config import Config

from ..control.assembly import Plugin
from ..control.board import Board
from ..control.config import GpuQuota
from ..control.storage.fallbacks import FallbackStore
from ..control.storage.state_folder import make_state_folder
from ..errors import Unsupported
from ..ports.backend import Backend
from .access import UnitedAccess
from .changes import UnitedChanges
from .figures import UnitedInventory, UnitedUsage
from .history import UnitedHistory
from .members import Member, Members
from .mover import Mover
from .placed import ClusterFallbacks, PlacedPlanning, PlacedSessions
from .policing import UnitedPolicing
from .programs import (
    UnitedExec,
    UnitedIngress,
    UnitedLogs,
    UnitedRuns,
    UnitedTerminals,
    UnitedVariables,
)
from .resident import UnitedResident
from .sessions import UnitedSessions
from .volumes import UnitedVolumes

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
