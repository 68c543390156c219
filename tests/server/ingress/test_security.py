"""Who may come in, and what a page of another origin can do: nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jupyter_server.auth.authorizer import Authorizer
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders
from tornado.websocket import WebSocketClientConnection, websocket_connect

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.server.ingress.protocol.body import body_of, head
from jupyter_gpuquota.server.ingress.protocol.headers import Outside, to_browser, without_secrets
from jupyter_gpuquota.server.ingress.protocol.origins import is_foreign
from tests.fakes import me
from tests.server.ingress.conftest import PORT, Site

HERE = Endpoint(host="127.0.0.1", port=1)


@pytest.fixture(params=[True, False], ids=["open", "closed"])
def jp_server_config(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return Jupyter's setting for handlers without authentication, both ways."""
    return {"ServerApp": {"allow_unauthenticated_access": request.param}}


class Denying(Authorizer):
    """Deny one action."""

    denied = ""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return not (resource == "gpuquota" and action == self.denied)


async def cookies_of(site: Site, host: str = "") -> str:
    """Log in as a browser does, and return its cookies; Jupyter names them after the host."""
    named = {"Host": host} if host else {}
    login = f"http://127.0.0.1:{site.serverapp.port}{site.serverapp.base_url}login"
    found: list[str] = []
    for headers in ({}, {"Authorization": f"token {site.token}"}):
        response = await AsyncHTTPClient().fetch(
            login, headers={**headers, **named}, raise_error=False, follow_redirects=False
        )
        found += [cookie.split(";")[0] for cookie in response.headers.get_list("Set-Cookie")]
    assert any(cookie.startswith("username-") for cookie in found), found
    return "; ".join(found)


async def close(socket: WebSocketClientConnection) -> None:
    """Close a socket and wait for the other side to agree."""
    socket.close()
    while await socket.read_message() is not None:
        pass


def xsrf_of(cookies: str) -> str:
    return next(c for c in cookies.split("; ") if c.startswith("_xsrf=")).partition("=")[2]


async def post(site: Site, cookies: str, *, port: int = 0, **headers: str) -> HTTPResponse:
    return await AsyncHTTPClient().fetch(
        site.url("/x", port=port),
        method="POST",
        body="x",
        headers={"Cookie": cookies, **headers},
        raise_error=False,
    )


async def test_nobody_gets_in_without_logging_in(site: Site) -> None:
    client = AsyncHTTPClient()
    response = await client.fetch(site.url("/x"), raise_error=False, follow_redirects=False)
    assert response.code == 302
    assert "/login" in response.headers["Location"]
    response = await client.fetch(site.url("/x"), method="POST", body="x", raise_error=False)
    assert response.code == 403
    with pytest.raises(HTTPClientError, match="403"):
        await websocket_connect(site.url("/socket", scheme="ws"))


@pytest.mark.parametrize(("denied", "works"), [("read", "POST"), ("execute", "GET")])
async def test_each_action_needs_its_right(site: Site, denied: str, works: str) -> None:
    authorizer = Denying(parent=site.serverapp)
    authorizer.denied = denied
    site.serverapp.web_app.settings["authorizer"] = authorizer
    headers = {"Authorization": f"token {site.token}"}
    for method, action in (("GET", "read"), ("POST", "execute")):
        response = await AsyncHTTPClient().fetch(
            site.url("/x"),
            method=method,
            headers=headers,
            body="x" if method == "POST" else None,
            raise_error=False,
        )
        assert response.code == (403 if action == denied else 200)
        assert method != works or response.code == 200
    request = HTTPRequest(site.url("/socket", scheme="ws"), headers=headers)
    if denied == "execute":
        with pytest.raises(HTTPClientError, match="403"):
            await websocket_connect(request)
    else:
        await close(await websocket_connect(request))


@pytest.mark.parametrize(
    "caller", [me("ben"), Caller("root", known="socket")], ids=["member", "admin"]
)
async def test_only_its_owner_is_shown_a_session(site: Site, caller: Caller) -> None:
    """In anybody else's JupyterLab its page would act with that person's cookies."""
    site.dispatcher.caller = caller
    headers = {"Authorization": f"token {site.token}", "Accept": "application/json"}
    for port in (0, PORT):
        response = await AsyncHTTPClient().fetch(
            site.url("/x", port=port), headers=headers, raise_error=False
        )
        assert response.code == 403
        assert json.loads(response.body)["code"] == "NotAllowed"
        request = HTTPRequest(site.url("/socket", port=port, scheme="ws"), headers=headers)
        with pytest.raises(HTTPClientError, match="403"):
            await websocket_connect(request)


async def test_a_browser_needs_the_xsrf_token_for_the_session(site: Site) -> None:
    cookies = await cookies_of(site)
    own = f"http://127.0.0.1:{site.serverapp.port}"
    assert (await post(site, cookies)).code == 403
    assert (await post(site, cookies, Origin=own)).code == 403
    good = await post(site, cookies, **{"Origin": own, "X-XSRFToken": xsrf_of(cookies)})
    assert good.code == 200
    assert xsrf_of(cookies) not in good.body.decode()


async def test_a_program_on_another_port_needs_a_page_of_this_host(site: Site) -> None:
    cookies = await cookies_of(site)
    own = f"http://127.0.0.1:{site.serverapp.port}"
    assert (await post(site, cookies, port=PORT)).code == 403
    assert (await post(site, cookies, port=PORT, Origin="http://evil.example")).code in (403, 404)
    assert (await post(site, cookies, port=PORT, Origin="null")).code in (403, 404)
    assert (await post(site, cookies, port=PORT, Origin=own)).code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
async def test_a_websocket_of_another_origin_is_refused(site: Site, origin: str) -> None:
    cookies = await cookies_of(site)
    headers = {"Cookie": cookies, "Origin": origin}
    for port in (0, PORT):
        url = site.url("/socket", port=port, scheme="ws")
        with pytest.raises(HTTPClientError, match="403"):
            await websocket_connect(HTTPRequest(url, headers=headers))


async def test_images_frames_and_scripts_of_another_origin_are_refused(site: Site) -> None:
    cookies = await cookies_of(site)
    for site_, dest in (("cross-site", "image"), ("same-site", "iframe"), ("cross-site", "script")):
        response = await AsyncHTTPClient().fetch(
            site.url("/x"),
            headers={
                "Cookie": cookies,
                "Sec-Fetch-Site": site_,
                "Sec-Fetch-Mode": "no-cors",
                "Sec-Fetch-Dest": dest,
            },
            raise_error=False,
        )
        assert response.code == 403
        assert "other origins" in json.loads(response.body)["message"]


@pytest.mark.parametrize(
    ("method", "site_", "mode", "dest", "foreign"),
    [
        ("GET", None, None, None, False),
        ("POST", "same-origin", "cors", "empty", False),
        ("GET", "none", "navigate", "document", False),
        ("GET", "cross-site", "navigate", "document", False),
        ("POST", "cross-site", "navigate", "document", True),
        ("GET", "cross-site", "navigate", "iframe", True),
        ("GET", "same-site", "cors", "empty", True),
        ("GET", "cross-site", "websocket", "websocket", True),
    ],
)
async def test_only_following_a_link_crosses_origins(
    method: str, site_: str | None, mode: str | None, dest: str | None, *, foreign: bool
) -> None:
    names = {"Sec-Fetch-Site": site_, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    headers = HTTPHeaders({name: value for name, value in names.items() if value})
    assert is_foreign(method, headers) is foreign


async def test_polls_and_pings_are_no_activity_but_what_a_person_does_is(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    key = "gpuquota_ingress_last_activity"
    await AsyncHTTPClient().fetch(site.url("/x"), headers=headers)
    socket = await websocket_connect(HTTPRequest(site.url("/socket", scheme="ws"), headers=headers))
    socket.ping(b"x")
    assert key not in site.serverapp.web_app.settings
    await socket.write_message("hello")
    assert await socket.read_message() == "hello"
    said = site.serverapp.web_app.settings[key]
    await close(socket)
    await AsyncHTTPClient().fetch(site.url("/x"), headers=headers, method="POST", body="")
    assert site.serverapp.web_app.settings[key] > said
    assert site.serverapp.web_app.last_activity() >= said


async def test_tokens_in_addresses_are_dropped_however_they_are_written() -> None:
    assert without_secrets("a=1&token=x&b=%2F&%74oken=y&tokens=z&_xsrf=1") == "a=1&b=%2F&tokens=z"
    assert without_secrets("") == ""


@pytest.mark.parametrize("target", ["/x\rb: y", "/x\nb: y", "/x\0"])
async def test_a_line_that_is_two_is_not_sent(target: str) -> None:
    with pytest.raises(InvalidRequest):
        head(f"GET {target} HTTP/1.1", HTTPHeaders())


@pytest.mark.parametrize("length", ["5, 5", "+5", "-1", "²", "0x5", ""])
async def test_a_length_that_could_be_read_two_ways_is_refused(length: str) -> None:
    headers = HTTPHeaders({"Content-Length": length})
    with pytest.raises(InvalidRequest):
        body_of(headers)


async def test_chunks_win_over_a_length() -> None:
    headers = HTTPHeaders({"Content-Length": "5", "Transfer-Encoding": "chunked"})
    body = body_of(headers)
    body.delimit(headers)
    assert dict(headers) == {"Transfer-Encoding": "chunked"}
    assert body.frame(b"hello") + body.end == b"5\r\nhello\r\n0\r\n\r\n"


async def test_headers_that_the_connection_names_do_not_cross() -> None:
    headers = HTTPHeaders({"Connection": "X-Hop, close", "X-Hop": "1", "X-Kept": "1"})
    kept = to_browser(headers, Outside("http", "h", "/p"), HERE)
    assert dict(kept) == {"X-Kept": "1"}


@pytest.mark.parametrize(
    "name",
    [
        "Accept-CH",
        "Access-Control-Allow-Private-Network",
        "Access-Control-Expose-Headers",
        "Alt-Svc",
        "Attribution-Reporting-Register-Source",
        "Clear-Site-Data",
        "Critical-CH",
        "NEL",
        "Origin-Agent-Cluster",
        "Origin-Trial",
        "Public-Key-Pins",
        "Report-To",
        "Reporting-Endpoints",
        "Sec-Session-Registration",
        "Service-Worker-Allowed",
        "Set-Cookie",
        "Set-Login",
        "Strict-Transport-Security",
        "Timing-Allow-Origin",
        "Use-As-Dictionary",
        "WWW-Authenticate",
        "X-Accel-Redirect",
    ],
)
async def test_what_a_browser_would_keep_for_the_whole_origin_does_not_cross(name: str) -> None:
    for written in (name, name.lower(), name.upper()):
        headers = HTTPHeaders({written: "1", "X-Kept": "1"})
        assert dict(to_browser(headers, Outside("http", "h", "/p"), HERE)) == {"X-Kept": "1"}


async def test_what_is_about_one_answer_crosses() -> None:
    headers = HTTPHeaders(
        dict.fromkeys(
            [
                *("Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Encoding"),
                *("Content-Security-Policy", "Content-Type", "Etag", "Last-Modified", "Link"),
                *("Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy", "Retry-After"),
                *("Grpc-Status", "Hx-Trigger", "Vary", "X-Accel-Buffering", "X-Frame-Options"),
            ],
            "1",
        )
    )
    assert dict(to_browser(headers, Outside("http", "h", "/p"), HERE)) == dict(headers)
