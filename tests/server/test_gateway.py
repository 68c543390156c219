"""The way to the controller and back: gateway, socket, and the account at its other end."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import socket
import threading
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from pwd import getpwuid

import pytest
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders
from tornado.iostream import StreamClosedError

from jupyter_gpuquota.api import sockets
from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller.unix_mount import Traffic, application
from jupyter_gpuquota.errors import GpuQuotaError, NoServer, NotFound, Unavailable
from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.http1 import fetch
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.routes.table import ROUTES, route
from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.model.volumes.volumes import NewVolume
from jupyter_gpuquota.server.gateway import Gateway
from jupyter_gpuquota.server.upstreams import OwnController
from tests.access.asking import request_of
from tests.contract import snapshots
from tests.contract.access_table import REQUESTS
from tests.contract.data import for_the_table
from tests.fakes import ShortTerminals, make_backend
from tests.waiting import patience

BODY = b'{"name": "exp-1", "project": "team-a", "gpu": 0.5, "ports": [8000]}'

DATA = {
    *("caches", "datasets", "jobs", "lakes", "lineage", "snapshots"),
    *("templates", "versions", "volumes"),
}

ACCOUNT = getpwuid(os.getuid()).pw_name

pytestmark = pytest.mark.asyncio


class Controller:
    """A controller in this process with a memory backend."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "controller.sock"
        self.backend = make_backend(admins=(ACCOUNT,))
        self.traffic = Traffic()
        self.retired = asyncio.Event()
        self.starts = 0
        self.server: HTTPServer | None = None

    def start(self) -> None:
        self.starts += 1
        dispatcher, access = InProcess(self.backend), self.backend.access
        served = application(dispatcher, access, self.traffic, self.retired.set)
        self.server = HTTPServer(served)
        self.server.add_socket(sockets.bind(self.path))

    async def die(self) -> None:
        server, self.server = self.server, None
        server.stop()
        await server.close_all_connections()

    def ensure(self, loop: asyncio.AbstractEventLoop):
        """Return what the gateway calls in a thread."""

        async def start() -> None:
            if self.server is None:
                self.start()

        def ensure(location: Location) -> Path:
            assert location == Location(self.folder)
            asyncio.run_coroutine_threadsafe(start(), loop).result()
            return self.path

        return ensure


@asynccontextmanager
async def controller_in(folder: Path):
    controller = Controller(folder)
    gateway = Gateway(
        OwnController(Location(folder), controller.ensure(asyncio.get_running_loop()))
    )
    try:
        yield controller, gateway
    finally:
        gateway.close()
        await snapshots.close(controller.backend)
        if controller.server:
            await controller.die()


async def ask(gateway: Gateway, name: str, body: bytes = b"", **options):
    return await gateway.dispatch(ApiRequest(route=route(name), body=body, **options))


async def ask_within(gateway: Gateway, seconds: float, name: str = "sessions.list"):
    """Send a request with a shorter time limit than the route table's."""
    hasty = dataclasses.replace(route(name), timeout=seconds)
    return await gateway.dispatch(ApiRequest(route=hasty))


@contextmanager
def full_listener(path: Path):
    """Listen with a full backlog and accept nothing, like a stopped controller."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen(0)
        while True:
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
            waiting.settimeout(0)
            try:
                waiting.connect(str(path))
            except BlockingIOError:
                break
        yield


async def test_the_controller_is_started_when_it_is_first_needed(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        assert controller.starts == 0
        answers = await asyncio.gather(*(ask(gateway, "about.get") for _ in range(10)))
        assert {answer.status for answer in answers} == {200}
        assert controller.starts == 1


async def test_every_route_passes_through(tmp_path):
    bodies = {
        "sessions.preview": BODY,
        "sessions.exec": b'{"command": ["true"]}',
        "sessions.exec_stream": b'{"command": ["true"]}',
        "sessions.resize": b'{"gpu": "0.25"}',
        "sessions.presence": b'{"at": "2026-01-01T12:00:00Z"}',
        "sessions.put_page": b'{"state": "closed"}',
        "projects.put": b'{"quota": 1}',
        "projects.preview": b'{"name": "team-a", "quota": 1}',
        "rules.put": b'{"revision": "1"}',
        "groups.put": b'{"revision": "1"}',
        "policy.put": b'{"revision": "1"}',
        "jobs.report": b'{"kind": "sync", "dataset": "faces", "state": "done"}',
        "datasets.create": b'{"name": "cats", "project": "team-a"}',
        "volumes.create": b'{"name": "new", "project": "team-a", "size": "1Gi"}',
        "snapshots.mark": b'{"tags": ["first"]}',
    }
    unsupported = {"jobs.start", "snapshots.files"}  # see test_api
    last = ["sessions.suspend", "sessions.resume", "sessions.stop", "sessions.delete"]
    last = [*last, "projects.put", "projects.delete"]
    last += ["caches.unpin", "caches.delete", "versions.delete", "datasets.delete"]
    last = ["snapshots.delete", "volumes.delete", "templates.delete", *last]
    first = [row.name for row in ROUTES if row.name not in (*last, "sessions.create")]
    async with controller_in(tmp_path) as (controller, gateway):
        controller.backend = dataclasses.replace(controller.backend, terminals=ShortTerminals())
        created = await ask(gateway, "sessions.create", BODY)
        assert created.status == 201
        session = json.loads(created.body)
        assert session["owner"] == ACCOUNT
        await for_the_table(controller.backend, ())
        [made] = controller.backend.sessions.all()
        async with snapshots.attended(controller.backend):
            await snapshots.for_the_table(controller.backend, made)
        wanted = NewVolume(name="shared", project="team-a", owner=ACCOUNT, size=2**30)
        await controller.backend.volumes.create(wanted)
        controller.backend.ingress.endpoints[session["id"], 0] = Endpoint(host="127.0.0.1", port=1)
        for name in first + last:
            query, body = "timeout=0" if name == "changes.wait" else "", b""
            found = {"id": session["id"], "name": "team-z", "page": "p1", "terminal": "t1"}
            args = {key: found[key] for key in found if f"{{{key}}}" in route(name).path}
            if name.partition(".")[0] in DATA and name in REQUESTS:
                args, query, body = request_of(name, session["id"])
                args |= {"project": "team-a"} if "project" in args else {}
            if name == "datasets.delete":  # which waits for jobs
                ended = JobReport(kind="sync", dataset="faces", state="cancelled")
                await controller.backend.jobs.report("job-1", ended, "owner")
            if name == "settings.put":
                text = await controller.backend.administration.text()
                body = json.dumps({"text": text.text, "revision": text.revision}).encode()
            answer = await ask(gateway, name, bodies.get(name, body), args=args, query=query)
            here = 501 if name in unsupported else route(name).status
            assert answer.status == here, (name, answer.body)
            lines = [line async for line in answer.lines] if answer.lines else []
            assert bool(lines) == (route(name).streams and name not in unsupported)


async def test_errors_of_the_controller_arrive_as_they_are(tmp_path):
    async with controller_in(tmp_path) as (_, gateway):
        answer = await ask(gateway, "sessions.get", args={"id": "none"})
        assert answer.status == 404
        assert json.loads(answer.body)["code"] == NotFound.code


async def test_an_argument_never_becomes_another_path(tmp_path):
    async with controller_in(tmp_path) as (_, gateway):
        await ask(gateway, "sessions.create", BODY)
        assert (await ask(gateway, "sessions.get", args={"id": "team-a~exp-1"})).status == 200
        for internal in ("exp-1/context", "exp-1/endpoint"):
            answer = await ask(gateway, "sessions.get", args={"id": internal})
            assert answer.status == 404
            assert b'"NotFound"' in answer.body


async def test_an_etag_makes_the_round(tmp_path):
    async with controller_in(tmp_path) as (_, gateway):
        first = await ask(gateway, "sessions.list")
        again = await ask(gateway, "sessions.list", etags=first.etag)
        assert (again.status, again.body) == (304, b"")
        await ask(gateway, "sessions.create", BODY)
        assert (await ask(gateway, "sessions.list", etags=first.etag)).status == 200


async def test_a_controller_that_died_is_started_again(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        await ask(gateway, "sessions.create", BODY)
        await controller.die()
        assert (await ask(gateway, "sessions.list")).status == 200
        await controller.die()
        assert (await ask(gateway, "sessions.create", BODY)).status == 409
        assert controller.starts == 3


async def test_a_failed_start_is_told_and_tried_again_later(tmp_path):
    failures = [NoServer("The disk is full.")]
    async with controller_in(tmp_path) as (controller, _working):
        ensure = controller.ensure(asyncio.get_running_loop())

        def fail_once(location: Location) -> Path:
            if failures:
                raise failures.pop()
            return ensure(location)

        gateway = Gateway(OwnController(Location(tmp_path), fail_once))
        with pytest.raises(NoServer, match="disk is full"):
            await ask(gateway, "about.get")
        assert (await ask(gateway, "about.get")).status == 200
        gateway.close()


@pytest.mark.parametrize(
    ("name", "asks", "code"),
    [("sessions.list", 2, "Unavailable"), ("sessions.create", 1, "OutcomeUnknown")],
)
async def test_only_reads_are_asked_twice(tmp_path, name, asks, code):
    """A peer that accepts and then hangs up may have carried out the request."""
    heard = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    path = tmp_path / "controller.sock"
    server = await asyncio.start_unix_server(hang_up, path)
    gateway = Gateway(OwnController(Location(tmp_path), lambda _: path))
    with pytest.raises(Unavailable, match="exited") as caught:
        await ask(gateway, name, BODY)
    assert (len(heard), caught.value.code) == (asks, code)
    server.close()


async def test_a_listener_without_room_is_given_up(tmp_path):
    with full_listener(tmp_path / "s"), pytest.raises(TimeoutError):
        await sockets.connect(tmp_path / "s", timeout=0.1)


async def test_a_request_ends_in_time_while_it_connects(tmp_path):
    path = tmp_path / "controller.sock"
    gateway = Gateway(OwnController(Location(tmp_path), lambda _: path))
    with full_listener(path):
        with pytest.raises(Unavailable, match="nothing was sent") as caught:
            await ask_within(gateway, 0.1)
        assert str(tmp_path / "controller.log") in caught.value.hint
    gateway.close()


async def test_a_request_ends_in_time_while_the_controller_is_looked_for(tmp_path):
    """And those that come after it wait for the same search."""
    searched, released = [], threading.Event()

    def ensure(location: Location) -> Path:
        searched.append(threading.current_thread().name)
        released.wait(patience())
        raise NoServer("Nobody is there.")

    gateway = Gateway(OwnController(Location(tmp_path), ensure))
    for _ in range(2):
        with pytest.raises(Unavailable, match="nothing was sent"):
            await ask_within(gateway, 0.1)
    last = asyncio.ensure_future(ask(gateway, "sessions.list"))
    await asyncio.sleep(0)
    released.set()
    with pytest.raises(NoServer):
        await last
    assert searched == ["gpuquota-gateway_0"]
    gateway.close()


@pytest.mark.parametrize(
    ("name", "code"), [("sessions.list", "Unavailable"), ("sessions.create", "OutcomeUnknown")]
)
async def test_a_request_ends_in_time_while_it_is_answered(tmp_path, name, code):
    left = asyncio.Event()

    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the gateway hangs up
        writer.close()
        await writer.wait_closed()
        left.set()

    path = tmp_path / "controller.sock"
    server = await asyncio.start_unix_server(silence, path)
    gateway = Gateway(OwnController(Location(tmp_path), lambda _: path))
    with pytest.raises(Unavailable, match="did not respond") as caught:
        await ask_within(gateway, 3, name)
    assert caught.value.code == code
    await left.wait()
    gateway.close()
    server.close()


async def test_long_routes_have_longer():
    """Longer than what their own limits allow: a long poll's, and those of programs."""
    assert {row.name: row.timeout for row in ROUTES if row.timeout != 60} == {
        "changes.wait": 90,
        "sessions.exec": 3700,
        "sessions.resize": 300,
    }


async def test_a_wait_ends_with_the_change(tmp_path):
    async with controller_in(tmp_path) as (_controller, gateway):
        now = json.loads((await ask(gateway, "changes.wait", query="timeout=0")).body)
        query = f"instance={now['instance']}&since={now['latest']}&timeout=60"
        waiting = asyncio.ensure_future(ask(gateway, "changes.wait", query=query))
        await ask(gateway, "sessions.create", BODY)
        found = json.loads((await waiting).body)
        assert found["latest"] != now["latest"]


async def test_a_cancellation_is_never_lost_to_an_answer_that_comes_with_it(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        for turns in range(60):
            board = controller.backend.resident.board
            query = f"instance={board.instance}&since={board.latest}&timeout=20"
            asked = ApiRequest(route=route("changes.wait"), query=query)
            waiting = asyncio.ensure_future(gateway.dispatch(asked))
            await asyncio.sleep(0.005)
            board.show()
            for _ in range(turns):
                await asyncio.sleep(0)
            was_cancelled = waiting.cancel()
            await asyncio.wait([waiting])
            assert waiting.cancelled() == was_cancelled


async def test_traffic_counts_what_is_being_answered(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        await ask(gateway, "about.get")
        assert controller.traffic.running == 0
        board = controller.backend.resident.board
        query = f"instance={board.instance}&since={board.latest}&timeout=60"
        waiting = asyncio.ensure_future(ask(gateway, "changes.wait", query=query))
        while not controller.traffic.running:  # noqa: ASYNC110 (the counter has no event)
            await asyncio.sleep(0.01)
        assert controller.traffic.quiet_for() == 0
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_retire_is_answered_before_the_controller_leaves(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        await ask(gateway, "about.get")
        stream = await sockets.connect(controller.path)
        response = await fetch(stream, "POST", "/gpuquota/retire", HTTPHeaders({"Host": "x"}))
        assert response.status == 200
        await asyncio.wait_for(controller.retired.wait(), patience())
        stream.close()


async def test_a_path_longer_than_the_kernel_takes(tmp_path):
    folder = tmp_path / ("deep" * 30) / ("deeper" * 10)
    folder.mkdir(parents=True)
    assert len(str(folder)) > 180
    async with controller_in(folder) as (_controller, gateway):
        assert (await ask(gateway, "about.get")).status == 200
        assert [entry.name for entry in folder.iterdir()] == ["controller.sock"]


async def test_the_socket_is_the_owners_alone(tmp_path):
    async with controller_in(tmp_path) as (controller, _gateway):
        controller.start()
        assert controller.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone else")
async def test_another_account_is_refused(tmp_path):
    """Even where the folder's mode would let it in."""
    async with controller_in(tmp_path) as (controller, _gateway):
        controller.start()
        for folder in (tmp_path, *tmp_path.parents):
            folder.chmod(folder.stat().st_mode | 0o011)
        controller.path.chmod(0o666)
        program = (
            "import os, socket, sys\n"
            "os.setuid(65534)\n"
            "s = socket.socket(socket.AF_UNIX)\n"
            "s.connect(sys.argv[1])\n"
            "s.sendall(b'GET /gpuquota/api/sessions HTTP/1.0\\r\\n\\r\\n')\n"
            "while part := s.recv(65536):\n"
            "    sys.stdout.write(part.decode())\n"
        )
        process = await asyncio.create_subprocess_exec(
            "python3", "-c", program, str(controller.path), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        assert said.startswith(b"HTTP/1.1 403 ")
        assert b'"NotAllowed"' in said


async def test_nobody_listens(tmp_path):
    gateway = Gateway(OwnController(Location(tmp_path), lambda location: location.socket))
    with pytest.raises(GpuQuotaError, match="socket cannot be used"):
        await ask(gateway, "about.get")


async def test_an_answer_that_is_cut_off_is_no_answer(tmp_path):
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        writer.close()

    server = await asyncio.start_unix_server(cut, tmp_path / "s")
    stream = await sockets.connect(tmp_path / "s")
    with pytest.raises(StreamClosedError):
        await fetch(stream, "GET", "/", HTTPHeaders({"Host": "x"}))
    server.close()
