"""The controller's main: `python -m jupyter_gpuquota.controller [--backend B] [--state-dir DIR]`.

There is one controller for each backend of a state folder. It runs the backend and serves it: on a
unix socket, until it is asked to exit or has been idle for long, or by HTTPS, until it is asked to
exit. Sessions keep running without it.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import math
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb

from jupyter_core.application import JupyterApp
from tornado.httpserver import HTTPServer
from traitlets import Bool, Enum, Float, List, TraitError, Unicode

from .. import __version__
from ..clusters.backend import open_clusters
from ..control.assembly import Plugin
from ..control.config import GpuQuota, moved
from ..errors import GpuQuotaError, Unavailable, Unsupported
from ..hosting import backends, lock
from ..hosting.config_files import Choice, in_config
from ..hosting.locate import locate
from ..hosting.start import REFUSED
from ..ports.backend import Backend
from . import https_mount, unix_mount
from .authentication import AttemptLimit, Authentication, Authenticator, close, load
from .claim import Claim
from .connections import networks
from .log import log_to
from .scraping import Scraping
from .tls import Certificate
from .unix_mount import Traffic

_GOODBYE = 2.0
_LOOK = 2.0
"""Seconds between two checks whether it can be found, and is still needed."""

_FOREGROUND = (
    {"Controller": {"foreground": True}},
    "Log to standard error, and run until asked to exit.",
)

Mount = Callable[[Backend, Traffic, Callable[[], None]], HTTPServer]
"""Returns a server for a backend; the last argument makes the controller exit when called."""

Keep = Callable[[HTTPServer], bool]
"""Restores the lock and socket for clients; returns whether they still belong to us."""

log = logging.getLogger("jupyter_gpuquota.controller")


class Controller(JupyterApp):
    """The controller of sessions, as an application."""

    name = "jupyter-gpuquota"
    description = "The controller of GPU sessions; clients start it when they need it."
    version = __version__
    raise_config_file_errors = True

    idle_exit = Float(
        600.0,
        min=0.0,
        help="""Seconds without sessions and clients after which the controller exits; 0: never.
        With hosting by https it never exits by itself.""",
    ).tag(config=True)

    hosting = Enum(
        ["unix", "https"],
        default_value="unix",
        help="""How clients reach it: `unix`, by its own account through a socket in its folder,
        or `https`, by many users with bearer tokens.""",
    ).tag(config=True)

    address = Unicode(
        "127.0.0.1:8443",
        help="Address for https, as HOST:PORT; 0.0.0.0:8443 for all addresses of this machine.",
    ).tag(config=True)

    certificate = Unicode(
        help="File with the certificate for https and its chain, in PEM format.",
    ).tag(config=True)

    key = Unicode(
        help="File with the key of that certificate, in PEM format, without a passphrase.",
    ).tag(config=True)

    insecure = Bool(
        default_value=False,
        help="""Serve plain HTTP on an address such as 127.0.0.1:8080, for a proxy on this machine
        that terminates TLS and sets X-Forwarded-For.""",
    ).tag(config=True)

    authenticators = List(
        Unicode(),
        help="""Authenticators for the bearer tokens of users, in the order in which they are
        tried: `jupyterhub`, `kubernetes`, `tokens`, or other installed ones.""",
    ).tag(config=True)

    proxies = List(
        Unicode(),
        help="""Addresses and networks of proxies and Hubs through which many clients connect, such
        as 10.0.0.7 or 10.0.0.0/24: the limit of connections for each address is not theirs.""",
    ).tag(config=True)

    metrics = Unicode(
        help="""Address of /metrics for Prometheus, as HOST:PORT: plain HTTP without a login. It
        names projects, but neither people nor sessions. Default: none.""",
    ).tag(config=True)

    foreground = Bool(
        default_value=False,
        help="Run in the foreground, for a terminal or a service manager: see `--foreground`.",
    ).tag(config=True)

    _known: Sequence[Authenticator] = ()

    def initialize(self, argv: list[str] | None = None) -> None:
        """Read jupyter_gpuquota_config and the command line, which takes precedence.

        The files come first: they may choose the backend, whose settings the command line may set.
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
        self.plugin: Plugin = backends.load(self.location.backend)
        self.classes = [type(self), GpuQuota, self.plugin.config]
        self.parse_command_line(argv)

    def start(self) -> None:
        """Run as the location's controller; return at once if there is one already."""
        home = self.location.home
        self._scraping = Scraping(self.metrics)
        mount = self._https() if self.hosting == "https" else self._unix()
        stays = self.foreground or self.hosting == "https"
        config, renamed = moved(self.config)
        shared = GpuQuota(config=config, hosting=self.hosting, controller=self.location.environment)
        own = self.plugin.config(config=config)
        lock.prepare(self.location)
        claim = Claim(self.location)
        if not claim.acquire():
            if stays:
                raise claim.conflict()
            return
        log_to(None if stays else self.location.log)
        for text in renamed:
            log.warning("%s The old name still works.", text)
        backend = open_clusters(self.plugin.open(shared, own, home), shared, home, backends.load)
        idle_exit = math.inf if stays else self.idle_exit or math.inf
        asyncio.run(self._serve(backend, mount, claim.maintain, idle_exit))

    async def _serve(self, backend: Backend, mount: Mount, keep: Keep, idle_exit: float) -> None:
        try:
            await serve(backend, mount, keep, idle_exit)
        finally:
            self._scraping.stop()
            await close(self._known)

    def _unix(self) -> Mount:
        def mount(backend: Backend, traffic: Traffic, leave: Callable[[], None]) -> HTTPServer:
            answers = self._scraping.dispatcher(backend)
            application = unix_mount.application(answers, backend.access, traffic, leave)
            return unix_mount.listen(application, self.location.socket)

        return mount

    def _https(self) -> Mount:
        """Return the mount for many users. Raises Unsupported, TraitError, Unavailable."""
        reason = self.plugin.refuses.get("https")
        if reason:
            raise Unsupported(
                f"The backend {self.location.backend} cannot be hosted by https: {reason}.",
                hint="Choose another backend, or --hosting=unix.",
            )
        address = https_mount.parse_address(self.address)
        certificate = self._certificate()
        https_mount.check(address, encrypted=certificate is not None)
        if not self.authenticators:
            raise Unsupported(
                "Hosting by https needs an authenticator.",
                hint="Set c.Controller.authenticators: jupyterhub, kubernetes, tokens, or others.",
            )
        proxies = networks(self.proxies)
        known = self._known = load(self.authenticators, self)

        def mount(backend: Backend, _traffic: Traffic, _leave: Callable[[], None]) -> HTTPServer:
            authentication = Authentication(known, backend.access, AttemptLimit())
            application = https_mount.application(
                self._scraping.dispatcher(backend), authentication
            )
            context = certificate.context if certificate else None
            return https_mount.listen(application, address, context, proxies=proxies)

        return mount

    def _certificate(self) -> Certificate | None:
        """Return the certificate; None for plain HTTP. Raises Unsupported."""
        if self.insecure:
            if self.certificate:
                raise Unsupported(
                    "Controller.insecure and Controller.certificate exclude each other."
                )
            return None
        if not (self.certificate and self.key):
            raise Unsupported(
                "Hosting by https needs a certificate.",
                hint="Set c.Controller.certificate and c.Controller.key.",
            )
        return Certificate(Path(self.certificate), Path(self.key))


def in_flags(argv: Sequence[str] | None) -> Choice:
    """Return the choice on the command line."""
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
    said = f"jupyter_gpuquota_config is unreadable: {type(error).__name__}: {error}"
    return f"{said} ({where[-1]})" if where else said


async def serve(backend: Backend, mount: Mount, keep: Keep, idle_exit: float) -> None:
    """Serve until asked to exit, idle for long, or replaced."""
    leave = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    if not await _started(backend, leave):
        return
    try:
        traffic = Traffic()
        server = mount(backend, traffic, leave.set)
        log.info("version %s started, process %s", __version__, os.getpid())
        resident = backend.resident
        while keep(server) and not (
            leave.is_set()
            or resident.ended()
            or (resident.idle() and traffic.quiet_for() >= idle_exit)
        ):
            with suppress(TimeoutError):
                async with asyncio.timeout(min(_LOOK, max(0.05, idle_exit / 10))):
                    await leave.wait()
        server.stop()
        hang_up = asyncio.ensure_future(server.close_all_connections())
        await asyncio.wait([hang_up], timeout=_GOODBYE)
        ended = resident.ended()
    finally:
        await backend.resident.close()
    if ended:
        raise Unavailable(ended, hint="Its service manager starts it again.")
    stay = backend.differences.outlives_controller
    log.info("exiting; sessions %s", "keep running" if stay else "end, too")


async def _started(backend: Backend, leave: asyncio.Event) -> bool:
    """Start a backend, which may wait for another controller; return False if asked to exit."""
    starting = asyncio.ensure_future(backend.resident.start())
    leaving = asyncio.ensure_future(leave.wait())
    await asyncio.wait([starting, leaving], return_when=asyncio.FIRST_COMPLETED)
    leaving.cancel()
    if starting.done():
        starting.result()
        return True
    starting.cancel()
    with suppress(asyncio.CancelledError):
        await starting
    await backend.resident.close()
    return False


def main() -> None:
    """Run; print errors to standard error, where the starter reads them."""
    try:
        controller = Controller()
        controller.initialize()
        controller.start()
    except (GpuQuotaError, OSError, TraitError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED)
