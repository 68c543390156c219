"""The controller's main: `python -m jupyter_gpuquota.controller [--backend B] [--state-dir DIR]`.

One for each backend of a state folder. It owns the backend, answers on a unix socket, and leaves
when it is told to or has long had nothing to do; sessions run on without it.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import math
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import extract_tb

from jupyter_core.application import JupyterApp
from tornado.httpserver import HTTPServer
from traitlets import Bool, Float, TraitError

from .. import __version__
from ..api import sockets
from ..api.inprocess import InProcess
from ..control.assembly import Plugin
from ..control.config import GpuQuota, moved
from ..errors import Conflict, GpuQuotaError, Unsupported
from ..hosting import backends, lock
from ..hosting.config_files import Choice, in_config
from ..hosting.locate import Location, locate
from ..ports.backend import Backend
from .unix_mount import Traffic, socket_application

_BODY_LIMIT = 64 * 1024 * 1024
_GOODBYE = 2.0
_HANDOVER = 10.0
_LOG_BYTES = 1024 * 1024

_FOREGROUND = (
    {"Controller": {"foreground": True}},
    "Log to standard error, and stay until told to leave.",
)

log = logging.getLogger("jupyter_gpuquota.controller")


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

    foreground = Bool(
        default_value=False,
        help="Whether a terminal or a service manager looks after it: see `--foreground`.",
    ).tag(config=True)

    def initialize(self, argv: list[str] | None = None) -> None:
        """Read jupyter_gpuquota_config and the command line, which wins.

        The files come first: they may choose the backend, whose settings the command line names.
        """
        self.aliases = {"backend": "GpuQuota.backend", "state-dir": "GpuQuota.state_dir"}
        self.flags = {**self.flags, "foreground": _FOREGROUND}
        try:
            self.load_config_file()
        except Exception as error:
            raise Unsupported(_what_is_wrong(error), hint="Fix the file.") from error
        self.location = locate(in_flags(argv), lambda: in_config(self.config))
        self.plugin: Plugin = backends.find(self.location.backend).load()
        self.classes = [GpuQuota, self.plugin.config]
        self.parse_command_line(argv)

    def start(self) -> None:
        """Become the location's controller, and be it to the end; return if there is one."""
        home = self.location.home
        config, renamed = moved(self.config)
        shared, own = GpuQuota(config=config), self.plugin.config(config=config)
        lock.prepare(self.location)
        if not wait_for_lock(self.location):
            if self.foreground:
                raise Conflict(f"Another controller runs in {home}.", hint="Stop it first.")
            return
        log_to(None if self.foreground else self.location.log)
        for text in renamed:
            log.warning("%s The old name still counts.", text)
        backend = self.plugin.open(shared, own, home)
        idle_exit = math.inf if self.foreground else self.idle_exit
        asyncio.run(serve(backend, self.location.socket, idle_exit))


def in_flags(argv: Sequence[str] | None) -> Choice:
    """Return what the command line names."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--backend", "--GpuQuota.backend", default="")
    parser.add_argument("--state-dir", "--GpuQuota.state_dir", default="")
    parser.add_argument("--LocalConfig.state_dir", dest="old", default="")
    found, _ = parser.parse_known_args(argv)
    own = {"backend": found.backend, "state_dir": found.state_dir}
    return in_config({"GpuQuota": own, "LocalConfig": {"state_dir": found.old}})


def _what_is_wrong(error: Exception) -> str:
    lines = [f"{f.filename} line {f.lineno}" for f in extract_tb(error.__traceback__)]
    where = [line for line in lines if "jupyter_gpuquota_config.py" in line]
    said = f"jupyter_gpuquota_config cannot be read: {type(error).__name__}: {error}"
    return f"{said} ({where[-1]})" if where else said


def wait_for_lock(location: Location) -> bool:
    """Take the lock, or return false because another controller answers there.

    One that is just leaving holds the lock for a moment longer than it answers.
    """
    give_up = time.monotonic() + _HANDOVER
    while lock.lock(location) is None:
        if asyncio.run(_answers(location.socket)) or time.monotonic() > give_up:
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


def log_to(path: Path | None) -> None:
    """Send all logging to a file that never grows large, or to standard error."""
    handler: logging.Handler = logging.StreamHandler()
    if path:
        handler = PrivateLog(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


async def serve(backend: Backend, path: Path, idle_exit: float) -> None:
    """Answer on the socket until told to leave or long idle."""
    leave = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    await backend.resident.start()
    try:
        traffic = Traffic()
        application = socket_application(InProcess(backend), traffic, leave.set)
        server = HTTPServer(application, max_body_size=_BODY_LIMIT)
        server.add_socket(sockets.bind(path))
        log.info("version %s answers, process %s", __version__, os.getpid())
        while not (
            leave.is_set() or (backend.resident.idle() and traffic.quiet_for() >= idle_exit)
        ):
            with suppress(TimeoutError):
                async with asyncio.timeout(min(5.0, max(0.05, idle_exit / 10))):
                    await leave.wait()
        path.unlink(missing_ok=True)
        server.stop()
        hang_up = asyncio.ensure_future(server.close_all_connections())
        await asyncio.wait([hang_up], timeout=_GOODBYE)
    finally:
        await backend.resident.close()
    log.info("left; sessions run on")


def main() -> None:
    """Run; what prevents it goes to standard error, where the starter reads it."""
    try:
        controller = Controller()
        controller.initialize()
        controller.start()
    except (GpuQuotaError, OSError, TraitError) as error:
        sys.exit(str(error))
