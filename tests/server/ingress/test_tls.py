"""A JupyterLab that serves HTTPS itself: the kernel cannot move what is encrypted."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Any

import pytest
import trustme
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.websocket import websocket_connect

from jupyter_gpuquota.server.ingress.response import LARGE
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.test_security import close
from tests.server.ingress.test_streaming import BLOCK, echo, listening
from tests.waiting import patience


@pytest.fixture
def secure(site: Site, jp_asyncio_loop: Any) -> Iterator[dict[str, Any]]:
    """Serve the same JupyterLab with HTTPS, too; return how to ask it for the session."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server = HTTPServer(site.serverapp.web_app, ssl_options=context)
    listener, port = bind_unused_port(address="127.0.0.1")
    server.add_sockets([listener])
    yield {
        "root": f"127.0.0.1:{port}{site.prefix}",
        "headers": {"Authorization": f"token {site.token}"},
    }
    server.stop()
    jp_asyncio_loop.run_until_complete(server.close_all_connections())


async def test_large_bodies_and_websockets_pass(site: Site, secure: dict[str, Any]) -> None:
    root, headers = secure["root"], secure["headers"]
    body = BLOCK * (4 * LARGE // len(BLOCK))
    async with listening(site, echo):
        response = await AsyncHTTPClient().fetch(
            f"https://{root}/p/{PORT}/",
            method="POST",
            body=body,
            headers=headers,
            validate_cert=False,
            request_timeout=patience(),
        )
    assert response.body == body
    request = HTTPRequest(f"wss://{root}/socket", headers=headers, validate_cert=False)
    socket = await websocket_connect(request)
    await socket.write_message("hello")
    assert await socket.read_message() == "hello"
    await close(socket)


async def test_the_session_knows_that_the_browser_came_by_https(
    site: Site, secure: dict[str, Any]
) -> None:
    response = await AsyncHTTPClient().fetch(
        f"https://{secure['root']}/x", headers=secure["headers"], validate_cert=False
    )
    assert '["X-Forwarded-Proto", "https"]' in response.body.decode()


async def test_a_session_that_ended_says_so_after_the_body(
    site: Site, secure: dict[str, Any]
) -> None:
    await site.backend.sessions.stop(site.session.id)
    site.targets.forget()
    response = await AsyncHTTPClient().fetch(
        f"https://{secure['root']}/x",
        method="POST",
        body=BLOCK * 4,
        headers=secure["headers"],
        validate_cert=False,
        raise_error=False,
    )
    assert response.code == 409
