"""Tokens of JupyterHub, with a fake Hub; tests/hub has a real one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from traitlets import TraitError

from jupyter_gpuquota.controller.authenticators import jupyterhub
from jupyter_gpuquota.controller.authenticators.jupyterhub import HubAuthenticator, full
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Unavailable

pytestmark = pytest.mark.asyncio

ANA = {
    "kind": "user",
    "name": "ana",
    "groups": ["ml"],
    "admin": False,
    "scopes": ["access:servers!server=ana/", "users:activity!user=ana"],
}


class Hub:
    """A Hub that answers `GET /hub/api/user`."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"ana-token": ANA}
        self.asked: list[str] = []
        self.heard = asyncio.Event()
        self.hold = asyncio.Event()
        self.hold.set()


class UserHandler(web.RequestHandler):
    def initialize(self, hub: Hub) -> None:
        self.hub = hub

    async def get(self) -> None:
        token = self.request.headers["Authorization"].removeprefix("token ")
        self.hub.asked.append(token)
        self.hub.heard.set()
        await self.hub.hold.wait()
        answer = self.hub.answers.get(token, 403)
        if isinstance(answer, int):
            self.set_status(answer)
            self.set_header("Location", "/elsewhere")
            answer = {"status": answer, "message": "no"}
        self.finish(answer)


@asynccontextmanager
async def asked(**settings: Any):
    """A Hub, an authenticator that asks it, and the authenticator's clock."""
    hub, clock = Hub(), [0.0]
    server = HTTPServer(web.Application([("/hub/api/user", UserHandler, {"hub": hub})]))
    [listener] = bind_sockets(0, "127.0.0.1")
    server.add_socket(listener)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/hub/api"
    try:
        yield hub, HubAuthenticator(clock=lambda: clock[0], api_url=url, **settings), clock
    finally:
        server.stop()
        await server.close_all_connections()


async def test_the_hub_says_who_it_is():
    async with asked() as (_, authenticator, _clock):
        found = await authenticator.authenticate("ana-token")
        assert found == Caller("ana", frozenset({"ml"}), known="jupyterhub")
        assert await authenticator.authenticate("li-token") is None


async def test_an_answer_counts_for_a_minute_and_a_refusal_for_seconds():
    async with asked() as (hub, authenticator, clock):
        for _ in range(3):
            await authenticator.authenticate("ana-token")
            await authenticator.authenticate("li-token")
        assert hub.asked == ["ana-token", "li-token"]
        clock[0] += jupyterhub.UNKNOWN + 1
        await authenticator.authenticate("ana-token")
        await authenticator.authenticate("li-token")
        assert hub.asked[2:] == ["li-token"]
        clock[0] += jupyterhub.KNOWN
        del hub.answers["ana-token"]
        assert await authenticator.authenticate("ana-token") is None
        assert hub.asked[3:] == ["ana-token"]


async def test_many_who_come_at_once_ask_once():
    async with asked() as (hub, authenticator, _):
        hub.hold.clear()
        waiting = [asyncio.ensure_future(authenticator.authenticate("ana-token")) for _ in range(9)]
        await hub.heard.wait()
        waiting.pop(0).cancel()  # whoever asked first may go
        hub.hold.set()
        found = await asyncio.gather(*waiting)
        assert {caller.name for caller in found} == {"ana"}
        assert hub.asked == ["ana-token"]


@pytest.mark.parametrize("answer", [500, 502, 302, 404, 429, {"kind": 5}, {"groups": "ml"}])
async def test_what_is_no_answer_leaves_it_open_and_is_not_remembered(answer):
    async with asked() as (hub, authenticator, _):
        hub.answers["ana-token"] = answer
        with pytest.raises(Unavailable, match="JupyterHub") as caught:
            await authenticator.authenticate("ana-token")
        assert "ana-token" not in str(caught.value)
        hub.answers["ana-token"] = ANA
        assert await authenticator.authenticate("ana-token")
        assert hub.asked == ["ana-token"] * 2


async def test_a_hub_that_is_away_leaves_it_open():
    async with asked() as (_, authenticator, _clock):
        pass
    with pytest.raises(Unavailable, match="does not respond"):
        await authenticator.authenticate("ana-token")


@pytest.mark.parametrize(
    "answer",
    [
        {**ANA, "kind": "service"},
        {**ANA, "name": ""},
        {**ANA, "scopes": []},
        {key: value for key, value in ANA.items() if key != "scopes"},
        {},
    ],
)
async def test_only_people_with_a_token_for_this_are_known(answer):
    async with asked() as (hub, authenticator, _):
        hub.answers["ana-token"] = answer
        assert await authenticator.authenticate("ana-token") is None


@pytest.mark.parametrize(
    ("scope", "accepted"),
    [
        ("access:servers!server=ana/", True),
        ("access:servers!server=ana/second", True),
        ("access:servers!user=ana", True),
        ("access:servers", True),
        ("access:services", True),
        ("access:services!service=gpuquota", True),
        ("access:services!service=other", False),
        ("access:servers!server=li/", False),
        ("access:servers!server=anabel/", False),
        ("access:servers!user=li", False),
        ("users:activity!user=ana", False),
        ("read:users!user=ana", False),
        ("admin:users", False),
        ("", False),
    ],
)
async def test_a_token_that_others_got_for_something_else_does_not_count(scope, accepted):
    """Such as the one that an admin leaves at the server of somebody who is visited."""
    assert full("ana", [scope], "gpuquota") is accepted


async def test_without_a_name_no_service_is_meant():
    assert not full("ana", ["access:services!service="], "")


async def test_its_address_comes_from_the_hub(monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1:8081/hub/api")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_NAME", "gpuquota")
    found = HubAuthenticator()
    assert (found.api_url, found.service) == ("http://127.0.0.1:8081/hub/api", "gpuquota")
    monkeypatch.delenv("JUPYTERHUB_API_URL")
    with pytest.raises(TraitError, match="api_url"):
        HubAuthenticator()
