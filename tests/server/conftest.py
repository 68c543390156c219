"""A Jupyter Server whose REST interface is answered by a backend in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from jupyter_server.auth import Authorizer
from jupyter_server.utils import url_path_join
from tornado.httpclient import HTTPResponse

from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.server.jupyter_mount import api_handlers
from tests.contract.snapshots import close
from tests.fakes import As, make_backend


class Rights(Authorizer):
    """Allow the actions of `allowed`, but nothing of `refused`, and remember what was asked."""

    allowed: frozenset[str] = frozenset({"read", "write", "execute"})
    refused: frozenset[str] = frozenset()

    def is_authorized(self, handler, user, action, resource):
        self.asked = [*getattr(self, "asked", []), (action, resource)]
        return action in self.allowed and resource not in self.refused


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {
        "ServerApp": {
            "jpserver_extensions": {},
            "allow_unauthenticated_access": False,
            "authorizer_class": Rights,
        }
    }


@pytest.fixture
def rights(jp_serverapp) -> Rights:
    return jp_serverapp.web_app.settings["authorizer"]


@pytest.fixture
def backend(jp_asyncio_loop) -> Iterator[Backend]:
    backend = make_backend()
    yield backend
    jp_asyncio_loop.run_until_complete(close(backend))


@pytest.fixture
def dispatcher(backend) -> As:
    """Answer as if the admin `me` asked; a test may name another `caller`."""
    return As(backend)


@pytest.fixture
def mount(jp_serverapp, jp_base_url) -> Callable[[list[tuple]], None]:
    """Add handlers below the base URL."""

    def mount(rows: list[tuple]) -> None:
        placed = [(url_path_join(jp_base_url, row[0]), *row[1:]) for row in rows]
        jp_serverapp.web_app.add_handlers(".*$", placed)

    return mount


@pytest.fixture
def requests(ask):
    """Call the REST interface: method, path below its root, and a body."""

    async def requests(method: str, path: str, body: Any = None, **options: Any) -> HTTPResponse:
        return await ask(method, f"gpuquota/api{path}", body, **options)

    return requests


@pytest.fixture
def api(mount, dispatcher, requests):
    """Call the REST interface, answered by `dispatcher`."""
    mount(api_handlers(dispatcher))
    return requests


@pytest.fixture
def ask(http_server_client, jp_auth_header, jp_base_url):
    """Request a path below the server's base URL; `body` may be bytes or a JSON value."""

    async def ask(
        method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        sent = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        return await http_server_client.fetch(
            jp_base_url + path,
            method=method,
            body=sent,
            headers=jp_auth_header if headers is None else headers,
            allow_nonstandard_methods=True,
            follow_redirects=False,
            raise_error=False,
        )

    return ask
