"""The controller's main: `python -m jupyter_gpuquota.controller [--backend B] [--state-dir DIR]`.

One for each backend of a state folder. It owns the backend and answers: on a unix socket, until it
is told to leave or has long had nothing to do, or by HTTPS, until it is told to leave. Sessions run
on without it.
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb

from jupyter_core.application import JupyterApp
from tornado.httpserver import HTTPServer
from traitlets import Bool, Enum, Float, List, TraitError, Unicode

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
from . import https_mount, unix_mount
from .attempts import Attempts
from .authenticators.base import load
from .gate import Gate
from .log import log_to
from .tls import Certificate
from .unix_mount import Traffic

_GOODBYE = 2.0
_HANDOVER = 10.0

_FOREGROUND = (
    {"Controller": {"foreground": True}},
    "Log to standard error, and stay until told to leave.",
)

Mount = Callable[[Backend, Traffic, Callable[[], None]], HTTPServer]
"""Return a server that answers with a backend; what is called last makes the controller leave."""

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
        help="""Seconds without a session and without a client after which the controller leaves;
        0: never. Hosted by https it never leaves by itself.""",
    ).tag(config=True)

    hosting = Enum(
        ["unix", "https"],
        default_value="unix",
        help="""How it is reached: `unix`, by its own account on a socket in the state folder, or
        `https`, by many people who send bearer tokens.""",
    ).tag(config=True)

    address = Unicode(
        "127.0.0.1:8443",
        help="Where https listens, as HOST:PORT; 0.0.0.0:8443 for all addresses of this machine.",
    ).tag(config=True)

    certificate = Unicode(
        help="File with the certificate of https and its chain, in PEM format.",
    ).tag(config=True)

    key = Unicode(
        help="File with the key of that certificate, in PEM format and without a passphrase.",
    ).tag(config=True)

    insecure = Bool(
        default_value=False,
        help="""Whether https answers without TLS on an address such as 127.0.0.1:8080, for a
        proxy on this machine that ends TLS and sets X-Forwarded-For.""",
    ).tag(config=True)

    authenticators = List(
        Unicode(),
        help="""What knows the bearer tokens of people, asked in this order: `jupyterhub`,
        `tokens`, or others that are installed.""",
    ).tag(config=True)

    foreground = Bool(
        default_value=False,
        help="Whether a terminal or a service manager looks after it: see `--foreground`.",
    ).tag(config=True)

    def initialize(self, argv: list[str] | None = None) -> None:
        """Read jupyter_gpuquota_config and the command line, which wins.

        The files come first: they may choose the backend, whose settings the command line names.
        """
        self.aliases = {
            "backend": "GpuQuota.backend",
            "state-dir": "GpuQuota.state_dir",
            "hosting": "Controller.hosting",
        }
        self.flags = {**self.flags, "foreground": _FOREGROUND}
        try:
            self.load_config_file()
        except Exception as error:
            raise Unsupported(_what_is_wrong(error), hint="Fix the file.") from error
        self.location = locate(in_flags(argv), lambda: in_config(self.config))
        self.plugin: Plugin = backends.find(self.location.backend).load()
        self.classes = [type(self), GpuQuota, self.plugin.config]
        self.parse_command_line(argv)

    def start(self) -> None:
        """Become the location's controller, and be it to the end; return if there is one."""
        home = self.location.home
        mount = self._https() if self.hosting == "https" else self._unix()
        stays = self.foreground or self.hosting == "https"
        config, renamed = moved(self.config)
        shared, own = GpuQuota(config=config), self.plugin.config(config=config)
        lock.prepare(self.location)
        if not wait_for_lock(self.location):
            if stays:
                raise Conflict(f"Another controller runs in {home}.", hint="Stop it first.")
            return
        log_to(None if stays else self.location.log)
        for text in renamed:
            log.warning("%s The old name still counts.", text)
        backend = self.plugin.open(shared, own, home)
        idle_exit = math.inf if stays else self.idle_exit or math.inf
        asyncio.run(serve(backend, mount, idle_exit))

    def _unix(self) -> Mount:
        def mount(backend: Backend, traffic: Traffic, leave: Callable[[], None]) -> HTTPServer:
            dispatcher = InProcess(backend)
            application = unix_mount.application(dispatcher, backend.access, traffic, leave)
            return unix_mount.listen(application, self.location.socket)

        return mount

    def _https(self) -> Mount:
        """Return the mount for many people. Raises Unsupported, TraitError, Unavailable."""
        reason = self.plugin.refuses.get("https")
        if reason:
            raise Unsupported(
                f"https does not host the backend {self.location.backend}: {reason}.",
                hint="Choose another backend, or --hosting=unix.",
            )
        address = https_mount.parse_address(self.address)
        certificate = self._certificate()
        https_mount.check(address, encrypted=certificate is not None)
        if not self.authenticators:
            raise Unsupported(
                "https needs something that knows tokens.",
                hint="Name it in c.Controller.authenticators: jupyterhub, tokens, or another.",
            )
        known = load(self.authenticators, self)

        def mount(backend: Backend, _traffic: Traffic, _leave: Callable[[], None]) -> HTTPServer:
            gate = Gate(known, backend.access, Attempts())
            application = https_mount.application(InProcess(backend), gate)
            context = certificate.context if certificate else None
            return https_mount.listen(application, address, context)

        return mount

    def _certificate(self) -> Certificate | None:
        """Return what to encrypt with; None for plain HTTP. Raises Unsupported."""
        if self.insecure:
            if self.certificate:
                raise Unsupported("Controller.insecure leaves the certificate without a use.")
            return None
        if not (self.certificate and self.key):
            raise Unsupported(
                "https needs a certificate.",
                hint="Set c.Controller.certificate and c.Controller.key.",
            )
        return Certificate(Path(self.certificate), Path(self.key))


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


async def serve(backend: Backend, mount: Mount, idle_exit: float) -> None:
    """Answer until told to leave or long idle."""
    leave = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    await backend.resident.start()
    try:
        traffic = Traffic()
        server = mount(backend, traffic, leave.set)
        log.info("version %s answers, process %s", __version__, os.getpid())
        while not (
            leave.is_set() or (backend.resident.idle() and traffic.quiet_for() >= idle_exit)
        ):
            with suppress(TimeoutError):
                async with asyncio.timeout(min(5.0, max(0.05, idle_exit / 10))):
                    await leave.wait()
        server.stop()
        hang_up = asyncio.ensure_future(server.close_all_connections())
        await asyncio.wait([hang_up], timeout=_GOODBYE)
    finally:
        await backend.resident.close()
    stay = backend.differences.outlives_controller
    log.info("left%s", "; sessions run on" if stay else ", and sessions with it")


def main() -> None:
    """Run; what prevents it goes to standard error, where the starter reads it."""
    try:
        controller = Controller()
        controller.initialize()
        controller.start()
    except (GpuQuotaError, OSError, TraitError) as error:
        sys.exit(str(error))
