"""The controller on its socket: the account, or a session that sends its token."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from pwd import getpwuid
from typing import Any

import msgspec
import pytest
from tornado import web
from tornado.httputil import HTTPHeaders
from tornado.iostream import StreamClosedError

from jupyter_gpuquota.api import sockets
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller.log import log_server_error
from jupyter_gpuquota.controller.unix_mount import SocketApi, Traffic, application, listen
from jupyter_gpuquota.hosting.unix import API, RETIRE
from jupyter_gpuquota.http1 import fetch
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import make_backend

pytestmark = pytest.mark.asyncio

ME = getpwuid(os.getuid()).pw_name


class Controller:
    """A controller on a socket in the test's own process."""

    def __init__(self, path: Path, backend: Backend) -> None:
        self.path = path
        self.backend = backend
        self.retired = asyncio.Event()
        served = application(InProcess(backend), backend.access, Traffic(), self.retired.set)
        self.server = listen(served, path)

    async def ask(
        self, method: str, target: str, *tokens: str, body: Any = None
    ) -> tuple[int, Any]:
        headers = HTTPHeaders({"Host": "controller"})
        for token in tokens:
            headers.add("Authorization", f"Bearer {token}")
        stream = await sockets.connect(self.path)
        sent = b"" if body is None else msgspec.json.encode(body)
        response = await fetch(stream, method, target, headers, sent)
        stream.close()
        return response.status, msgspec.json.decode(bytes(response.body))


@asynccontextmanager
async def hosted(folder: Path) -> AsyncIterator[Controller]:
    controller = Controller(folder / "controller.sock", make_backend(admins=()))
    try:
        yield controller
    finally:
        controller.server.stop()
        await controller.server.close_all_connections()


async def launched(controller: Controller) -> tuple[Any, str]:
    """Launch a session; return it and its token."""
    asked = {"name": "exp-1", "project": "team-a", "gpu": 0.5}
    status, session = await controller.ask("POST", f"{API}/sessions", body=asked)
    assert status == 201
    [found] = controller.backend.sessions.all()
    return session, controller.backend.access.token_of(found)


async def test_without_a_token_it_is_the_account(tmp_path):
    async with hosted(tmp_path) as controller:
        session, _ = await launched(controller)
        assert session["owner"] == ME


async def test_with_its_token_it_is_the_session_and_no_more(tmp_path):
    async with hosted(tmp_path) as controller:
        session, token = await launched(controller)
        path = f"{API}/sessions/{session['id']}"
        assert (await controller.ask("GET", path, token))[0] == 200
        for method, target in (("DELETE", path), ("GET", f"{API}/projects"), ("POST", RETIRE)):
            status, problem = await controller.ask(method, target, token, body={})
            assert (status, problem["code"]) == (403, "NotAllowed"), target
        assert not controller.retired.is_set()


@pytest.mark.parametrize("tokens", [("unknown",), ("a b",), ("two", "tokens")])
async def test_with_an_unknown_token_it_is_nobody_not_the_account(tmp_path, tokens):
    async with hosted(tmp_path) as controller:
        for target in (f"{API}/about", RETIRE):
            method = "POST" if target == RETIRE else "GET"
            status, problem = await controller.ask(method, target, *tokens)
            assert (status, problem["code"]) == (401, "NotAuthenticated")
        assert not controller.retired.is_set()


@pytest.mark.parametrize(
    ("head", "status"),
    [("X: " + "x" * 100_000, 431), ("X: " + "x" * 250_000, 431), ("no colon", 400)],
)
async def test_a_head_that_cannot_be_served_gets_an_answer(tmp_path, head, status):
    async with hosted(tmp_path) as controller:
        reader, writer = await asyncio.open_unix_connection(controller.path)
        writer.write(f"GET / HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert status != 431 or b"larger than 64 KiB" in answer


async def test_the_account_makes_it_leave_and_its_path_goes_first(tmp_path):
    async with hosted(tmp_path) as controller:
        assert await controller.ask("POST", RETIRE, body={}) == (200, {})
        assert controller.retired.is_set()
        controller.server.stop()
        assert not controller.path.exists()


ADMIN_ASKS = """
import sys
from pathlib import Path
from jupyter_gpuquota.hosting.unix import UnixConnection
connection = UnixConnection(Path(sys.argv[1]), 30)
connection.request("PUT", "/gpuquota/api/projects/zz", b'{"quota": 1}')
print(connection.getresponse().read().decode())
connection.request("POST", "/gpuquota/api/sessions", b'{"name": "s", "project": "team-a"}')
print(connection.getresponse().status)
"""


@pytest.mark.parametrize("hides", [False, True], ids=["plainly", "without its mark"])
async def test_a_program_in_a_session_launches_but_sets_nothing(tmp_path, hides):
    """The second is a child of a shell in the session, and has cleaned its own environment."""
    python = [sys.executable, "-c", ADMIN_ASKS]
    shell = 'env -u GPUQUOTA_SESSION "$@"; exit' if hides else '"$@"; exit'
    async with hosted(tmp_path) as controller:
        for session, code in (("", None), ("s1", "NotAllowed")):
            variables = {**os.environ, "GPUQUOTA_SESSION": session}
            process = await asyncio.create_subprocess_exec(
                *("sh", "-c", shell, "sh", *python, str(controller.path)),
                stdout=asyncio.subprocess.PIPE,
                env={name: value for name, value in variables.items() if value},
            )
            said, _ = await process.communicate()
            put, launched = said.decode().splitlines()
            assert json.loads(put).get("code") == code
            assert launched == ("409" if session else "201")  # the name is taken by then


class Gone(SocketApi):
    """Answers whoever has hung up by the time the request was read."""

    def initialize(self, **passed: Any) -> None:
        super().initialize(**passed)
        self.request.connection.stream.close()


class Failing(web.RequestHandler):
    """Fails by a bug."""

    def get(self) -> None:
        self.send_error(500)


async def test_a_server_error_is_logged_without_the_query(tmp_path, caplog):
    application = web.Application([("/bug", Failing)], log_function=log_server_error)
    server = listen(application, tmp_path / "bug.sock")
    stream = await sockets.connect(tmp_path / "bug.sock")
    await fetch(stream, "GET", "/bug?token=secret", HTTPHeaders({"Host": "controller"}))
    stream.close()
    server.stop()
    await server.close_all_connections()
    assert [each.getMessage() for each in caplog.records] == ["500 GET /bug"]


async def test_a_closed_connection_is_not_an_error(tmp_path, caplog):
    async with hosted(tmp_path) as controller:
        backend = controller.backend
        passed = {"dispatcher": InProcess(backend), "access": backend.access, "traffic": Traffic()}
        application = web.Application([("/gone", Gone, passed)], log_function=log_server_error)
        server = listen(application, tmp_path / "gone.sock")
        stream = await sockets.connect(tmp_path / "gone.sock")
        with pytest.raises(StreamClosedError):
            await fetch(stream, "GET", "/gone", HTTPHeaders({"Host": "controller"}))
        server.stop()
        await server.close_all_connections()
    assert caplog.records == []
