"""A Jupyter Server whose sessions have hosts of their own, and a browser."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPResponse
from tornado.httputil import parse_cookie

from jupyter_gpuquota.core.hosts import parse
from jupyter_gpuquota.server.ingress.hosts.addresses import Hosts
from jupyter_gpuquota.server.ingress.hosts.handover import Handovers
from tests.server.ingress.conftest import Site
from tests.server.ingress.test_security import cookies_of

NAVIGATION = {
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Site": "same-site",
    "Accept": "text/html",
}
FETCH = {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["/", "/user/ana/"])
def jp_base_url(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hosts(jp_base_url: str, clock: Clock) -> Hosts:
    return Hosts(parse("{session}.gpu.test"), jp_base_url, Handovers(clock))


@dataclass
class Browser:
    """A minimal browser that keeps the cookies of each host."""

    site: Site
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)
    connects_to: int = 0

    @property
    def lab(self) -> str:
        return f"lab.test:{self.site.serverapp.port}"

    def host(self, session: str = "", port: int = 0) -> str:
        label = (session or self.site.session.id) + (f"-{port}" if port else "")
        return f"{label}.gpu.test:{self.site.serverapp.port}"

    async def log_in(self) -> None:
        self.cookies[self.lab] = dict(parse_cookie(await cookies_of(self.site, self.lab)))

    async def ask(
        self, host: str, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> HTTPResponse:
        sent = "; ".join(f"{k}={v}" for k, v in self.cookies.get(host, {}).items())
        response = await AsyncHTTPClient().fetch(
            f"http://127.0.0.1:{self.connects_to or self.site.serverapp.port}{path}",
            method=method,
            body=body,
            headers={"Host": host, **({"Cookie": sent} if sent else {}), **headers},
            follow_redirects=False,
            raise_error=False,
            allow_nonstandard_methods=True,
        )
        for line in response.headers.get_list("Set-Cookie"):
            name, _, value = line.split(";")[0].partition("=")
            self.cookies.setdefault(host, {})[name] = value
        return response

    async def open(self, path: str, **headers: str) -> HTTPResponse:
        """Open an address of JupyterLab's host in a tab; return the answer with the code."""
        return await self.ask(self.lab, path, **{**NAVIGATION, **headers})

    async def send(self, page: HTTPResponse, host: str = "") -> HTTPResponse:
        """Do what the page with the code does, towards its host or another."""
        to, path, code = form_of(page)
        return await self.ask(
            host or to, path, "POST", f"code={code}", **{**NAVIGATION, "Origin": "null"}
        )

    async def enter(self, port: int = 0) -> str:
        """Get in, and return the host."""
        if self.lab not in self.cookies:
            await self.log_in()
        answer = await self.send(await self.open(lab_path(self.site, port=port)))
        assert answer.code == 303, answer.body
        return self.host(port=port)


def lab_path(site: Site, path: str = "/", port: int = 0) -> str:
    return site.prefix + (f"/p/{port}" if port else "") + path


def own_path(site: Site, path: str = "/", port: int = 0) -> str:
    """Return where it is at its own host: programs are at the root where they can be."""
    return path if port and site.serverapp.base_url == "/" else lab_path(site, path, port)


def form_of(page: HTTPResponse) -> tuple[str, str, str]:
    """Return host, path and code that a page posts by itself."""
    assert page.code == 200, page.body
    found = re.search(r'action="http://([^/]+)([^"]+)".*name="code" value="([^"]+)"', text_of(page))
    assert found, page.body
    return found[1], found[2], found[3]


def text_of(response: HTTPResponse) -> str:
    return response.body.decode()


def seen(response: HTTPResponse) -> dict[str, str]:
    """Return the headers that reached the session."""
    assert response.code == 200, response.body
    return {name.lower(): value for name, value in json.loads(response.body)["headers"]}


@pytest.fixture
def browser(site: Site) -> Browser:
    site.serverapp.web_app.settings["allow_remote_access"] = True
    return Browser(site)
