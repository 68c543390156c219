"""Start a session that has been placed."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from ...control.access import token_of
from ...control.session_server.settings import server_config
from ...core.lifecycle import move, note
from ...core.names import mention
from ...core.usage.isolation import isolation_of
from ...errors import FieldError, StorageFailed
from ...model.messages.build import field_error, message
from ...model.messages.formats import place_arg
from ...model.resources import Placement
from ...model.sessions import LIVE, Session, SessionSpec
from ...model.struct import Message
from ...unix_paths import folder_for
from .. import prefixes
from ..config import LocalConfig
from ..folders.folders import Launch, SessionFolder
from ..gpus.devices import Devices
from ..processes import processes
from ..processes.accounts import is_shared
from ..shim import namespaces, procfs
from ..state.state import State
from . import logs
from .launch_spec import LaunchContext, argv_of, env_of
from .links import SessionLinks, datasets_of, volumes_of


class Launcher:
    """Starts the shim and the process of queued sessions. Runs in the worker thread."""

    def __init__(
        self, config: LocalConfig, state: State, devices: Devices, key: bytes, links: SessionLinks
    ) -> None:
        self._links = links
        self._config = config
        self._state = state
        self._key = key
        self._devices = devices
        self.shims: dict[str, int] = {}
        """The pids of shims started by this run of the controller, by session."""

    def start(self, session: Session, placement: Placement) -> str:
        """Start a session; return why it could not be started, empty if it was.

        The state `starting` is on disk first. Raises StorageFailed; the session stays queued then.
        """
        self._state.folders.held.check()
        folder = self._state.folder(session)
        session = self._placed(session, placement)
        self._state.save(session)
        try:
            self._check(session)
            folder.prepare(self._launch(session, placement, folder))
            self._links.make(session)
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
        session = note(session, message("progress.placed", place=place_arg(placement)), now)
        return note(session, _starting(spec), now)

    def _check(self, session: Session) -> None:
        """Raise OSError if the request has become impossible since it was validated."""
        spec = session.spec
        if not os.access(spec.folder, os.R_OK | os.X_OK):
            raise FileNotFoundError(0, f"the folder {spec.folder} is no longer accessible")
        if spec.serves_jupyter and not prefixes.python_of(spec.environment).exists():
            raise FileNotFoundError(0, f"the environment {spec.environment} no longer exists")
        live = [s for s in self._state.board.sessions if s.state in LIVE and s.id != session.id]
        for error in taken_ports(spec, live):
            raise FileExistsError(0, error.message.rstrip("."))

    def _launch(self, session: Session, placement: Placement, folder: SessionFolder) -> Launch:
        spec = session.spec
        limited = session.isolation is not None and session.isolation.scope == "process"
        sockets = folder_for(folder.runtime / "sockets")
        context = LaunchContext(
            runtime=str(folder.runtime),
            workspaces=str(folder.workspaces),
            state_dir=str(self._state.path),
            token=secrets.token_urlsafe(32),
            sockets=str(sockets),
            python=str(prefixes.python_of(spec.environment)),
            module=prefixes.server_module(spec.environment),
            inherited=os.environ,
            active=prefixes.variable_of(spec.environment),
            root=os.geteuid() == 0,
            mps=self._config.mps_pipe_dir if limited else "",
            datasets=str(datasets_of(folder.path)),
            volumes=str(volumes_of(folder.path)),
            controller=self._state.controller,
        )
        return Launch(
            id=session.id,
            run=session.run,
            boot=procfs.boot_id(),
            argv=(*self._protected(session), *argv_of(spec, session, context)),
            env=env_of(session, placement, context),
            folder=spec.folder,
            grace=min(2.0, self._config.stop_grace),
            log_bytes=self._config.log_bytes,
            log_files=self._config.log_files,
            log_from=logs.end_of(folder.path),
            config=self._server_config(session, context.token),
            token=token_of(self._key, session.id, session.run),
            sockets=str(sockets) if spec.serves_jupyter else "",
        )

    def _server_config(self, session: Session, token: str) -> dict[str, dict[str, object]]:
        if not session.spec.serves_jupyter:
            return {}
        allowed = self._config.debugger
        debugger = not is_shared(os.getuid()) if allowed is None else allowed
        return server_config(session, token, debugger=debugger)

    def _protected(self, session: Session) -> tuple[str, ...]:
        """Return what goes before a program that may not write all that it mounts."""
        folders = self._links.read_only(session)
        if not folders:
            return ()
        return (sys.executable, "-I", "-S", namespaces.__file__, "mount", *folders, "--")


def taken_ports(spec: SessionSpec, others: Iterable[Session]) -> Iterator[FieldError]:
    """Yield an error for each port of a request that is already in use."""
    owners = {port: mention([other], spec.project) for other in others for port in other.spec.ports}
    for i, port in enumerate(spec.ports):
        if port in owners:
            args = {"port": str(port), "sessions": owners[port]}
            yield field_error(f"ports[{i}]", "port.exposed", **args)
        elif not _bindable(port):
            yield field_error(f"ports[{i}]", "port.used", port=str(port))


def _bindable(port: int) -> bool:
    """Return whether a port is free on every address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104 (it never listens)
        except OSError:
            return False
    return True


def _starting(spec: SessionSpec) -> Message:
    if spec.serves_jupyter:
        return message("progress.server", environment=spec.environment)
    return message("progress.command", command=spec.command[0], environment=spec.environment)
