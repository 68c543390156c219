"""The gateway of a JupyterLab and a controller at a URL."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
import trustme
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import GpuQuotaError, NoServer, Unavailable, VersionMismatch
from jupyter_gpuquota.hosting.remote import Remote
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.server.gateway import Gateway
from jupyter_gpuquota.server.upstreams import RemoteController
from tests.controller.hosted import Hosted, hosted

pytestmark = pytest.mark.asyncio

BODY = b'{"name": "exp-1", "project": "team-a", "gpu": 0.5}'


@asynccontextmanager
async def reaching(controller: Hosted, folder: Path, **changed: object):
    """A gateway that reaches a controller with ana's token; yield it and the token's file."""
    token = folder / "token"
    token.write_text("ana-token\n")
    settings = {"url": controller.url, "token_file": token, "ca": controller.files.ca, **changed}
    gateway = Gateway(RemoteController(Remote(**settings)))
    try:
        yield gateway, token
    finally:
        gateway.close()


async def ask(gateway: Gateway, name: str, body: bytes = b"", **options: object) -> ApiResponse:
    return await gateway.dispatch(ApiRequest(route=route(name), body=body, **options))


async def test_it_asks_as_whom_the_token_names(tmp_path):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, _):
        created = await ask(gateway, "sessions.create", BODY)
        assert (created.status, json.loads(created.body)["owner"]) == (201, "ana")
        listed = await ask(gateway, "sessions.list")
        assert (await ask(gateway, "sessions.list", etags=listed.etag)).status == 304


async def test_connections_are_kept(tmp_path):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, _):
        for _ in range(5):
            await ask(gateway, "sessions.list")
        accepted = [
            each
            for each in psutil.Process().net_connections("tcp")
            if each.laddr.port == controller.port and each.status == psutil.CONN_ESTABLISHED
        ]
        assert len(accepted) == 1


async def test_a_renewed_token_counts_at_once(tmp_path):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, token):
        assert json.loads((await ask(gateway, "about.get")).body)["user"] == "ana"
        token.write_text("li-token")
        assert json.loads((await ask(gateway, "about.get")).body)["user"] == "li"


async def test_a_token_that_is_not_known_is_no_users_fault(tmp_path):
    """A 401 would make the page ask the user to log in, who is."""
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, token):
        await ask(gateway, "about.get")
        for secret in ("stranger", "other"):
            token.write_text(secret)
            with pytest.raises(Unavailable, match="does not accept this server's token") as caught:
                await ask(gateway, "sessions.list")
            assert secret not in str(caught.value)


@pytest.mark.parametrize("text", ["", "two words", "é", "line\nline"])
async def test_a_file_without_a_token_is_said(tmp_path, text):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, token):
        token.write_text(text)
        with pytest.raises(NoServer, match="token"):
            await ask(gateway, "about.get")
        token.unlink()
        with pytest.raises(NoServer, match="is unreadable"):
            await ask(gateway, "about.get")


async def test_errors_arrive_as_they_are(tmp_path):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, _):
        answer = await ask(gateway, "sessions.get", args={"id": "none"})
        assert (answer.status, json.loads(answer.body)["code"]) == (404, "NotFound")


async def test_a_controller_that_went_and_came_back(tmp_path):
    async with hosted(tmp_path) as controller, reaching(controller, tmp_path) as (gateway, _):
        await ask(gateway, "about.get")
        await controller.server.close_all_connections()
        assert (await ask(gateway, "about.get")).status == 200


async def test_an_unknown_authority_is_not_trusted(tmp_path):
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    for ca, said in ((other, "not trusted"), (tmp_path / "none", "are unusable")):
        async with (
            hosted(tmp_path) as controller,
            reaching(controller, tmp_path, ca=ca) as (gateway, _),
        ):
            with pytest.raises(NoServer, match=said) as caught:
                await ask(gateway, "about.get")
            assert "JUPYTER_GPUQUOTA_CA" in caught.value.hint


async def test_a_certificate_for_another_name_is_not_trusted(tmp_path):
    async with hosted(tmp_path) as controller:
        url = controller.url.replace("127.0.0.1", "127.0.0.2")
        controller.server.add_sockets(bind_sockets(controller.port, "127.0.0.2"))
        async with reaching(controller, tmp_path, url=url) as (gateway, _):
            with pytest.raises(NoServer, match="not trusted"):
                await ask(gateway, "about.get")


async def test_nobody_there_is_said_with_the_address(tmp_path):
    async with hosted(tmp_path) as controller:
        pass
    async with reaching(controller, tmp_path) as (gateway, _):
        with pytest.raises(NoServer, match=controller.url):
            await ask(gateway, "about.get")


class Stranger(web.RequestHandler):
    """A server that is something else."""

    def initialize(self, answer: bytes, status: int) -> None:
        self._answer = answer, status

    def get(self) -> None:
        self.set_status(self._answer[1])
        self.finish(self._answer[0])


@pytest.mark.parametrize(
    ("answer", "status", "kind"),
    [
        (b"<html>", 200, VersionMismatch),
        (b"{}", 200, VersionMismatch),
        (b'{"version": "9.0", "api": 999, "backend": "x", "user": "x"}', 200, VersionMismatch),
        (b"", 404, NoServer),
        (b"", 302, Unavailable),
        (b"", 502, Unavailable),
        (b"", 401, Unavailable),
    ],
)
async def test_a_stranger_is_not_mistaken_for_a_controller(tmp_path, answer, status, kind):
    served = web.Application([(r".*", Stranger, {"answer": answer, "status": status})])
    server = HTTPServer(served)
    [listener] = bind_sockets(0, "127.0.0.1")
    server.add_socket(listener)
    token = tmp_path / "token"
    token.write_text("ana-token")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/prefix/"
    gateway = Gateway(RemoteController(Remote(url, token)))
    with pytest.raises(GpuQuotaError) as caught:
        await ask(gateway, "about.get")
    assert type(caught.value) is kind
    gateway.close()
    server.stop()
    await server.close_all_connections()
