"""How a browser gets from JupyterLab to a session's host."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port

from jupyter_gpuquota.server.ingress.hosts.addresses import Hosts
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.hosts.conftest import (
    FETCH,
    NAVIGATION,
    Browser,
    Clock,
    form_of,
    lab_path,
    own_path,
    seen,
    text_of,
)


@pytest.fixture
def behind_proxy(site: Site, jp_asyncio_loop: Any) -> Iterator[int]:
    """The port at which JupyterLab believes a reverse proxy."""
    server = HTTPServer(site.serverapp.web_app, xheaders=True)
    listener, number = bind_unused_port(address="127.0.0.1")
    server.add_sockets([listener])
    yield number
    server.stop()
    jp_asyncio_loop.run_until_complete(server.close_all_connections())


@pytest.mark.parametrize("port", [0, PORT])
async def test_a_browser_is_led_to_the_host_and_in(browser: Browser, port: int) -> None:
    site, host = browser.site, browser.host(port=port)
    await browser.log_in()
    page = await browser.open(lab_path(site, "/x?a=%2F&token=no", port))
    to, _, code = form_of(page)
    assert to == host
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    policy = page.headers["Content-Security-Policy"]
    assert f"form-action http://{host};" in policy
    assert "frame-ancestors 'none'" in policy
    entered = await browser.send(page)
    assert entered.code == 303
    assert entered.headers["Location"] == own_path(site, "/x?a=%2F", port)
    (cookie,) = entered.headers.get_list("Set-Cookie")
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "path=/", "samesite=lax"} <= attributes
    assert not any(part.startswith("domain") for part in attributes)
    assert code not in cookie

    got = await browser.ask(host, entered.headers["Location"], **NAVIGATION)
    headers = seen(got)
    assert headers["x-forwarded-host"] == host
    assert "gpuquota" not in headers.get("cookie", "")
    assert headers.get("authorization") == ("token session-secret" if not port else None)
    assert headers.get("x-forwarded-prefix", "") == own_path(site, "", port)


async def test_without_a_login_there_is_no_redirect(browser: Browser) -> None:
    page = await browser.open(lab_path(browser.site))
    assert page.code == 302
    assert "/login" in page.headers["Location"]


async def test_nothing_is_offered_where_there_is_nothing(browser: Browser) -> None:
    await browser.log_in()
    missing = lab_path(browser.site).replace(browser.site.session.id, "szzzzzzzzzzz")
    assert (await browser.open(missing)).code == 404
    assert (await browser.open(lab_path(browser.site, port=1234))).code == 403


async def test_a_code_is_used_up(browser: Browser) -> None:
    await browser.log_in()
    page = await browser.open(lab_path(browser.site))
    assert (await browser.send(page)).code == 303
    stranger = Browser(browser.site)
    refused = await stranger.send(page)
    assert refused.code == 403
    assert not refused.headers.get_list("Set-Cookie")
    again = await browser.send(page)  # "back", and the form is sent again
    assert again.code == 303
    assert again.headers["Location"] == own_path(browser.site)


async def test_a_code_that_is_late_is_refused(browser: Browser, clock: Clock) -> None:
    await browser.log_in()
    page = await browser.open(lab_path(browser.site))
    clock.now += 31
    assert (await browser.send(page)).code == 403


async def test_a_code_is_for_its_session_and_port(browser: Browser) -> None:
    await browser.log_in()
    for host in (browser.host("szzzzzzzzzzz"), browser.host(port=PORT)):
        page = await browser.open(lab_path(browser.site))
        assert (await browser.send(page, host)).code == 403
        assert (await browser.send(page)).code == 403, "it was shown, so it is used up"


async def test_a_code_stands_in_no_log(browser: Browser, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    await browser.log_in()
    page = await browser.open(lab_path(browser.site))
    await browser.send(page)
    key = next(iter(browser.cookies[browser.host()].values()))
    assert "gpuquota/enter" in caplog.text
    assert form_of(page)[2] not in caplog.text
    assert key not in caplog.text


async def test_a_frame_is_no_way_in(browser: Browser) -> None:
    await browser.log_in()
    framed = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "same-origin"}
    assert (await browser.open(lab_path(browser.site), **framed)).code == 403
    _, path, code = form_of(await browser.open(lab_path(browser.site)))
    body = f"code={code}"
    refused = await browser.ask(browser.host(), path, "POST", body, **{**NAVIGATION, **framed})
    assert refused.code == 403


async def test_after_a_restart_pages_are_led_back_by_themselves(
    browser: Browser, hosts: Hosts
) -> None:
    for port in (0, PORT):
        host = await browser.enter(port)
        hosts.handovers._logins.clear()
        path = own_path(browser.site, "/x?a=1", port)
        assert (await browser.ask(host, path, **FETCH)).code == 403
        led = await browser.ask(host, path, **NAVIGATION)
        lab = f"http://{browser.lab}"
        assert led.headers["Location"] == lab + lab_path(browser.site, "/x?a=1", port)
        back = await browser.send(await browser.open(led.headers["Location"].removeprefix(lab)))
        assert back.headers["Location"] == path
        assert (await browser.ask(host, path, **NAVIGATION)).code == 200


async def test_logging_out_of_jupyterlab_ends_it(browser: Browser) -> None:
    host = await browser.enter()
    other = Browser(browser.site)
    await other.enter()
    path = own_path(browser.site, "/x")
    assert (await browser.ask(host, path, **FETCH)).code == 200
    logged_out = await browser.open(f"{browser.site.serverapp.base_url}logout")
    assert "Successfully logged out" in text_of(logged_out)
    assert (await browser.ask(host, path, **FETCH)).code == 403
    assert (await other.ask(host, path, **FETCH)).code == 200


async def test_over_https_the_cookie_is_tied_to_host_and_encryption(
    browser: Browser, behind_proxy: int
) -> None:
    https = {"X-Forwarded-Proto": "https"}
    await browser.log_in()
    browser.connects_to = behind_proxy
    page = await browser.open(lab_path(browser.site), **https)
    found = re.search(r'action="(https://[^/]+)', text_of(page))
    assert found
    assert found[1] == f"https://{browser.host()}"
    code = re.search(r'value="([^"]+)"', text_of(page))
    assert code
    path = f"{browser.site.serverapp.base_url}gpuquota/enter"
    body = f"code={code[1]}"
    entered = await browser.ask(browser.host(), path, "POST", body, **https)
    (cookie,) = entered.headers.get_list("Set-Cookie")
    assert cookie.startswith("__Host-gpuquota")
    assert "secure" in {part.strip().lower() for part in cookie.split(";")}
    got = await browser.ask(browser.host(), own_path(browser.site, "/x"), **https, **FETCH)
    assert seen(got)["x-forwarded-proto"] == "https"
    assert (await browser.ask(browser.host(), own_path(browser.site, "/x"), **FETCH)).code == 403


async def test_a_host_that_was_not_entered_says_so(browser: Browser) -> None:
    answer = await browser.ask(browser.host(), own_path(browser.site), **NAVIGATION)
    assert answer.code == 403
    assert "Open the session from JupyterLab" in text_of(answer)
    assert "href" not in text_of(answer)


async def test_what_cannot_be_shown_leads_back_to_jupyterlab(browser: Browser) -> None:
    host, site = await browser.enter(), browser.site
    site.backend.ingress.endpoints.clear()
    site.targets.forget()
    answer = await browser.ask(host, own_path(site), **NAVIGATION)
    assert answer.code >= 400
    shown = f"lab?reveal={site.session.id}"
    assert f'href="http://{browser.lab}{site.serverapp.base_url}{shown}"' in text_of(answer)
