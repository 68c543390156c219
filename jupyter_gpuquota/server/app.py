"""The Jupyter Server extension: a gateway to the controller, the ingress, and events."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp

from ..api.dispatch import Dispatcher
from ..environ import URL
from ..errors import LaunchedElsewhere
from ..hosting.config_files import Choice, in_config
from ..hosting.locate import Location, locate
from ..hosting.remote import in_environment
from ..hosting.start import ensure_controller
from ..model.about import Change
from ..model.addresses import outer_base
from .connections import Connections
from .events import SCHEMA, SCHEMA_ID, watch
from .gateway import Gateway
from .ingress.hosts.addresses import hosts_of, lab_names
from .ingress.mount import mount
from .ingress.presence import Presence
from .ingress.request import ProxyContext
from .ingress.targets import Targets
from .job_starts import JobStarts, starter
from .jupyter_mount import api_handlers
from .kernelspecs import Kernelspecs, spec_files
from .metrics import Snapshot, count_ingress
from .private_kernels import keep_private
from .request_defaults import RequestDefaults
from .upstreams import NoController, OwnController, RemoteController, Upstream

if TYPE_CHECKING:
    from jupyter_events import EventLogger

_AFTER_START = 1.0
"""Seconds after the start before the controller is contacted, so that it does not slow it down."""


class GpuQuotaApp(ExtensionApp):
    """The extension application that adds GPU sessions to a Jupyter Server."""

    name = "gpuquota"
    description = "GPU sessions with team quotas"
    _watch: asyncio.Task[None] | None = None
    _before: Mapping[str, str | None] = {}
    _controller: Mapping[str, str] = {}
    _kernelspecs: Kernelspecs | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._opened = ExitStack()

    def initialize_handlers(self) -> None:
        """Mount the REST interface and the ingress."""
        server = self._server()
        hosts = hosts_of(self.config, server.base_url, lab_names(server))
        self.gateway = Gateway(self._upstream())
        self._opened.callback(self.gateway.close)
        root = str(server.root_dir)
        dispatcher = RequestDefaults(
            JobStarts(self.gateway, root, starter()), outer_base(server.base_url), root
        )
        self.handlers.extend(api_handlers(dispatcher))
        self.context = ProxyContext(
            Targets(self.gateway), Connections(), count_ingress, Presence(self.gateway)
        )
        self._opened.callback(self.context.close)
        mount(server, self.context, hosts, dispatcher)
        self.metrics = Snapshot(self.gateway)
        self._opened.callback(self.metrics.close)
        self._kernelspecs = self._writes_kernelspecs(dispatcher)
        keep_private(server.kernel_manager, self._opened)

    async def _start_jupyter_server_extension(self, _serverapp: ServerApp) -> None:
        """Start to watch for changes, now that the event loop is running.

        The schema is registered first: a page receives the events registered when it connects.
        """
        logger = cast("EventLogger", self._server().event_logger)
        logger.register_event_schema(SCHEMA)
        self._watch = asyncio.ensure_future(self._watch_changes(logger))

    async def stop_extension(self) -> None:
        """Stop watching and close all connections; the controller and its sessions keep running."""
        if self._watch:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        self._opened.close()
        for name, value in self._before.items():
            os.environ.pop(name, None)
            os.environ.update({} if value is None else {name: value})

    async def _watch_changes(self, logger: EventLogger) -> None:
        await asyncio.sleep(_AFTER_START)

        def emit(change: Change) -> None:
            self.context.targets.forget()
            if self._kernelspecs:
                self._kernelspecs.changed(change)
            logger.emit(schema_id=SCHEMA_ID, data=msgspec.to_builtins(change))

        await watch(self.gateway, emit)

    def _writes_kernelspecs(self, dispatcher: Dispatcher) -> Kernelspecs | None:
        """Return what writes kernelspecs, None if the configuration turns it off."""
        if not self.config.get("GpuQuota", {}).get("kernelspecs", True):
            return None
        made = Kernelspecs(dispatcher, spec_files(self._controller))
        self._opened.callback(made.close)
        return made

    def _server(self) -> ServerApp:
        return cast("ServerApp", self.serverapp)

    def _flags(self) -> Choice:
        """Return the choice made by command-line flags; it overrides all other sources."""
        return in_config(self._server().cli_config)

    def _upstream(self) -> Upstream:
        """Return the controller at the URL in the environment, else the one of this machine."""
        flags = self._flags()
        if not flags and (remote := in_environment()):
            self._controller = remote.environment
            return RemoteController(remote)
        try:
            location = locate(flags, lambda: in_config(self.config))
        except LaunchedElsewhere as error:
            return NoController(error)
        self._controller = location.environment
        self._announce(location)
        return OwnController(location, ensure_controller)

    def _announce(self, location: Location) -> None:
        """Export the location to the environment of kernels and terminals."""
        self._before = {name: os.environ.get(name) for name in (*location.environment, URL)}
        os.environ.pop(URL, None)
        os.environ.update(location.environment)
