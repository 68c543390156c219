"""Pages, kernels, logs, programs and terminals of real sessions through a real API server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import websocket
from msgspec import structs
from tornado.httputil import HTTPHeaders

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import NotAllowed, NotFound
from jupyter_gpuquota.http1 import Response, connect_unix, fetch
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.builders.container import service
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.volumes import secret
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.labels import object_name
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.resident.cluster import Reaching, reaching
from jupyter_gpuquota.kubernetes.resources import PODS, SECRETS, SERVICES, STATEFUL_SETS
from jupyter_gpuquota.model.programs import ExecRequest, TerminalInput, TerminalRequest
from jupyter_gpuquota.model.sessions import LogQuery, Session
from tests.builders import make_session
from tests.cluster.teams import Teams
from tests.local.builders import LIMITS
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

TOKEN = "id-exp-1.of-a-test"  # noqa: S105 (a test's)
MANY = 20 * 2**20
PARTS = Parts(defaults=PodDefaults(server=("jupyter", "server")))


@dataclass
class Lab:
    """A session on the cluster, and what reaches it."""

    api: Api
    session: Session
    all: Reaching
    pods: dict[str, Pod]

    async def until_ready(self) -> None:
        """Wait until the session's pod is ready."""
        async with asyncio.timeout(patience()):
            while True:
                found = await self.api.list(PODS, self.session.spec.project)
                self.pods = dict.fromkeys([self.session.id], found[-1]) if found else {}
                statuses = [one for pod in found for one in pod.status.container_statuses]
                if statuses and all(one.ready for one in statuses):
                    return
                await asyncio.sleep(0.2)

    async def ask(self, method: str, path: str, body: bytes = b"") -> Response:
        """Return the answer of the session's Jupyter Server, as the ingress would."""
        to = await self.all.ingress.endpoint(self.session.id, 0)
        stream = await connect_unix(Path(to.socket))
        headers = HTTPHeaders({"Host": to.authority, **to.headers})
        try:
            return await fetch(stream, method, f"{to.base_url}{path}", headers, body)
        finally:
            stream.close()

    async def log(self, wanted: str) -> str:
        """Follow the log from its beginning until it has a text."""
        cursor, seen = "", ""
        async with asyncio.timeout(patience()):
            while wanted not in seen:
                chunk = await self.all.logs.read(self.session.id, LogQuery(cursor=cursor))
                cursor, seen = chunk.cursor, seen + chunk.text
                assert not chunk.missed
                await asyncio.sleep(0 if chunk.text else 0.2)
        return seen


@pytest.fixture
def namespace(kubelet, teams: Teams) -> str:
    return teams.plain("team-a", processes=True).namespace


@pytest_asyncio.fixture
async def api(kubelet):
    made = await connect(str(kubelet.kubeconfig("alice")))
    yield made
    await made.close()


@pytest_asyncio.fixture
async def launch(api, namespace, tmp_path):
    """Launch a session with the backend's own manifests."""
    opened = []

    async def launched(**spec: Any) -> Lab:
        place = {"project": namespace, "environment": "", "folder": "/home/jovyan", "image": "any"}
        session = make_session(state="running", **place, **spec)
        session = structs.replace(session, run=1)
        await api.create(SECRETS, namespace, secret(session, TOKEN, PARTS.defaults))
        await api.create(SERVICES, namespace, service(session))
        await api.create(STATEFUL_SETS, namespace, workload(session, PARTS))
        name = object_name(session)
        await api.patch(STATEFUL_SETS, namespace, name, {"spec": {"replicas": 1}})
        lab = lab_of(api, session, tmp_path)
        opened.append(lab.all)
        return lab

    yield launched
    for one in opened:
        await one.signals.close()
        await one.close()


def lab_of(api: Api, session: Session, folder: Path) -> Lab:
    def find(session_id: str) -> Session:
        if session_id != session.id:
            raise NotFound("No such session.")
        return session

    def pod_of(session: Session, process: int = 0) -> Pod | None:
        return lab.pods.get(session.id) if process == 0 else None

    config = KubernetesConfig(reach="port-forward")
    lab = Lab(api, session, reaching(config, api, folder, find, pod_of, Clock()), {})
    return lab


async def test_pages_large_files_and_kernels_pass_through_a_port_forward(launch):
    lab = await launch()
    await lab.until_ready()
    answer = await lab.ask("GET", "api/status")
    assert (answer.status, json.loads(answer.body)["kernels"]) == (200, 0)
    text = base64.b64encode(bytes(MANY)).decode()
    sent = {"type": "file", "format": "base64", "content": text}
    assert (await lab.ask("PUT", "api/contents/large", json.dumps(sent).encode())).status == 201
    large = await lab.ask("GET", "files/large")
    assert hashlib.sha256(large.body).digest() == hashlib.sha256(bytes(MANY)).digest()
    kernel = json.loads((await lab.ask("POST", "api/kernels", b"{}")).body)["id"]
    to = await lab.all.ingress.endpoint(lab.session.id, 0)
    assert await asyncio.to_thread(run_cell, to, kernel, "print(6 * 7)") == "42\n"
    found = await lab.all.signals.read([lab.session], {lab.session.id: LIMITS})
    states = {reading.name: reading.state for reading in found[lab.session.id]}
    assert (states["kernels"], states["terminals"]) == ("idle", "idle")


def run_cell(to, kernel: str, code: str) -> str:
    """Return what a cell prints; all through the WebSocket of a kernel."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(patience())
    connection.connect(to.socket)
    url = f"ws://{to.authority}{to.base_url}api/kernels/{kernel}/channels"
    channel = websocket.create_connection(url, socket=connection, header=to.headers)
    header = {"msg_id": "1", "msg_type": "execute_request", "username": "", "session": "s"}
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}}
    request = {
        "header": {**header, "version": "5.3", "date": "2026-01-01T00:00:00Z"},
        "parent_header": {},
        "metadata": {},
        "content": {**content, "allow_stdin": False, "stop_on_error": True},
        "channel": "shell",
    }
    channel.send(json.dumps(request))
    while True:
        message = json.loads(channel.recv())
        if message["msg_type"] == "stream":
            channel.close()
            return str(message["content"]["text"])


async def test_a_log_is_followed_and_continues_after_a_crash(launch):
    crash = "i=0; while [ $i -lt 5 ]; do echo line $i; i=$((i+1)); sleep 0.2; done; exit 3"
    lab = await launch(command=("sh", "-c", crash))
    await lab.until_ready()
    seen = await lab.log("line 4\n")
    assert seen == "".join(f"line {n}\n" for n in range(5))
    tail = await lab.all.logs.read(lab.session.id, LogQuery(tail=1))
    assert tail.text == "line 4\n"
    async with asyncio.timeout(patience()):
        while not lab.pods[lab.session.id].status.container_statuses[0].restart_count:
            [lab.pods[lab.session.id]] = await lab.api.list(PODS, lab.session.spec.project)
            await asyncio.sleep(0.2)
    assert (await lab.log("line 4\n")).startswith("line 0\n")


async def test_programs_run_with_the_environment_of_the_session(launch):
    lab = await launch(command=("sleep", "600"))
    await lab.until_ready()
    run = lab.all.exec.execute
    for command, code, output in (
        (("printenv", "GPUQUOTA_SESSION"), 0, f"{lab.session.id}\n"),
        (("sh", "-c", "echo $0 out; exit 3", "a b;$c"), 3, "a b;$c out\n"),
    ):
        result = await run(lab.session.id, ExecRequest(command=command))
        assert (result.exit_code, result.output) == (code, output)
    assert (await run(lab.session.id, ExecRequest(command=("no-such",)))).exit_code == 127
    began = time.monotonic()
    slow = await run(lab.session.id, ExecRequest(command=("sleep", "60"), timeout=1))
    assert slow.timed_out
    assert time.monotonic() - began < 60
    wait = "echo one; until [ -e go ]; do sleep 0.1; done; echo two"
    seen = ""
    async for event in lab.all.exec.stream(lab.session.id, ExecRequest(command=("sh", "-c", wait))):
        seen += event.output
        if seen == "one\n":
            assert (await run(lab.session.id, ExecRequest(command=("touch", "go")))).exit_code == 0
    assert seen == "one\ntwo\n"


async def test_a_terminal_is_interactive_and_has_a_size(launch):
    lab = await launch(command=("sleep", "600"))
    await lab.until_ready()
    request = TerminalRequest(columns=100, rows=30, command=("bash", "--norc"))
    events = lab.all.terminals.open(lab.session.id, request)
    terminal = (await anext(events)).terminal

    async def typed(text: str, wanted: str) -> None:
        await lab.all.terminals.type(lab.session.id, terminal, TerminalInput(text=text))
        seen = ""
        async with asyncio.timeout(patience()):
            while wanted not in seen:
                seen += (await anext(events)).output

    await typed("stty size\n", "30 100")
    size = TerminalInput(columns=120, rows=40)
    await lab.all.terminals.type(lab.session.id, terminal, size)
    await typed("stty size\n", "40 120")
    await lab.all.terminals.type(lab.session.id, terminal, TerminalInput(text="exit 7\n"))
    codes = [event.result.exit_code async for event in events if event.result]
    assert codes == [7]


async def test_members_of_other_teams_reach_nothing(kubelet, launch, tmp_path):
    lab = await launch(command=("sleep", "600"))
    await lab.until_ready()
    bob = await connect(str(kubelet.kubeconfig("bob")))
    other = lab_of(bob, structs.replace(lab.session), tmp_path / "bob")
    other.pods.update(lab.pods)
    jupyter = structs.replace(lab.session, spec=structs.replace(lab.session.spec, command=()))
    with pytest.raises(NotAllowed, match="may not get secrets"):
        await lab_of(bob, jupyter, tmp_path / "bob").all.ingress.endpoint(jupyter.id, 0)
    with pytest.raises(NotAllowed, match="may not get pods/log"):
        await other.all.logs.read(lab.session.id, LogQuery())
    with pytest.raises(NotAllowed, match="pods/exec"):
        await other.all.exec.execute(lab.session.id, ExecRequest(command=("true",)))
    with pytest.raises(NotAllowed, match="pods/exec"):
        await anext(other.all.terminals.open(lab.session.id, TerminalRequest()))
    await bob.close()
