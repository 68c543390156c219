"""Find a controller, start it if none runs, replace an older one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from ..environ import SESSION
from ..errors import NoServer, StorageFailed
from . import backends, lock, takeover
from . import detach as starter
from .handshake import usable
from .locate import Location
from .remote import VARIABLES
from .unresponsive import on_another_machine, unreachable

if TYPE_CHECKING:
    import subprocess

_MODULE = "jupyter_gpuquota.controller"
_OF_A_SESSION = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
    "JUPYTER_RUNTIME_DIR",
)
_OF_A_JUPYTER = (
    "JUPYTERHUB_API_TOKEN",
    "JUPYTER_SERVER_ROOT",
    "JUPYTER_SERVER_URL",
    "JUPYTER_TOKEN",
    *VARIABLES,
)
REFUSED = 78
"""Exit status of a controller whose last words say why it cannot run (EX_CONFIG of sysexits.h)."""
_PAUSE = 0.02
_LONGEST = 120.0
"""Seconds after which a start that still goes on is no longer waited for."""
_LAST_WORDS = 2000


def ensure_controller(location: Location, timeout: float = 30.0) -> Path:
    """Return the socket of a compatible controller that responds. Blocks.

    An older one is asked to exit and replaced; its sessions keep running. Of several clients one
    starts it, and the others wait for that. `timeout` limits the wait for a controller that nobody
    is starting, in seconds: on a busy machine a start takes longer.

    Raises:
        NoServer: it cannot be started or does not respond; the message has its last output.
        VersionMismatch: the running one has another version of the interface.
        NotAllowed: another account listens there, or owns the folder.
        Unsupported: the backend is not installed.
    """
    if usable(location):
        return location.socket
    begun = now = time.monotonic()
    deadline, latest = begun + timeout, begun + _LONGEST
    with _Start(location) as start:
        while not usable(location):
            start.step()
            now = time.monotonic()
            if start.goes_on and now < latest:
                deadline = now + timeout
            elif now > deadline:
                raise start.late(now - begun)
            time.sleep(_PAUSE)
    return location.socket


def require_controller(location: Location) -> Path:
    """Return the socket of a running controller; raises NoServer if none is running."""
    if not usable(location):
        raise NoServer(f"No controller is running in {location.home}.")
    return location.socket


class _Start:
    """Starts the controller if none runs, and again if one that was exiting was in its way.

    It holds a lock from then on, so that other clients wait instead of starting one, too.
    """

    def __init__(self, location: Location) -> None:
        self._location = location
        self._log = location.log
        self._starter: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None
        self.goes_on = False
        """Whether this client or another one was starting the controller at the last step."""

    def __enter__(self) -> Self:
        backends.find(self._location.backend)
        with _naming_no_server():
            lock.prepare(self._location)
        self._seen = self._log.stat().st_size if self._log.exists() else 0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()
        if self._lock is not None:
            os.close(self._lock)

    def step(self) -> None:
        """Start the controller unless one runs, or another client or newer version starts one.

        Raises NoServer if it could not start, or runs on another machine.
        """
        if self._starter is None:
            held = self._holder()
            if held and not held.is_here:
                raise on_another_machine(self._location, held)
            self.goes_on = not held
            if not (held or takeover.newer(self._location)) and self._is_ours():
                self._starter = self._launch()
            return
        code = self._starter.poll()
        self.goes_on = code is None
        if code == REFUSED:
            raise self._failure("The controller cannot start.")
        if code:
            raise self._failure(f"The controller exited at once (status {code}).")
        if code == 0:
            self._leave()

    def late(self, seconds: float) -> NoServer:
        """Return the error after waiting in vain for so many seconds."""
        if held := self._holder():
            return unreachable(self._location, held, seconds)
        return self._failure(f"The controller did not respond within {seconds:.0f} s.")

    def _holder(self) -> lock.Holder | None:
        with _naming_no_server():
            return lock.holder(self._location)

    def _is_ours(self) -> bool:
        """Return whether it is this client that starts the controller."""
        if self._lock is None:
            with _naming_no_server():
                self._lock = lock.lock_start(self._location)
        return self._lock is not None

    def _failure(self, message: str) -> NoServer:
        """Return the error with the controller's last output."""
        try:
            size = self._log.stat().st_size
            with self._log.open("rb") as log:
                log.seek(max(self._seen if size >= self._seen else 0, size - _LAST_WORDS))
                words = log.read().decode(errors="replace").strip()
        except OSError:
            words = ""
        said = f"\n{words}" if words else ""
        return NoServer(message + said, hint=f"Its log is {self._log}.")

    def _launch(self) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415 (keeps the import light)

        # A controller started on demand serves this account, whatever is configured for all.
        program = [*command(self._location), "--hosting=unix"]
        try:
            with self._open_log() as log:
                return subprocess.Popen(
                    [sys.executable, "-I", "-S", starter.__file__, *program],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    cwd="/",
                    env=clean_environment(os.environ, self._location),
                )
        except OSError as error:
            raise NoServer(f"The controller cannot be started: {error}.") from error

    def _open_log(self) -> BinaryIO:
        return os.fdopen(os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")

    def _leave(self) -> None:
        starter, self._starter = self._starter, None
        if starter and starter.stdin:
            starter.stdin.close()
            starter.wait()


@contextmanager
def _naming_no_server() -> Iterator[None]:
    """Raise NoServer where the folder of the controller cannot be used."""
    try:
        yield
    except StorageFailed as error:
        raise NoServer(error.message, hint=error.hint) from error


def command(location: Location) -> list[str]:
    """Return the command line of the controller."""
    return [sys.executable, "-m", _MODULE, *location.flags]


def clean_environment(found: Mapping[str, str], location: Location) -> dict[str, str]:
    """Return the environment without the variables of the kernel, terminal or session we run in.

    The controller outlives these, serves others, and passes its environment on to sessions, which
    find it by the backend and state folder set here.
    """
    begins = ("JPY_", "GPUQUOTA_") if SESSION in found else ("JPY_",)
    whole = _OF_A_JUPYTER + (_OF_A_SESSION if SESSION in found else ())
    kept = {n: v for n, v in found.items() if not n.startswith(begins) and n not in whole}
    return {**kept, **location.environment}
