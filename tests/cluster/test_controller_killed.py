"""A controller killed by SIGKILL at each call of a launch: the next one completes what it began."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
import pytest_asyncio
import yaml

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.model.sessions import Session
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.controllers import WRITES, assert_whole
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import connected
from tests.cluster.teams import Teams
from tests.shell import Shell, opened
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

MOST = 20
"""More calls than a launch takes."""


class Hosting(Protocol):
    """Controllers of one state folder, one after another."""

    def client(self) -> Client:
        """Return a client of the controller; if it was killed, of the next one."""

    def kill(self) -> None:
        """Kill the controller."""


class OnDemand:
    """A controller that its clients start."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def client(self) -> Client:
        return Client(state_dir=self._shell.folder / "state", backend="kubernetes")

    def kill(self) -> None:
        for process in self._shell.processes("jupyter_gpuquota.controller"):
            process.kill()


class ForMany:
    """A controller with https, which its service manager starts again."""

    def __init__(self, shell: Shell, token: str) -> None:
        self._shell = shell
        self._token = token
        self._process: subprocess.Popen[bytes] | None = None
        self._log = shell.folder / "log"

    def client(self) -> Client:
        if self._process is None or self._process.poll() is not None:
            words = ["--hosting=https", "--backend=kubernetes"]
            words += [f"--state-dir={self._shell.folder}/state"]
            words += ["--Controller.address=127.0.0.1:0", "--Controller.insecure=True"]
            words += ["--Controller.authenticators=kubernetes"]
            command = [sys.executable, "-m", "jupyter_gpuquota.controller", *words]
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    command, env=self._shell.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
        while not (port := re.search(r"listening on 127\.0\.0\.1:(\d+)", self._log.read_text())):
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.05)
        return Client(f"http://127.0.0.1:{port[1]}", self._token)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


@pytest_asyncio.fixture
async def api(cluster: Any) -> AsyncIterator[Api]:
    async with connected(cluster.kubeconfig()) as [api]:
        yield api


@pytest.fixture
def project(teams: Teams) -> str:
    return teams.with_kueue("team-a", 64000).namespace


@pytest.fixture
def between(proxy: Callable[..., FaultProxy]) -> FaultProxy:
    return proxy()


@pytest.fixture
def shell(
    between: FaultProxy, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    """Where controllers with the credentials of a kubeconfig find their settings."""
    config = {
        "kubeconfig": str(between.kubeconfig),
        "namespaces": [project],
        "milli_resource": MILLI_GPU,
    }
    with opened(tmp_path, {"KubernetesConfig": config}) as shell:
        shell.more["JUPYTER_GPUQUOTA_BACKEND"] = "kubernetes"
        monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
        for name, value in shell.env.items():
            monkeypatch.setenv(name, value)
        yield shell
        between.rules.clear()


@pytest.fixture(params=["on demand", "for many"])
def hosting(request: Any, shell: Shell, cluster: Any) -> Iterator[Hosting]:
    user = yaml.safe_load(cluster.kubeconfig("alice").read_text())["users"][0]["user"]
    made = OnDemand(shell) if request.param == "on demand" else ForMany(shell, user["token"])
    yield made
    made.kill()


async def test_killed_at_each_call_of_a_launch(
    hosting: Hosting, between: FaultProxy, api: Api, project: str
):
    # The two hostings share the calls: what a killed controller leaves is the same with both.
    first = 1 if isinstance(hosting, OnDemand) else 2
    for number in range(first, MOST, 2):
        name = f"exp-{number}"
        client = await asyncio.to_thread(hosting.client)
        await asyncio.to_thread(client.about)
        rule = Rule(f"/{project}/", WRITES, act=hosting.kill, skip=number - 1, times=1)
        between.add(rule)
        with suppress(Unavailable):
            await asyncio.to_thread(submit, client, project, name)
        if number == 1:
            assert rule.seen
            assert not await asyncio.to_thread(lambda: hosting.client().sessions.list())
            continue
        session = await wait_for(lambda name=name: running(hosting, name), pause=0.3)
        assert session.run == 1
        await assert_whole(api, project, name)
        if not rule.seen:
            break
    assert 5 < number < MOST - 2


def submit(client: Client, project: str, name: str) -> None:
    """Launch a session."""
    client.sessions.submit(
        name, project=project, command=["sleep", "600"], gpu=1, environment="i:1"
    )


async def running(hosting: Hosting, name: str) -> Session | None:
    """Return a session once it runs, as the present controller says."""
    try:
        found = await asyncio.to_thread(lambda: hosting.client().sessions.list())
    except Unavailable:
        return None
    return next((s for s in found if s.spec.name == name and s.state == "running"), None)
