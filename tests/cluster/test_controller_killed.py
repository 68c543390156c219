"""A controller killed by SIGKILL at each call of a launch: the next one completes what it began."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import NameTaken, Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.model.sessions import Session
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.controllers import WRITES, assert_whole, writes_for
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import connected
from tests.cluster.teams import KUEUE, Teams
from tests.shell import Shell, opened
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

MOST = 20
"""More calls than a launch takes."""
STEPS = (1, 2, 5)
"""The calls in `make test`: of the workload, of its first child, and that which completes it."""


class OnDemand:
    """A controller that its clients start."""

    def __init__(self, shell: Shell, rest: Rest, project: str, between: FaultProxy) -> None:
        self._shell, self._between = shell, between
        self._rest, self._project = rest, project
        self.seen: dict[str, str] = {}
        """What its sessions were, when last asked."""

    def client(self) -> Client:
        return Client(state_dir=self._shell.folder / "state", backend="kubernetes")

    def kill(self) -> None:
        for process in self._shell.processes("jupyter_gpuquota.controller"):
            process.kill()

    def report(self) -> str:
        """Return what helps to understand why something did not come."""
        state = self._shell.folder / "state"
        logs = (log.read_text()[-8000:] for log in state.rglob("controller.log"))
        written = (each for each in self._between.written if "/namespaces/" in each)
        return "\n".join((str(self.seen), *written, *self._there(), *self._warnings(), *logs))

    def _there(self) -> Iterator[str]:
        """Yield what the cluster has of the sessions."""
        kinds = (("apps/v1", "StatefulSet"), ("v1", "Pod"), ("v1", "Secret"), (KUEUE, "LocalQueue"))
        for version, kind in kinds:
            found = self._rest.get(self._rest.path(version, kind, self._project))["items"]
            yield f"{kind}: {[each['metadata']['name'] for each in found]}"

    def _warnings(self) -> Sequence[str]:
        try:
            return self.client().about().warnings
        except Unavailable as error:
            return [str(error)]


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


@pytest.fixture
def hosting(shell: Shell, cluster: Any, project: str, between: FaultProxy) -> OnDemand:
    return OnDemand(shell, cluster.rest(), project, between)


async def test_killed_at_each_call_of_a_launch(
    hosting: OnDemand, between: FaultProxy, api: Api, project: str, rounds: Callable[..., int]
):
    every = rounds(MOST, 1) == MOST
    for number in range(1, MOST) if every else STEPS:
        name = f"exp-{number}"
        client = await wait_for(lambda: answering(hosting), pause=0.3)
        path = writes_for(project, name)
        rule, before = Rule(path, WRITES, act=hosting.kill, skip=number - 1, times=1), made(between)
        between.add(rule)
        await wait_for(lambda c=client, n=name, r=rule: submitted(c, project, n, r), pause=0.3)
        if made(between) == before:  # of the first call, or each one so far was refused
            assert rule.seen
            client = await wait_for(lambda: answering(hosting), pause=0.3)
            known = await asyncio.to_thread(client.sessions.list)
            assert name not in {each.spec.name for each in known}
            continue
        session = await run(hosting, name)
        assert session.run == 1
        await assert_whole(api, project, name)
        assert (await run(hosting, name)).run == 1
        between.rules.clear()  # the last write may come after the session runs
        assert every or rule.seen
        if not rule.seen:
            break
    assert not every or 5 < number < MOST - 2


def made(between: FaultProxy) -> int:
    """Count the workloads that the API server has made."""
    return sum(
        re.fullmatch(r"POST .*/statefulsets 201", each) is not None for each in between.written
    )


def submit(client: Client, project: str, name: str) -> None:
    """Launch a session."""
    client.sessions.submit(
        name, project=project, command=["sleep", "600"], gpu=0.1, environment="i:1"
    )


async def answering(hosting: OnDemand) -> Client | None:
    """Return a client whose controller answers; on a busy machine it takes long to start."""
    client = await asyncio.to_thread(hosting.client)
    try:
        await asyncio.to_thread(client.about)
    except Unavailable:
        return None
    return client


async def submitted(client: Client, project: str, name: str, rule: Rule) -> bool:
    """Request a session; return whether that was done, or the controller was killed meanwhile.

    On a busy machine a controller may not be in charge for a moment, and refuses; users try again.
    """
    try:
        await asyncio.to_thread(submit, client, project, name)
    except Unavailable:
        return rule.seen > 0
    except NameTaken:  # it was done, and only the answer was lost
        return True
    return True


async def run(hosting: OnDemand, name: str) -> Session:
    """Return a session once it runs, as the present controller says."""

    async def running() -> Session | None:
        try:
            found = await asyncio.to_thread(lambda: hosting.client().sessions.list())
        except Unavailable as error:
            hosting.seen = {"controller": str(error)}
            return None
        hosting.seen = {each.spec.name: f"{each.state} {each.reason}" for each in found}
        return next((s for s in found if s.spec.name == name and s.state == "running"), None)

    session: Session = await wait_for(running, hosting.report, pause=0.3)
    return session
