"""What all resident backends have in common, put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from ..ports.backend import Backend
from ..ports.inventory import Inventory
from .access import ProjectAccess
from .activity_poller import ActivityPoller, ActivitySource
from .administration import Administrator
from .board import Board
from .capabilities import (
    BoardChanges,
    IdlePolicing,
    RecordedHistory,
    ScheduledSessions,
    StoredSettings,
)
from .clock import Clock
from .config import GpuQuota
from .idle import IdleKeeper
from .planning import OwnPlanning
from .recorder import Recorder
from .resident import Readiness, Resident
from .runtime import Runner, SessionStore
from .usage import BoardUsage
from .webhook import Webhook
from .worker import Pace, Worker


@dataclass(frozen=True, slots=True)
class Plugin:
    """A backend as an entry point names it.

    `open` takes the controller's settings, the backend's own and its folder. `config` is the class
    of the backend's own settings, a traitlets Configurable. `refuses` names hostings that must not
    be used with it, each with the reason: what would happen.
    """

    open: Callable[[GpuQuota, Any, Path], Backend]
    config: type[Any]
    refuses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a backend brings along to have its sessions run by our own scheduling core.

    `project` is the one that owns all devices where none is configured, `history` the file of the
    history, None for one in memory.
    """

    board: Board
    store: SessionStore
    runner: Runner
    activity: ActivitySource
    project: str
    history: Path | None = None
    readiness: Readiness | None = None
    pace: Pace = field(default_factory=Pace)
    thread: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, "gpuquota-worker"))


def make_resident(config: GpuQuota, runtime: Runtime, clock: Clock) -> Resident:
    """Return what lives in the controller and looks after the sessions of a runtime."""
    board = runtime.board
    worker = Worker(
        board,
        runtime.store,
        runtime.runner,
        Administrator(config, board, runtime.project),
        clock,
        IdleKeeper(board, clock, config.idle_interval),
        runtime.pace,
    )
    pause = clock.real(timedelta(seconds=config.idle_interval))
    return Resident(
        worker,
        runtime.thread,
        Recorder(config, board, clock, runtime.history),
        ActivityPoller(runtime.activity, pause),
        Webhook(config.webhook),
        runtime.readiness,
    )


def make_backend(
    name: str,
    config: GpuQuota,
    resident: Resident,
    inventory: Inventory,
    owners: Collection[str],
    key: bytes,
) -> Backend:
    """Return the record of a backend whose sessions are scheduled by our own core.

    `owners` are the accounts that are admins where the configuration names none, `key` the secret
    that sessions' tokens are made with. Abilities of the backend's own are added by
    `dataclasses.replace`.
    """
    board = resident.board
    return Backend(
        name=name,
        resident=resident,
        sessions=ScheduledSessions(resident),
        inventory=inventory,
        changes=BoardChanges(board),
        access=ProjectAccess(resident, config.admins, owners, key),
        planning=OwnPlanning(board),
        usage=BoardUsage(board),
        history=RecordedHistory(resident.recorder),
        administration=StoredSettings(resident),
        policing=IdlePolicing(resident, config.idle_interval),
    )
