"""Sessions that take a moment to start and to end; nothing can be done inside of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from traitlets import Float
from traitlets.config import Configurable

from jupyter_gpuquota.control.assembly import Plugin, Runtime, make_backend, make_resident
from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.capabilities import BoardInventory
from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.idle.activity_poller import Readings
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.core.idle.policy import Limits
from jupyter_gpuquota.core.lifecycle import finish_end, move
from jupyter_gpuquota.core.usage.isolation import isolation_of
from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.memory.runner import MemoryStore
from jupyter_gpuquota.model.environments import Environment, LaunchPlace
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Device, Node, Placement
from jupyter_gpuquota.model.sessions import Session, SessionRequest, SessionSpec
from jupyter_gpuquota.ports.backend import Backend

ENVIRONMENT = Environment(id="lab", label="lab", image="registry.example/lab:1", default=True)
DEVICES = tuple(
    Device(index=i, uuid=f"SCRATCH-{i}", model="T4", memory=16_384, simulated=True)
    for i in range(4)
)


class ScratchConfig(Configurable):
    """Settings of the scratch backend."""

    moment = Float(0.05, help="Seconds that starting and ending take.").tag(config=True)


class ScratchRunner:
    """What lets time pass."""

    def __init__(self, board: Board, moment: float) -> None:
        self._board = board
        self._moment = moment
        self._since: dict[str, float] = {}

    def open(self) -> Inventory:
        return Inventory((Node(name="scratch", devices=DEVICES),))

    def close(self) -> None:
        pass

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterable[FieldError]:
        return ()

    def start(self, session: Session, placement: Placement) -> None:
        self._since[session.id] = time.monotonic()
        isolation = isolation_of(session.spec.share, simulated=True, mps=False)
        started = msgspec.structs.replace(
            move(session, "starting", datetime.now(UTC)),
            run=session.run + 1,
            placement=placement,
            isolation=isolation,
        )
        self._board.show(started)

    def observe(self, session: Session) -> None:
        since = self._since.setdefault(f"{session.id} {session.state}", time.monotonic())
        if time.monotonic() - since < self._moment:
            return
        if session.state == "starting":
            self.ready(session, "")
        elif session.state == "stopping":
            self._since.clear()
            self._board.show(finish_end(session, datetime.now(UTC)))

    def ready(self, session: Session, message: str) -> None:
        self._board.show(move(session, "running", datetime.now(UTC)))

    def give_up(self, session: Session, reason: Reason) -> None:
        self._board.show(move(session, "stopping", datetime.now(UTC), reason))

    def measure(self) -> Inventory | None:
        return None

    def step(self) -> None:
        pass


class ScratchInventory(BoardInventory):
    """One image to start from."""

    source = "simulated"
    local_files = False

    async def environments(self) -> tuple[Environment, ...]:
        return (ENVIRONMENT,)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        known = request.environment in {"", ENVIRONMENT.id, ENVIRONMENT.image}
        return LaunchPlace(environment=ENVIRONMENT if known else None, folder="/")


class Silent:
    """Nothing is known of what sessions do."""

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Readings:
        return {}

    async def close(self) -> None:
        pass


def open_scratch(control: GpuQuota, config: ScratchConfig, home: Path) -> Backend:
    """Return the backend."""
    board = Board()
    runtime = Runtime(
        board=board,
        store=MemoryStore(board),
        runner=ScratchRunner(board, config.moment),
        activity=Silent(),
        project="scratch",
    )
    resident = make_resident(control, runtime, Clock())
    admins = ["admin"]
    return make_backend(
        "scratch", control, resident, ScratchInventory(board), admins, os.urandom(32)
    )


PLUGIN = Plugin(open_scratch, ScratchConfig)
