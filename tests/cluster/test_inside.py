"""What programs and the JupyterLab of a session's pod see of sessions."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tornado.httputil import HTTPHeaders

from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller import https_mount
from jupyter_gpuquota.controller.authentication import AttemptLimit, Authentication
from jupyter_gpuquota.controller.https_mount import Address
from jupyter_gpuquota.controller.tls import Certificate
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.http1 import Response, connect_unix, fetch
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.programs import ExecRequest, ExecResult
from jupyter_gpuquota.model.sessions import LogQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.cluster import Cluster
from scripts.ports import free_port
from tests.cluster.serving import serving
from tests.cluster.teams import Team, Teams
from tests.contract.helpers import until
from tests.controller.hosted import Files
from tests.fakes import ask

pytestmark = pytest.mark.asyncio

CLI = (sys.executable, "-m", "jupyter_gpuquota.ui.cli")


@dataclass
class Outer:
    """A session with a JupyterLab that has our extension, and its owner."""

    backend: Backend
    owner: Caller
    project: str
    id: str

    async def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
        """Return the answer of our extension in the session's JupyterLab."""
        ingress = self.backend.ingress
        assert ingress is not None
        to = await ingress.endpoint(self.id, 0)
        stream = await connect_unix(Path(to.socket))
        headers = HTTPHeaders({"Host": to.authority, **to.headers})
        try:
            url = f"{to.base_url}gpuquota/api{path}"
            answer: Response = await fetch(stream, method, url, headers, body)
        finally:
            stream.close()
        return answer.status, json.loads(bytes(answer.body))

    async def run(self, *words: str) -> ExecResult:
        """Run a command in the session."""
        request = ExecRequest(command=words, timeout=240)
        args = {"id": self.id}
        found: ExecResult = await ask(
            self.backend, "sessions.exec", self.owner, args=args, body=request
        )
        return found


@asynccontextmanager
async def outer(backend: Backend, owner: Caller, project: str) -> AsyncIterator[Outer]:
    """Launch a session, and wait until its JupyterLab is ready."""
    request = SessionRequest(name="outer", project=project, kind="interactive", environment="i:1")
    made = await ask(backend, "sessions.create", owner, body=request)
    await until(backend, made.id, "running")
    yield Outer(backend, owner, project, made.id)


@asynccontextmanager
async def started(hosting: str, folder: Path, **settings: Any) -> AsyncIterator[Backend]:
    """Run a backend whose sessions are programs of the test's own environment."""
    config = KubernetesConfig(
        server_command=[sys.executable, "-m", "jupyterlab"],
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        **settings,
    )
    async with serving(config, folder / "state", hosting) as backend:
        yield backend


@pytest.fixture
def team(kubelet: Cluster, teams: Teams) -> Team:
    return teams.with_kueue("team-a", 4000, processes=True)


async def test_sessions_are_launched_from_inside_a_session(
    kubelet: Cluster, team: Team, teams: Teams, tmp_path: Path
) -> None:
    other = await asyncio.to_thread(teams.with_kueue, "team-b", 1000)
    files, port = Files(tmp_path), free_port()
    settings = {
        "kubeconfig": str(kubelet.kubeconfig()),
        "namespaces": [team.namespace, other.namespace],
        "lease": f"{team.namespace}/controller",
        "controller_url": f"https://127.0.0.1:{port}",
        "controller_ca": str(files.ca),
    }
    alice = Caller("alice", frozenset({"team-a", "team-b"}), known="kubernetes")
    async with started("https", tmp_path, **settings) as backend:
        authentication = Authentication([], backend.access, AttemptLimit())
        application = https_mount.application(InProcess(backend), authentication)
        context = Certificate(files.certificate, files.key).context
        server = https_mount.listen(application, Address("127.0.0.1", port), context)
        async with outer(backend, alice, team.namespace) as session:
            status, about = await session.request("GET", "/about")
            assert (status, about["user"], about["backend"]) == (200, "alice", "kubernetes")
            asked = {"name": "inner", "command": ["sleep", "600"], "environment": "i:1"}
            body = json.dumps({**asked, "project": team.namespace}).encode()
            status, inner = await session.request("POST", "/sessions", body)
            assert (status, inner["owner"]) == (201, "alice"), inner
            body = json.dumps({**asked, "project": other.namespace}).encode()
            assert (await session.request("POST", "/sessions", body))[0] == 422
            listed = await session.run(*CLI, "list", "--json")
            names = {item["spec"]["name"] for item in json.loads(listed.output)["items"]}
            assert names == {"outer", "inner"}
            read = 'cat "$GPUQUOTA_SESSION_TOKEN_FILE"'
            token = (await session.run("sh", "-c", read)).output.strip()
            assert token not in (await session.run("printenv")).output
            log = await ask(
                backend, "sessions.log", alice, args={"id": session.id}, query=LogQuery()
            )
            assert token.startswith(session.id)
            assert token not in log.text
            status, problem = await session.request("PUT", "/rules", b'{"revision": "1"}')
            assert (status, problem["code"]) == (403, "NotAllowed")
        server.stop()
        await server.close_all_connections()


async def test_without_a_way_back_a_session_says_where_it_is_managed(
    kubelet: Cluster, team: Team, tmp_path: Path
) -> None:
    me = Caller("alice", known="socket")
    settings = {"kubeconfig": str(kubelet.kubeconfig("alice")), "namespaces": [team.namespace]}
    async with (
        started("unix", tmp_path, **settings) as backend,
        outer(backend, me, team.namespace) as session,
    ):
        status, problem = await session.request("GET", "/about")
        assert (status, problem["code"]) == (503, "LaunchedElsewhere")
        sentence = "This session was launched from another machine.\nManage sessions there."
        listed = await session.run(*CLI, "list")
        assert listed.exit_code != 0
        assert sentence in listed.output
        program = "from jupyter_gpuquota import Client; Client().sessions.list()"
        assert sentence in (await session.run(sys.executable, "-c", program)).output
        found = await session.run("sh", "-c", 'find "$HOME" -name "controller.*"')
        assert found.output == ""
        await ask(backend, "sessions.suspend", me, args={"id": session.id})
        await until(backend, session.id, "suspended")
        log = await ask(backend, "sessions.log", me, args={"id": session.id}, query=LogQuery())
        assert log.ended
        assert "is running at" in log.text  # its pod is gone
