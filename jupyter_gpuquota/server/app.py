"""The extension of Jupyter Server: a gateway to the controller, the ingress, and events."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp

from ..hosting.config_files import in_config
from ..hosting.locate import Location, locate
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

if TYPE_CHECKING:
    from jupyter_events import EventLogger

_AFTER_START = 1.0
"""Seconds that the server has to itself before the controller is looked for."""


class GpuQuotaApp(ExtensionApp):
    """Add GPU sessions to a Jupyter Server."""

    name = "gpuquota"
    description = "GPU sessions with team quotas"
    _watch: asyncio.Task[None] | None = None

    def initialize_handlers(self) -> None:
        """Mount the REST interface and the ingress."""
        server = self._server()
        location = self._locate()
        self._announce(location)
        self.gateway = Gateway(location, ensure_controller)
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

    def _locate(self) -> Location:
        """Return where the controller lives; flags of this server's command line win."""
        return locate(in_config(self._server().cli_config), lambda: in_config(self.config))

    def _announce(self, location: Location) -> None:
        """Put it into the environment, where kernels and terminals find it."""
        self._before = {name: os.environ.get(name) for name in location.environment}
        os.environ.update(location.environment)
