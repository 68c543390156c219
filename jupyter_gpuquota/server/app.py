"""The extension of Jupyter Server: a gateway to the controller, the ingress, and events."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp

from ..hosting.config_files import Choice, in_config
from ..hosting.locate import Location, locate
from ..hosting.remote import URL, Remote, in_environment
from ..hosting.start import ensure_controller
from ..model.about import Change
from .bases import outer_base
from .events import SCHEMA, SCHEMA_ID, watch
from .gateway import Gateway
from .home import AtHome
from .http1 import Connections
from .ingress.mount import ingress_rules
from .ingress.presence import Presence
from .ingress.targets import Targets
from .ingress.visit import Ways
from .jupyter_mount import api_handlers
from .metrics import Snapshot, count_ingress
from .upstreams import OwnController, RemoteController

if TYPE_CHECKING:
    from jupyter_events import EventLogger

_AFTER_START = 1.0
"""Seconds that the server has to itself before the controller is looked for."""


class GpuQuotaApp(ExtensionApp):
    """Add GPU sessions to a Jupyter Server."""

    name = "gpuquota"
    description = "GPU sessions with team quotas"
    _watch: asyncio.Task[None] | None = None
    _before: Mapping[str, str | None] = {}

    def initialize_handlers(self) -> None:
        """Mount the REST interface and the ingress."""
        server = self._server()
        remote = self._remote()
        self.gateway = Gateway(RemoteController(remote) if remote else self._own_controller())
        dispatcher = AtHome(self.gateway, outer_base(server.base_url), str(server.root_dir))
        self.handlers.extend(api_handlers(dispatcher))
        self.ways = Ways(
            Targets(self.gateway), Connections(), count_ingress, Presence(self.gateway)
        )
        rules = ingress_rules(server.base_url, self.ways)
        cast("Any", server.web_app).add_handlers(".*$", rules)
        self.metrics = Snapshot(self.gateway)

    async def _start_jupyter_server_extension(self, _serverapp: ServerApp) -> None:
        """Begin to watch for changes, now that the event loop runs.

        The schema comes first: a page listens to what is registered when it connects.
        """
        logger = cast("EventLogger", self._server().event_logger)
        logger.register_event_schema(SCHEMA)
        self._watch = asyncio.ensure_future(self._watch_changes(logger))

    async def stop_extension(self) -> None:
        """Stop watching, and hang up; the controller and its sessions run on."""
        if self._watch:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        self.metrics.close()
        self.ways.close()
        self.gateway.close()
        for name, value in self._before.items():
            os.environ.pop(name, None)
            os.environ.update({} if value is None else {name: value})

    async def _watch_changes(self, logger: EventLogger) -> None:
        await asyncio.sleep(_AFTER_START)

        def emit(change: Change) -> None:
            self.ways.targets.forget()
            logger.emit(schema_id=SCHEMA_ID, data=msgspec.to_builtins(change))

        await watch(self.gateway, emit)

    def _server(self) -> ServerApp:
        return cast("ServerApp", self.serverapp)

    def _named(self) -> Choice:
        """Return what flags of this server's command line name; they win over all else."""
        return in_config(self._server().cli_config)

    def _remote(self) -> Remote | None:
        """Return the controller at a URL that is meant, None for one of this machine."""
        return None if self._named() else in_environment()

    def _own_controller(self) -> OwnController:
        location = locate(self._named(), lambda: in_config(self.config))
        self._announce(location)
        return OwnController(location, ensure_controller)

    def _announce(self, location: Location) -> None:
        """Put it into the environment, where kernels and terminals find it."""
        self._before = {name: os.environ.get(name) for name in (*location.environment, URL)}
        os.environ.pop(URL, None)
        os.environ.update(location.environment)
