"""Two controllers of one user, on a real API server: a kubeconfig on two machines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.labels import TOKEN_KEY
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.rbac import KINDS, bind, bind_everywhere, connected, install
from tests.cluster.teams import Teams
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

ME = Caller("joe", known="socket")


@pytest_asyncio.fixture
async def namespace(cluster: Any, teams: Teams) -> AsyncIterator[str]:
    """A namespace in which alice may have sessions."""
    team = await asyncio.to_thread(teams.with_kueue, "nobody", 4000)
    async with connected(cluster.kubeconfig()) as [admin]:
        await install(admin)
        await bind(admin, team.namespace, "sessions", "alice")
        readers = await bind_everywhere(admin, "reader", "alice")
        yield team.namespace
        await admin.delete(KINDS["ClusterRoleBinding"], "", readers)


@pytest_asyncio.fixture
async def two(cluster: Any, namespace: str, tmp_path: Path) -> AsyncIterator[list[Backend]]:
    """Two controllers with alice's credentials."""
    backends = [
        open_kubernetes(
            GpuQuota(hosting="unix"),
            KubernetesConfig(
                kubeconfig=str(cluster.kubeconfig("alice")),
                namespaces=[namespace],
                milli_resource=MILLI_GPU,
            ),
            tmp_path / machine,
        )
        for machine in ("laptop", "workstation")
    ]
    for backend in backends:
        await backend.resident.start()
    yield backends
    for backend in backends:
        await backend.resident.close()


async def agree(two: list[Backend], state: str, run: int = 0) -> None:
    """Wait until both controllers show the only session in a state, and in a run if given."""

    def shown() -> bool:
        found = [[(s.state, run and s.run) for s in b.sessions.all()] for b in two]
        return found == [[(state, run)]] * 2

    await wait_for(shown)


@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_both_may_be_asked(
    cluster: Any, namespace: str, two: list[Backend], kind: Any
) -> None:
    one, other = two
    request = SessionRequest(
        name="exp",
        project=namespace,
        kind=kind,
        command=("sleep", "600"),
        gpu="1",
        environment="i:1",
    )
    session = (await ask(one, "sessions.create", ME, body=request)).id
    await agree(two, "running", run=1)
    async with connected(cluster.kubeconfig()) as [admin]:

        async def token() -> str:
            raw = json.loads(await admin.read(SECRETS.path(namespace, "gpu-exp")))
            return str(raw["data"][TOKEN_KEY])

        async def nothing(*kinds: Any) -> bool:
            return not any([await admin.list(kind, namespace) for kind in kinds])

        first = await token()
        await other.sessions.suspend(session)
        await agree(two, "suspended")
        await wait_for(lambda: nothing(PODS))
        await one.sessions.resume(session)
        await agree(two, "running", run=2)
        assert await token() == first
        answers = await asyncio.gather(
            one.sessions.resize(session, Share(milli=2000)),
            other.sessions.suspend(session),
            return_exceptions=True,
        )
        refused = [answer for answer in answers if isinstance(answer, BaseException)]
        assert all(isinstance(error, GpuQuotaError) for error in refused)
        assert len(refused) < 2
        await wait_for(lambda: _states(two) in ({"running"}, {"suspended"}))
        if _states(two) == {"running"}:
            assert len(await admin.list(PODS, namespace)) == 1
            await other.sessions.suspend(session)
        await agree(two, "suspended")
        await one.sessions.delete(session)
        await wait_for(lambda: not _states(two))
        await wait_for(lambda: nothing(STATEFUL_SETS, JOBS, SECRETS, PODS))


def _states(two: list[Backend]) -> set[str]:
    return {session.state for backend in two for session in backend.sessions.all()}
