"""Start a session that was given a place."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from ..control.access import token_of
from ..core.isolation import isolation_of
from ..core.lifecycle import move, note
from ..core.names import mention
from ..errors import FieldError, StorageFailed
from ..model.resources import Placement
from ..model.sessions import LIVE, Session, SessionSpec
from . import logs, prefixes, processes
from .config import LocalConfig
from .devices import Devices
from .folders import Launch, SessionFolder
from .launch import Means, argv_of, config_of, env_of
from .shim import procfs
from .state import State


class Starter:
    """What turns a waiting session into a shim and a process, in the worker thread."""

    def __init__(self, config: LocalConfig, state: State, devices: Devices, key: bytes) -> None:
        self._config = config
        self._state = state
        self._key = key
        self._devices = devices
        self.shims: dict[str, int] = {}
        """The shims that were started in this life of the controller, by session."""

    def start(self, session: Session, placement: Placement) -> str:
        """Start it, and return why that could not be, empty if it could.

        That it starts is on disk before anything is done. Raises StorageFailed; then it waits on.
        """
        folder = self._state.folder(session)
        session = self._placed(session, placement)
        self._state.save(session)
        try:
            self._check(session)
            folder.prepare(self._launch(session, placement, folder))
            self.shims[session.id] = processes.start_shim(folder, str(self._state.path))
        except StorageFailed as error:
            return f"{error.message} {error.hint}"
        except OSError as error:
            return f"{error.strerror or error}."
        return ""

    def _placed(self, session: Session, placement: Placement) -> Session:
        now = datetime.now(UTC)
        spec = session.spec
        shared = spec.share.wants_gpu and not (spec.share.devices or spec.share.mig)
        mps = shared and not placement.simulated and self._devices.mps.answers()
        session = msgspec.structs.replace(
            move(session, "starting", now),
            run=session.run + 1,
            placement=placement,
            isolation=isolation_of(spec.share, simulated=placement.simulated, mps=mps),
        )
        what = "Jupyter Server" if spec.serves_jupyter else spec.command[0]
        session = note(session, f"Reserved {placement.text}", now)
        return note(session, f"Starting {what} from {spec.environment}", now)

    def _check(self, session: Session) -> None:
        """Raise OSError for what has changed since the request was checked."""
        spec = session.spec
        if not os.access(spec.folder, os.R_OK | os.X_OK):
            raise FileNotFoundError(0, f"the folder {spec.folder} cannot be entered any more")
        if spec.serves_jupyter and not prefixes.python_of(spec.environment).exists():
            raise FileNotFoundError(0, f"the environment {spec.environment} has gone")
        live = [s for s in self._state.board.sessions if s.state in LIVE and s.id != session.id]
        for error in taken_ports(spec, live):
            raise FileExistsError(0, error.message.rstrip("."))

    def _launch(self, session: Session, placement: Placement, folder: SessionFolder) -> Launch:
        spec = session.spec
        limited = session.isolation is not None and session.isolation.scope == "process"
        means = Means(
            runtime=str(folder.runtime),
            state_dir=str(self._state.path),
            own_token=token_of(self._key, session.id, session.run),
            token=secrets.token_urlsafe(32),
            port=free_port(),
            python=str(prefixes.python_of(spec.environment)),
            module=prefixes.server_module(spec.environment),
            inherited=os.environ,
            active=prefixes.variable_of(spec.environment),
            root=os.geteuid() == 0,
            mps=self._config.mps_pipe_dir if limited else "",
        )
        return Launch(
            id=session.id,
            run=session.run,
            boot=procfs.boot_id(),
            argv=argv_of(spec, session, means),
            env=env_of(session, placement, means),
            folder=spec.folder,
            grace=min(2.0, self._config.stop_grace),
            log_bytes=self._config.log_bytes,
            log_files=self._config.log_files,
            log_from=logs.end_of(folder.path),
            config=config_of(means) if spec.serves_jupyter else {},
        )


def taken_ports(spec: SessionSpec, others: Iterable[Session]) -> Iterator[FieldError]:
    """Say which of the ports that a session wants to expose are somebody else's."""
    owners = {port: mention([other], spec.project) for other in others for port in other.spec.ports}
    for i, port in enumerate(spec.ports):
        if port in owners:
            message = f"Port {port} is exposed by {owners[port]}."
            yield FieldError(f"ports[{i}]", message, "Take another port.")
        elif not _bindable(port):
            message = f"Port {port} is taken by another program."
            yield FieldError(f"ports[{i}]", message, "Take another port, or end that program.")


def free_port() -> int:
    """Find a port that nothing listens on; if it is taken meanwhile, the server tries others."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _bindable(port: int) -> bool:
    """Tell whether a program could listen; bound to every address, so that any other is seen."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104 (it never listens)
        except OSError:
            return False
    return True
