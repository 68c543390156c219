"""What is at a session's host, and who gets it there."""

from __future__ import annotations

import json

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest, HTTPResponse
from tornado.websocket import WebSocketClientConnection, websocket_connect

from tests.builders import make_spec
from tests.server.ingress.conftest import PORT
from tests.server.ingress.hosts.conftest import (
    FETCH,
    NAVIGATION,
    Browser,
    lab_path,
    own_path,
    text_of,
)
from tests.server.ingress.test_security import Denying, close


@pytest.mark.parametrize("port", [0, PORT])
async def test_a_cookie_is_for_its_host(browser: Browser, port: int) -> None:
    """Even where a browser were made to send it elsewhere."""
    here = await browser.enter(port)
    others = [browser.host("szzzzzzzzzzz"), browser.host(port=0 if port else PORT), browser.lab]
    for other in others:
        stranger = Browser(browser.site, {other: browser.cookies[here]})
        for path in (lab_path(browser.site, "/x"), lab_path(browser.site, "/x", PORT), "/x"):
            assert (await stranger.ask(other, path, **FETCH)).code in (302, 403, 404)


async def test_jupyterlabs_login_counts_for_nothing_there(browser: Browser) -> None:
    await browser.log_in()
    site, host = browser.site, browser.host()
    path = own_path(site, "/x")
    browser.cookies[host] = browser.cookies[browser.lab]
    token = {"Authorization": f"token {site.token}"}
    for headers in (FETCH, token, {**FETCH, **token}):
        refused = await browser.ask(host, path, **headers)
        assert refused.code == 403
        assert not refused.headers.get_list("Set-Cookie")
    assert (await browser.ask(host, f"{path}?token={site.token}", **FETCH)).code == 403


@pytest.mark.parametrize(
    "path",
    [
        "api",
        "api/contents",
        "api/terminals",
        "lab",
        "login",
        "logout",
        "files/x",
        "static/x",
        "gpuquota/api/about",
    ],
)
async def test_nothing_else_of_jupyter_is_there(browser: Browser, path: str) -> None:
    site = browser.site
    host = await browser.enter()
    base = site.serverapp.base_url
    token = {"Authorization": f"token {site.token}"}
    for method, body in (("GET", None), ("POST", "{}"), ("PUT", "{}"), ("DELETE", None)):
        for headers in (FETCH, token, {"Origin": f"http://{host}"}):
            response = await browser.ask(host, base + path, method, body, **{**FETCH, **headers})
            assert response.code == 404, (method, headers)
    led = await browser.ask(host, f"{base}{path}?a=1", **NAVIGATION)
    assert led.code == 302
    assert led.headers["Location"] == f"http://{browser.lab}{base}{path}?a=1"
    assert (await Browser(site).ask(host, base + path, **NAVIGATION)).code == 404


async def test_ports_and_other_sessions_have_hosts_of_their_own(browser: Browser) -> None:
    host, site = await browser.enter(), browser.site
    other = lab_path(site).replace(site.session.id, "szzzzzzzzzzz")
    for path in (lab_path(site, "/x", PORT), other):
        assert (await browser.ask(host, path, **FETCH)).code == 404
        led = await browser.ask(host, path, **NAVIGATION)
        assert led.headers["Location"] == f"http://{browser.lab}{path}"


async def test_a_page_may_resume_its_own_session_and_nothing_else(browser: Browser) -> None:
    site = browser.site
    other = await site.backend.sessions.create(make_spec("other"), "me")
    sessions = f"{site.serverapp.base_url}gpuquota/api/sessions"
    host = await browser.enter()

    async def act(action: str, session: str, **headers: str) -> HTTPResponse:
        return await browser.ask(host, f"{sessions}/{session}/{action}", "POST", "{}", **headers)

    own = {"Origin": f"http://{host}"}
    for session in (site.session.id, other.id):
        await site.backend.sessions.suspend(session)
    assert (await act("resume", site.session.id)).code == 403
    assert (await act("resume", site.session.id, Origin=f"http://{browser.lab}")).code == 403
    assert (await act("resume", other.id, **own)).code == 404
    for action in ("stop", "suspend", "resize"):
        assert (await act(action, site.session.id, **own)).code == 404
    resumed = await act("resume", site.session.id, **own)
    assert resumed.code == 200, resumed.body
    await site.backend.sessions.resume(other.id)  # it was not: this would be refused
    stranger = Browser(site)
    path = f"{sessions}/{site.session.id}/resume"
    assert (await stranger.ask(host, path, "POST", "{}", **own)).code == 403
    at_port = await browser.enter(PORT)
    own = {"Origin": f"http://{at_port}"}
    program = await browser.ask(at_port, path, "POST", "{}", **own)
    assert program.code in (200, 404)  # the program's own answer, where it is at the root
    assert b'"state"' not in program.body


@pytest.mark.parametrize("port", [0, PORT])
async def test_jupyterlabs_host_shows_no_page_of_a_session(browser: Browser, port: int) -> None:
    await browser.log_in()
    site, own = browser.site, {"Origin": f"http://{browser.lab}"}
    xsrf = {"X-XSRFToken": browser.cookies[browser.lab]["_xsrf"]}
    path = lab_path(site, "/x", port)
    wrong = {"Authorization": "token wrong"}  # as any script may send
    for method, body, more in (
        ("GET", None, {}),
        ("GET", None, wrong),
        ("POST", "x", wrong),
        ("PUT", "x", {}),
        ("GET", "x", {}),
    ):
        headers = {**FETCH, **own, **xsrf, **more}
        response = await browser.ask(browser.lab, path, method, body, **headers)
        assert response.code == 403, method
        assert browser.host(port=port) in text_of(response)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade"}
    assert (await browser.ask(browser.lab, path, **FETCH, **own, **upgrade)).code == 403


async def test_programs_with_a_token_in_a_header_are_served_at_jupyterlabs_host(
    browser: Browser,
) -> None:
    token = {"Authorization": f"token {browser.site.token}"}
    for port in (0, PORT):
        path = lab_path(browser.site, "/x", port)
        assert (await browser.ask(browser.lab, path, **token)).code == 200
        assert (await browser.ask(browser.lab, path, "POST", "x", **token)).code == 200


@pytest.mark.parametrize("port", [0, PORT])
async def test_only_pages_of_the_host_change_anything(browser: Browser, port: int) -> None:
    host = await browser.enter(port)
    path = own_path(browser.site, "/x", port)

    async def post(**headers: str) -> int:
        return (await browser.ask(host, path, "POST", "x", **headers)).code

    assert await post(Origin=f"http://{host}") == 200
    assert await post(Origin=f"http://{host}", **FETCH) == 200
    for other in (browser.host("szzzzzzzzzzz"), browser.host(port=1), browser.lab, "evil.example"):
        assert await post(Origin=f"http://{other}") == 403
        sent = {**FETCH, "Sec-Fetch-Site": "same-site", "Origin": f"http://{other}"}
        assert await post(**sent) == 403
        framed = {**sent, "Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"}
        assert (await browser.ask(host, path, **framed)).code == 403
    assert await post() == 403
    assert await post(Origin="null") == 403


@pytest.mark.parametrize("port", [0, PORT])
async def test_a_websocket_needs_a_page_of_the_host(browser: Browser, port: int) -> None:
    host = await browser.enter(port)
    path = own_path(browser.site, "/socket", port)

    async def connect(origin: str) -> WebSocketClientConnection:
        sent = "; ".join(f"{k}={v}" for k, v in browser.cookies[host].items())
        url = f"ws://127.0.0.1:{browser.site.serverapp.port}{path}"
        headers = {"Host": host, "Cookie": sent, **({"Origin": origin} if origin else {})}
        return await websocket_connect(HTTPRequest(url, headers=headers))

    socket = await connect(f"http://{host}")
    await socket.write_message("headers")
    told = {name.lower(): value for name, value in json.loads(str(await socket.read_message()))}
    assert "gpuquota" not in told.get("cookie", "")
    await close(socket)
    sibling = browser.host("szzzzzzzzzzz")
    for origin in (f"http://{browser.lab}", f"http://{sibling}", "http://evil.example", "null", ""):
        with pytest.raises(HTTPClientError, match="403"):
            await connect(origin)
    browser.cookies[host] = browser.cookies[browser.lab]
    with pytest.raises(HTTPClientError, match="403"):
        await connect(f"http://{host}")


@pytest.mark.parametrize("action", ["read", "execute"])
async def test_rights_are_asked_for_every_request(browser: Browser, action: str) -> None:
    host, site = await browser.enter(), browser.site
    authorizer = Denying(parent=site.serverapp)
    authorizer.denied = action
    site.serverapp.web_app.settings["authorizer"] = authorizer
    own = {"Origin": f"http://{host}"}
    got = await browser.ask(host, own_path(site, "/x"), **FETCH)
    sent = await browser.ask(host, own_path(site, "/x"), "POST", "x", **own)
    assert (got.code, sent.code) == ((403, 200) if action == "read" else (200, 403))
