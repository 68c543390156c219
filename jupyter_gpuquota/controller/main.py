"""The controller's main: `python -m jupyter_gpuquota.controller [--state-dir DIR]`.

One per state folder. It owns the backend, answers on a unix socket, and leaves when it is told
to or has long had nothing to do; sessions run on without it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from contextlib import suppress
from copy import deepcopy
from importlib.metadata import entry_points
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import extract_tb
from typing import Any, Protocol, cast

from jupyter_core.application import JupyterApp
from tornado.httpserver import HTTPServer
from traitlets import Float, TraitError

from .. import __version__
from ..api import sockets
from ..api.inprocess import InProcess
from ..errors import GpuQuotaError, Unsupported
from ..hosting import lock as folder
from ..ports.backend import Backend
from .unix_mount import Traffic, socket_application

_BODY_LIMIT = 64 * 1024 * 1024
_GOODBYE = 2.0
_HANDOVER = 10.0
_LOG_BYTES = 1024 * 1024

log = logging.getLogger("jupyter_gpuquota.controller")


class Resident(Backend, Protocol):
    """Be a backend that lives in a controller."""

    async def start(self) -> None:
        """Load the state and adopt what runs."""

    async def close(self) -> None:
        """Let go of everything; sessions run on."""

    def idle(self) -> bool:
        """Tell whether nothing is left to look after."""


class Controller(JupyterApp):
    """Look after sessions for as long as there are any."""

    name = "jupyter-gpuquota"
    description = "The controller of GPU sessions; it is started by whoever needs it."
    version = __version__
    raise_config_file_errors = True

    idle_exit = Float(
        600.0,
        min=0.0,
        help="Seconds without a session and without a client after which the controller leaves.",
    ).tag(config=True)

    def initialize(self, argv: list[str] | None = None) -> None:
        """Read the command line and jupyter_gpuquota_config."""
        self.backend_class = load_backend("local")
        self.classes = [self.backend_class.Config]
        self.aliases = {"state-dir": f"{self.backend_class.Config.__name__}.state_dir"}
        self.parse_command_line(argv)
        typed = deepcopy(self.cli_config)
        try:
            self.load_config_file()
        except Exception as error:
            raise Unsupported(_what_is_wrong(error), hint="Mend the file.") from error
        self.update_config(typed)

    def start(self) -> None:
        """Become the folder's controller, and be it to the end; return if there is one already."""
        settings = self.backend_class.Config(config=self.config)
        home = Path(settings.state_dir)
        folder.prepare(home)
        if not wait_for_lock(home):
            return
        log_to(home / folder.LOG)
        backend = cast("Resident", self.backend_class(settings))
        asyncio.run(serve(backend, home / folder.SOCKET, self.idle_exit))


def _what_is_wrong(error: Exception) -> str:
    lines = [f"{f.filename} line {f.lineno}" for f in extract_tb(error.__traceback__)]
    where = [line for line in lines if "jupyter_gpuquota_config.py" in line]
    said = f"jupyter_gpuquota_config cannot be read: {type(error).__name__}: {error}"
    return f"{said} ({where[-1]})" if where else said


def load_backend(name: str) -> Any:
    """Load a backend's class by its entry point. Raises Unsupported."""
    found = {entry.name: entry for entry in entry_points(group="jupyter_gpuquota.backends")}
    if name not in found:
        raise Unsupported(
            f"There is no backend {name!r}.", hint=f"Installed are: {', '.join(sorted(found))}."
        )
    return found[name].load()


def wait_for_lock(home: Path) -> bool:
    """Take the folder's lock, or return false because another controller answers there.

    One that is just leaving holds the lock for a moment longer than it answers.
    """
    give_up = time.monotonic() + _HANDOVER
    while folder.lock(home) is None:
        if asyncio.run(_answers(home / folder.SOCKET)) or time.monotonic() > give_up:
            return False
        time.sleep(0.05)
    return True


async def _answers(path: Path) -> bool:
    try:
        stream = await sockets.connect(path)
    except OSError:
        return False
    stream.close()
    return True


class PrivateLog(RotatingFileHandler):
    """Keep the log to the account; a umask would be every session's, too."""

    def _open(self) -> TextIOWrapper:
        number = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(number, "a", encoding=self.encoding)


def log_to(path: Path) -> None:
    """Send all logging to a file that never grows large."""
    handler = PrivateLog(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


async def serve(backend: Resident, path: Path, idle_exit: float) -> None:
    """Answer on the socket until told to leave or long idle."""
    leave = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    await backend.start()
    try:
        traffic = Traffic()
        application = socket_application(InProcess(backend), traffic, leave.set)
        server = HTTPServer(application, max_body_size=_BODY_LIMIT)
        server.add_socket(sockets.bind(path))
        log.info("version %s answers, process %s", __version__, os.getpid())
        while not (leave.is_set() or (backend.idle() and traffic.quiet_for() >= idle_exit)):
            with suppress(TimeoutError):
                async with asyncio.timeout(min(5.0, max(0.05, idle_exit / 10))):
                    await leave.wait()
        path.unlink(missing_ok=True)
        server.stop()
        hang_up = asyncio.ensure_future(server.close_all_connections())
        await asyncio.wait([hang_up], timeout=_GOODBYE)
    finally:
        await backend.close()
    log.info("left; sessions run on")


def main() -> None:
    """Run; what prevents it goes to standard error, where the starter reads it."""
    try:
        controller = Controller()
        controller.initialize()
        controller.start()
    except (GpuQuotaError, OSError, TraitError) as error:
        sys.exit(str(error))
