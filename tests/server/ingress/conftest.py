"""A Jupyter Server with the ingress, and a session of it that really listens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application

from jupyter_gpuquota.model.sessions import Endpoint, Session
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.server.connections import Connections
from jupyter_gpuquota.server.ingress.hosts.addresses import Hosts
from jupyter_gpuquota.server.ingress.mount import mount
from jupyter_gpuquota.server.ingress.presence import Presence
from jupyter_gpuquota.server.ingress.request import ProxyContext
from jupyter_gpuquota.server.ingress.targets import Targets
from tests.builders import make_spec
from tests.fakes import As, make_backend
from tests.server.ingress.upstream import make_upstream

PORT = 6006


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"allow_unauthenticated_access": False}}


@dataclass
class Site:
    """A Jupyter Server that shows one session through its ingress."""

    serverapp: Any
    backend: Backend
    session: Session
    context: ProxyContext
    counted: list[tuple[str, int]]
    dispatcher: As
    jupyter: Application
    other: Application

    @property
    def targets(self) -> Targets:
        return self.context.targets

    @property
    def token(self) -> str:
        return str(self.serverapp.identity_provider.token)

    @property
    def prefix(self) -> str:
        return f"{self.serverapp.base_url}gpuquota/s/{self.session.id}"

    def url(self, path: str, *, port: int = 0, scheme: str = "http") -> str:
        extra = f"/p/{port}" if port else ""
        return f"{scheme}://127.0.0.1:{self.serverapp.port}{self.prefix}{extra}{path}"


@pytest.fixture
def hosts() -> Hosts | None:
    """Sessions are shown at JupyterLab's own host."""
    return None


@pytest.fixture
def site(
    jp_serverapp: Any, http_server: Any, jp_asyncio_loop: Any, hosts: Hosts | None
) -> Iterator[Site]:
    """Serve; nothing is left behind."""
    servers: list[HTTPServer] = []
    made = jp_asyncio_loop.run_until_complete(make_site(jp_serverapp, servers, hosts))
    yield made
    jp_asyncio_loop.run_until_complete(close(made.context))
    for server in servers:
        server.stop()
        jp_asyncio_loop.run_until_complete(server.close_all_connections())


async def make_site(serverapp: Any, servers: list[HTTPServer], hosts: Hosts | None) -> Site:
    backend = make_backend()
    dispatcher = As(backend)
    session = await backend.sessions.create(make_spec(ports=(PORT,)), "me")
    targets = Targets(dispatcher)
    counted: list[tuple[str, int]] = []
    presence = Presence(dispatcher, every=0.1)
    context = ProxyContext(targets, Connections(), lambda *counts: counted.append(counts), presence)
    mount(serverapp, context, hosts, dispatcher)
    base = f"{serverapp.base_url}gpuquota/s/{session.id}"
    applications = []
    for port, prefix, headers in (
        (0, base, {"Authorization": "token session-secret"}),
        (PORT, "", {}),
    ):
        application = make_upstream(prefix)
        servers.append(HTTPServer(application))
        listener, number = bind_unused_port(address="127.0.0.1")
        servers[-1].add_sockets([listener])
        backend.ingress.endpoints[session.id, port] = Endpoint(
            host="127.0.0.1", port=number, base_url=f"{prefix}/", headers=headers
        )
        applications.append(application)
    return Site(serverapp, backend, session, context, counted, dispatcher, *applications)


async def close(context: ProxyContext) -> None:
    context.close()
    await asyncio.sleep(0)  # for what was cancelled to end
