"""Sessions that speak HTTPS: the ingress verifies who answers before it says anything."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import trustme
from msgspec import structs
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.websocket import websocket_connect

from jupyter_gpuquota.control.session_http import ServerConnection
from jupyter_gpuquota.control.signals.servers import Kernel
from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.server.ingress.response import LARGE
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.test_security import close
from tests.server.ingress.test_streaming import (
    BLOCK,
    echo,
    head_of,
    listening,
    visiting,
)
from tests.waiting import patience

HEADERS = {"Authorization": "Bearer of-the-backend", "X-Route": "node-3"}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def pem(authority: trustme.CA) -> str:
    return authority.cert_pem.bytes().decode()


@pytest.fixture(scope="module")
def tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@dataclass
class Encrypted:
    """The site's session, which now speaks HTTPS only."""

    site: Site
    endpoint: Endpoint

    def change(self, **fields: Any) -> None:
        """Make the backend return another endpoint."""
        self.endpoint = structs.replace(self.endpoint, **fields)
        self.site.backend.ingress.endpoints[self.site.session.id, 0] = self.endpoint
        self.site.targets.forget()

    async def fetch(self, path: str) -> HTTPResponse:
        headers = {"Authorization": f"token {self.site.token}"}
        url = self.site.url(path)
        return await AsyncHTTPClient().fetch(url, headers=headers, raise_error=False)


@pytest.fixture
def encrypted(
    site: Site, pem: str, tls: ssl.SSLContext, jp_asyncio_loop: Any
) -> Iterator[Encrypted]:
    server = HTTPServer(site.jupyter, ssl_options=tls)
    listener, port = bind_unused_port(address="127.0.0.1")
    server.add_sockets([listener])
    made = Encrypted(site, site.backend.ingress.endpoints[site.session.id, 0])
    made.change(scheme="https", port=port, headers=HEADERS, ca=pem)
    yield made
    server.stop()
    jp_asyncio_loop.run_until_complete(server.close_all_connections())


async def test_a_request_carries_the_headers_of_the_backend(encrypted: Encrypted) -> None:
    for _ in range(2):
        response = await encrypted.fetch("/api")
        headers = dict(json.loads(response.body)["headers"])
        assert HEADERS.items() <= headers.items()
        assert headers["Host"] == encrypted.endpoint.authority


async def test_websockets_pass(encrypted: Encrypted) -> None:
    site = encrypted.site
    request = HTTPRequest(
        site.url("/socket", scheme="ws"), headers={"Authorization": f"token {site.token}"}
    )
    socket = await websocket_connect(request)
    await socket.write_message("headers")
    assert HEADERS["Authorization"] in str(await socket.read_message())
    await close(socket)


@pytest.mark.parametrize("size", [1000, LARGE, 20 * LARGE])
async def test_bodies_of_every_size_pass_whole(
    site: Site, tls: ssl.SSLContext, pem: str, size: int
) -> None:
    body = (BLOCK * (size // len(BLOCK) + 1))[:size]
    async with listening(site, echo, tls=tls, ca=pem):
        response = await AsyncHTTPClient().fetch(
            site.url("/", port=PORT),
            method="POST",
            body=body,
            headers={"Authorization": f"token {site.token}"},
            request_timeout=patience(),
        )
    assert response.body == body


async def test_a_large_download_passes_whole(encrypted: Encrypted) -> None:
    response = await encrypted.fetch("/count?mib=8")
    assert response.body == b"x" * 8 * 2**20


async def test_an_upload_that_breaks_off_lets_the_session_know(
    site: Site, tls: ssl.SSLContext, pem: str
) -> None:
    got: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        got.set_result(len(await reader.read(-1)))

    async with listening(site, count, tls=tls, ca=pem):
        async with visiting(site, "POST /", Content_Length=2 * LARGE) as (_, writer):
            writer.write(BLOCK[:LARGE])
            await writer.drain()
        assert await asyncio.wait_for(got, patience()) <= LARGE


async def test_a_server_that_another_authority_vouches_for_hears_nothing(
    encrypted: Encrypted,
) -> None:
    heard: list[str] = []
    encrypted.site.jupyter.settings["log_function"] = lambda h: heard.append(h.request.uri)
    for ca in (trustme.CA().cert_pem.bytes().decode(), ""):
        encrypted.change(ca=ca)
        response = await encrypted.fetch("/api")
        problem = json.loads(response.body)
        assert (response.code, problem["code"]) == (503, "Unavailable")
        assert "certificate" in problem["hint"]
    assert heard == []


async def test_a_server_of_another_name_is_not_believed(encrypted: Encrypted) -> None:
    encrypted.change(host="localhost")
    response = await encrypted.fetch("/api")
    assert response.code == 503
    assert "localhost" in json.loads(response.body)["message"]


async def test_a_websocket_to_a_server_that_is_not_believed_is_refused(
    encrypted: Encrypted,
) -> None:
    encrypted.change(ca="")
    site = encrypted.site
    request = HTTPRequest(
        site.url("/socket", scheme="ws"), headers={"Authorization": f"token {site.token}"}
    )
    with pytest.raises(HTTPClientError, match="503"):
        await websocket_connect(request)


async def test_a_server_is_asked_for_its_kernels_by_https(tls: ssl.SSLContext, pem: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await head_of(reader)
        body = b"[]" if HEADERS["Authorization"] in head else b"no"
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n" + body)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as server:
        port = server.sockets[0].getsockname()[1]
        to = Endpoint(host="127.0.0.1", port=port, scheme="https", headers=HEADERS, ca=pem)
        connection = await ServerConnection.open(to)
        assert await connection.get_json("api/kernels", list[Kernel]) == []
        connection.close()
        with pytest.raises(ssl.SSLCertVerificationError):
            await ServerConnection.open(structs.replace(to, ca=""))
