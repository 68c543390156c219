"""HTTP through the ingress, to programs that really listen."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import closing
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPResponse
from tornado.iostream import StreamClosedError
from tornado.simple_httpclient import HTTPStreamClosedError, SimpleAsyncHTTPClient

from jupyter_gpuquota.model.sessions import Endpoint
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.upstream import MIB
from tests.waiting import patience


async def fetch(site: Site, path: str, *, port: int = 0, **options: Any) -> HTTPResponse:
    headers = {"Authorization": f"token {site.token}", **options.pop("headers", {})}
    options = {"follow_redirects": False, "raise_error": False, **options}
    client = SimpleAsyncHTTPClient(force_instance=True, max_body_size=1 << 40)
    with closing(client):
        return await client.fetch(site.url(path, port=port), headers=headers, **options)


async def shown(site: Site, path: str, **options: Any) -> dict[str, Any]:
    response = await fetch(site, path, **options)
    assert response.code == 200, response.body
    return dict(json.loads(response.body))


async def test_the_session_gets_its_own_token_and_nothing_of_the_user(site: Site) -> None:
    request = await shown(
        site,
        f"/api?token={site.token}&a=%2Fb",
        headers={
            "Cookie": "_xsrf=1; username=secret",
            "X-XSRFToken": "1",
            "Origin": f"http://127.0.0.1:{site.serverapp.port}",
            "Referer": f"http://127.0.0.1/lab?token={site.token}",
            "X-Kept": "yes",
        },
    )
    headers = {name.lower(): value for name, value in request["headers"]}
    assert request["uri"] == f"{site.prefix}/api?a=%2Fb"
    assert headers["authorization"] == "token session-secret"
    assert headers["x-kept"] == "yes"
    assert headers["x-forwarded-prefix"] == site.prefix
    assert not {"cookie", "x-xsrftoken", "origin", "referer"} & set(headers)
    assert site.token not in json.dumps(request)


async def test_another_port_gets_no_token_and_paths_below_its_root(site: Site) -> None:
    request = await shown(site, "/data/plugin%2Fx?run=1", port=PORT)
    assert request["uri"] == "/data/plugin%2Fx?run=1"
    assert "authorization" not in {name.lower() for name, _ in request["headers"]}


async def test_the_browser_gets_no_cookie_and_no_right_of_the_session(site: Site) -> None:
    response = await fetch(site, "/api")
    got = {name.lower() for name, _ in response.headers.get_all()}
    assert "service-worker-allowed" not in got
    assert not {"planted", "evil"} & set(re.findall(r"\w+", str(response.headers)))
    assert response.headers.get_list("X-Several") == ["1", "2"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_every_method_arrives_with_its_body(site: Site, method: str) -> None:
    body = None if method in ("DELETE", "OPTIONS") else "hello"
    request = await shown(site, "/x", method=method, body=body, allow_nonstandard_methods=True)
    assert (request["method"], request["body"]) == (method, body or "")


async def test_head_and_answers_without_a_body(site: Site) -> None:
    response = await fetch(site, "/x", method="HEAD")
    assert (response.code, response.headers["X-Head"], response.body) == (200, "yes", b"")
    for status in (204, 304, 404, 500):
        assert (await fetch(site, f"/odd?status={status}")).code == status


@pytest.mark.parametrize("port", [0, PORT])
async def test_bodies_of_any_size_stream_with_flat_memory(site: Site, port: int) -> None:
    size = 600  # MiB: above Jupyter's own limit for bodies
    process = psutil.Process()
    before = peak = process.memory_info().rss
    received = 0

    def take(chunk: bytes) -> None:
        nonlocal received, peak
        received += len(chunk)
        peak = max(peak, process.memory_info().rss)

    response = await fetch(
        site, f"/count?mib={size}", port=port, streaming_callback=take, request_timeout=patience()
    )
    assert (response.code, received) == (200, size * MIB)

    async def give(write: Any) -> None:
        nonlocal peak
        chunk = b"x" * MIB
        for _ in range(size):
            await write(chunk)
            peak = max(peak, process.memory_info().rss)

    for headers in ({"Content-Length": str(size * MIB)}, {}):
        response = await fetch(
            site,
            "/count",
            port=port,
            method="PUT",
            headers=headers,
            body_producer=give,
            request_timeout=patience(),
        )
        assert (response.code, int(response.body)) == (200, size * MIB)
    # Browser, Jupyter and session are this one process here; any that kept a body would show.
    assert peak - before < size * MIB // 4


async def test_an_event_arrives_before_the_next_is_made(site: Site) -> None:
    first = asyncio.Event()
    chunks: list[bytes] = []

    def take(chunk: bytes) -> None:
        chunks.append(chunk)
        first.set()

    response = asyncio.ensure_future(fetch(site, "/events", streaming_callback=take))
    await asyncio.wait_for(first.wait(), patience())
    assert chunks == [b"data: first\n\n"]
    assert not response.done()
    site.jupyter.settings["more"].set()
    assert (await response).code == 200
    assert b"".join(chunks).endswith(b"data: second\n\n")


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("/login?next=%2F", "{prefix}/p/6006/login?next=%2F"),
        ("http://127.0.0.1:{port}/x", "{prefix}/p/6006/x"),
        ("relative", "relative"),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
async def test_redirects_stay_below_the_session(site: Site, to: str, wanted: str) -> None:
    port = site.backend.ingress.endpoints[site.session.id, PORT].port
    response = await fetch(site, f"/redirect?to={quote(to.format(port=port))}", port=PORT)
    assert response.code == 302
    assert response.headers["Location"] == wanted.format(prefix=site.prefix)


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("{prefix}/lab", "{prefix}/lab"),
        ("http://127.0.0.1:{port}{prefix}/lab", "{prefix}/lab"),
        ("{base}gpuquota/s/other/", "{base}gpuquota/s/other/"),
    ],
)
async def test_redirects_of_a_jupyter_server_go_where_it_says(
    site: Site, to: str, wanted: str
) -> None:
    port = site.backend.ingress.endpoints[site.session.id, 0].port
    known = {"prefix": site.prefix, "base": site.serverapp.base_url, "port": port}
    response = await fetch(site, f"/redirect?to={quote(to.format(**known))}")
    assert response.code == 302
    assert response.headers["Location"] == wanted.format(**known)


async def test_an_answer_that_breaks_off_is_not_taken_for_whole(site: Site) -> None:
    with pytest.raises((HTTPStreamClosedError, StreamClosedError, HTTPClientError)):
        await fetch(site, "/odd?status=0", raise_error=True)


async def test_what_is_not_a_session_of_ours_is_not_reachable(site: Site) -> None:
    base = f"http://127.0.0.1:{site.serverapp.port}{site.serverapp.base_url}gpuquota/s"
    headers = {"Authorization": f"token {site.token}"}
    for path in ("nobody/", "..%2f..%2fetc/", f"{site.session.id}x/", "127.0.0.1:22/"):
        response = await AsyncHTTPClient().fetch(
            f"{base}/{path}", headers=headers, raise_error=False
        )
        assert response.code == 404, path
        assert json.loads(response.body)["code"] == "NotFound"
    assert (await fetch(site, "/", port=22)).code == 403
    assert (await fetch(site, "/", port=99999)).code == 403


async def test_a_session_that_ended_says_so_to_people_and_programs(site: Site) -> None:
    await site.backend.sessions.stop(site.session.id)
    site.targets.forget()
    response = await fetch(site, "/lab", headers={"Accept": "text/html"})
    assert response.code == 409
    assert b"stopped" in response.body
    assert response.headers["Refresh"] == "5"
    back = f'href="{site.serverapp.base_url}lab?reveal={site.session.id}"'
    assert back.encode() in response.body
    response = await fetch(site, "/api", method="POST", body="x" * MIB)
    assert (response.code, json.loads(response.body)["code"]) == (409, "WrongState")


async def test_a_session_that_does_not_answer_is_unavailable(site: Site) -> None:
    dead = site.backend.ingress.endpoints[site.session.id, PORT]
    site.backend.ingress.endpoints[site.session.id, PORT] = Endpoint(host=dead.host, port=1)
    response = await fetch(site, "/", port=PORT)
    assert (response.code, json.loads(response.body)["code"]) == (503, "Unavailable")


async def test_a_session_of_another_base_url_says_what_to_do(site: Site) -> None:
    found = site.backend.ingress.endpoints[site.session.id, 0]
    site.backend.ingress.endpoints[site.session.id, 0] = Endpoint(
        host=found.host, port=found.port, base_url="/user/other/gpuquota/s/x/"
    )
    response = await fetch(site, "/lab")
    assert response.code == 409
    assert "Suspend and resume" in json.loads(response.body)["hint"]


async def test_connections_are_used_again(site: Site) -> None:
    for _ in range(3):
        await shown(site, "/x")
    # The look-up is remembered, so a port that changed would be asked in vain.
    assert (await fetch(site, "/x", method="POST", body="x")).code == 200
