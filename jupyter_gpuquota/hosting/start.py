"""Find a controller, start it if nobody answers, replace an older one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

import msgspec

from .. import __version__
from ..errors import NoServer, StorageFailed, VersionMismatch
from ..model.about import API_VERSION, About
from . import backends, lock
from . import detach as starter
from .locate import Location
from .remote import VARIABLES

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
_ASK_TIMEOUT = 10.0
_PAUSE = 0.02
_LAST_WORDS = 2000


def ensure_controller(location: Location, timeout: float = 30.0) -> Path:
    """Return the socket of a controller that answers and understands us. Blocks.

    One of an older version is asked to leave and replaced; its sessions run on. `timeout` in
    seconds bounds the wait for one that starts.

    Raises:
        NoServer: it cannot be started or does not answer; says its last words.
        VersionMismatch: one runs that speaks another version of the interface.
        NotAllowed: another account listens there, or owns the folder.
        Unsupported: there is no such backend.
    """
    path = location.socket
    if usable(path):
        return path
    deadline = time.monotonic() + timeout
    with _Start(location) as start:
        while not usable(path):
            start.check()
            if time.monotonic() > deadline:
                raise start.failure(f"The controller did not answer within {timeout:.0f} s.")
            time.sleep(_PAUSE)
    return path


def require_controller(location: Location) -> Path:
    """Return the socket of a controller that answers; raises NoServer if none runs already."""
    if not usable(location.socket):
        raise NoServer(f"No controller runs in {location.home}.")
    return location.socket


def usable(path: Path) -> bool:
    """Return whether a controller answers that we can work with; one that is older is sent away.

    Raises NoServer, VersionMismatch, NotAllowed.
    """
    import http.client  # noqa: PLC0415 (keeps the import light)

    from .unix import API, RETIRE, UnixConnection  # noqa: PLC0415 (the same)

    connection = UnixConnection(path, _ASK_TIMEOUT)
    try:
        connection.request("GET", f"{API}/about")
        response = connection.getresponse()
        about = _read_about(response.status, response.read(), connection.pid)
        if about.version == __version__ or not _is_older(about.version):
            return True
        # On the same connection: it reaches the very process that said its version.
        connection.request("POST", RETIRE, body=b"{}")
        connection.getresponse().read()
    except (
        FileNotFoundError,
        NotADirectoryError,
        ConnectionError,
        http.client.HTTPException,
    ):
        return False  # nobody there, or just leaving
    except TimeoutError as error:
        raise NoServer(
            f"The controller (process {connection.pid}) does not answer.",
            hint=f"See {path.with_name('controller.log')}; sessions survive its end.",
        ) from error
    except OSError as error:
        raise NoServer(f"The controller's socket {path} cannot be used: {error}.") from error
    finally:
        connection.close()
    return False


def _read_about(status: int, body: bytes, pid: int) -> About:
    if status >= 500:
        raise NoServer(
            f"The controller (process {pid}) answers with an error (HTTP {status}).",
            hint="Its log says more: controller.log in the state folder.",
        )
    try:
        about = msgspec.json.decode(body, type=About)
    except msgspec.MsgspecError as error:
        raise _other_api("an unknown version", pid) from error
    if about.api != API_VERSION:
        raise _other_api(f"version {about.version}", pid)
    return about


def _other_api(version: str, pid: int) -> VersionMismatch:
    return VersionMismatch(
        f"The controller (process {pid}) is of {version} and does not understand {__version__}.",
        hint=f"Install the same version here and there; after `kill {pid}`, which leaves its "
        "sessions running, the next client starts a controller of its own version.",
    )


def _is_older(version: str) -> bool:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 (rarely needed)

    try:
        return Version(version) < Version(__version__)
    except InvalidVersion:
        return False


class _Start:
    """Start the controller, and again where one that was just leaving got in its way."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._log = location.log

    def __enter__(self) -> Self:
        backends.find(self._location.backend)
        try:
            lock.prepare(self._location)
            self._seen = self._log.stat().st_size if self._log.exists() else 0
            self._starter = self._launch()
        except StorageFailed as error:
            raise NoServer(error.message, hint=error.hint) from error
        except OSError as error:
            raise NoServer(f"The controller cannot be started: {error}.") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()

    def check(self) -> None:
        """Raise NoServer if the controller could not start."""
        code = self._starter.poll()
        if code:
            raise self.failure(f"The controller ended at once (exit status {code}).")
        if code == 0:
            self._leave()
            self._starter = self._launch()

    def failure(self, message: str) -> NoServer:
        """Return the error that shows what the controller said last."""
        try:
            size = self._log.stat().st_size
            with self._log.open("rb") as log:
                log.seek(max(self._seen if size >= self._seen else 0, size - _LAST_WORDS))
                words = log.read().decode(errors="replace").strip()
        except OSError:
            words = ""
        said = f" It said:\n{words}" if words else ""
        return NoServer(message + said, hint=f"Its log is {self._log}.")

    def _launch(self) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415 (keeps the import light)

        # What is started on demand is for this account, whatever is configured for all.
        program = [*command(self._location), "--hosting=unix"]
        with self._open_log() as log:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", starter.__file__, *program],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd="/",
                env=clean_environment(os.environ, self._location),
            )

    def _open_log(self) -> BinaryIO:
        return os.fdopen(os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")

    def _leave(self) -> None:
        if self._starter.stdin:
            self._starter.stdin.close()
        self._starter.wait()


def command(location: Location) -> list[str]:
    """Return the command that is the controller."""
    return [sys.executable, "-m", _MODULE, *location.flags]


def clean_environment(found: Mapping[str, str], location: Location) -> dict[str, str]:
    """Return the environment without what belongs to the kernel, terminal or session we are in.

    The controller outlives it, serves others, and hands its environment on to sessions; these
    find it by the backend and the state folder that are named here.
    """
    begins = ("JPY_", "GPUQUOTA_") if "GPUQUOTA_SESSION" in found else ("JPY_",)
    whole = _OF_A_JUPYTER + (_OF_A_SESSION if "GPUQUOTA_SESSION" in found else ())
    kept = {n: v for n, v in found.items() if not n.startswith(begins) and n not in whole}
    return {**kept, **location.environment}
