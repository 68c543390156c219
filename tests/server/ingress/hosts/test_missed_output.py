"""Missed kernel output is returned at a session's host to logged-in users."""

from __future__ import annotations

import json

from tests.server.ingress.conftest import PORT
from tests.server.ingress.hosts.conftest import FETCH, Browser, lab_path, own_path
from tests.server.ingress.kernel_messages import execute, stream
from tests.server.ingress.kernel_upstream import FakeKernel, Page

MISSED = "/gpuquota/missed/fake?client=page-2"


async def test_a_page_is_told_at_the_sessions_host(browser: Browser) -> None:
    site, host = browser.site, await browser.enter()
    kernel: FakeKernel = site.jupyter.settings["kernel"]
    path = lab_path(site, "/api/kernels/fake/channels?session_id=page-1")
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies[host].items())
    url = f"ws://127.0.0.1:{site.serverapp.port}{path}"
    page = await Page(url, "", cookie, host=host).connect()
    await page.send(execute("r1", "page-1"))
    await kernel.heard.get()
    await kernel.say(stream("1", "r1"))
    await page.receive()
    await page.leave(1001)

    own = {**FETCH, "Origin": f"http://{host}"}
    answer = await browser.ask(host, lab_path(site, MISSED), "POST", "", **own)
    assert answer.code == 200, answer.body
    assert [one["id"] for one in json.loads(answer.body)["requests"]] == ["r1"]


async def test_strangers_and_ports_are_told_nothing(browser: Browser) -> None:
    site, host = browser.site, await browser.enter()
    own = {**FETCH, "Origin": f"http://{host}"}
    stranger = await Browser(site).ask(host, lab_path(site, MISSED), "POST", "", **own)
    assert stranger.code == 403
    port = await browser.enter(PORT)
    own = {**FETCH, "Origin": f"http://{port}"}
    answer = await browser.ask(port, own_path(site, MISSED, PORT), "POST", "", **own)
    assert "requests" not in json.loads(answer.body)
