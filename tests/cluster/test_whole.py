"""What the whole backend says about Kueue's decisions is what Kueue then does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from jupyter_gpuquota.errors import Unsupported
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.projects import ProjectRequest
from jupyter_gpuquota.model.sessions import Reclaim, Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.queues import Nested
from tests.cluster.rbac import ACCOUNT, KINDS, bind, bind_everywhere, connected, team_controller
from tests.cluster.serving import serving
from tests.cluster.teams import Teams, make_priorities
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
ANA, ADMIN = "ana-of-whole", "admin-of-whole"


@asynccontextmanager
async def opened(
    kubeconfig: Path, folder: Path, *namespaces: str, engine: str = "kueue", **settings: Any
) -> AsyncIterator[Backend]:
    """Run a backend for the people of some namespaces."""
    config = KubernetesConfig(
        kubeconfig=str(kubeconfig),
        namespaces=list(namespaces),
        engine=engine,
        milli_resource=MILLI_GPU,
        shares=["whole", "milli"],
        user_prefixes={"token": ""},
        lease=f"{namespaces[0]}/controller",
        **settings,
    )
    async with serving(config, folder) as backend:
        yield backend


@pytest.fixture
def nested(cluster: Any, name: str) -> Any:
    made = Nested(cluster.rest(), name)
    yield made
    made.remove()


def request(name: str, project: str, gpu: str, kind: Any = "interactive") -> SessionRequest:
    return SessionRequest(
        name=name, project=project, gpu=gpu, kind=kind, command=("sleep", "86400")
    )


async def preview(backend: Backend, *of: Any) -> Preview:
    found: Preview = await ask(backend, "sessions.preview", ANA, body=request("asked", *of))
    return found


async def launch(backend: Backend, *of: Any) -> Session:
    made: Session = await ask(backend, "sessions.create", ANA, body=request(*of))
    return made


async def preemptible(backend: Backend, project: str) -> tuple[str, ...]:
    quota = await ask(backend, "quota.get", ANA)
    [use] = [each for each in quota.projects if each.name == project]
    return tuple(use.preemptible)


@asynccontextmanager
async def place(
    cluster: Any, folder: Path, *namespaces: str, engine: str = "kueue", **settings: Any
) -> AsyncIterator[Backend]:
    """Run a backend for ana, a member of all namespaces, and for an administrator.

    The controller has the rights of `deploy/rbac.yaml`, and no others.
    """
    async with connected(cluster.kubeconfig()) as [admin]:
        own = await team_controller(admin, cluster.kubeconfig(), folder, *namespaces)
        for namespace in namespaces:
            await bind(admin, namespace, "member", ANA)
        everywhere = [
            await bind_everywhere(admin, role, to)
            for role, to in (("admin", ADMIN), ("quotas", ACCOUNT))
        ]
        async with opened(own, folder, *namespaces, engine=engine, **settings) as backend:
            yield backend
        for name in everywhere:
            await admin.delete(KINDS["ClusterRoleBinding"], "", name)


async def test_interactive_sessions_with_a_queue_of_their_own_neither_borrow_nor_yield(
    cluster: Any, nested: Nested, tmp_path: Path
) -> None:
    ours = (await asyncio.to_thread(nested.team, "team-a", 1000)).namespace
    others = (await asyncio.to_thread(nested.team, "team-b", 2000)).namespace
    async with place(cluster, tmp_path, ours, others) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 2)
        assert await preemptible(backend, ours) == ("interactive-spot", "train")
        warnings = backend.changes.warnings()
        assert not any("preempt interactive" in each for each in warnings), warnings

        first = await launch(backend, "first", ours, "1")
        await until(backend, first.id, "running")
        told = await preview(backend, ours, "1")
        assert told.verdict == "waits"
        second = await launch(backend, "second", ours, "1")
        waiting = await until(backend, second.id, lambda s: s.reason is not None)
        assert told.reason is not None
        assert waiting.reason is not None
        assert (waiting.reason.code, waiting.reason.key) == (told.reason.code, told.reason.key)
        assert waiting.reason.code == "OverQuota"

        told = await preview(backend, ours, "2", "train")
        assert (told.verdict, "can reclaim" in told.message) == ("borrows", True)
        borrower = await launch(backend, "borrower", ours, "2", "train")
        await until(backend, borrower.id, "running")  # which is decided after `second`
        assert (await until(backend, second.id, "waiting")).reason

        taker = await launch(backend, "taker", others, "2")
        await until(backend, taker.id, "running")
        gone = await until(backend, borrower.id, lambda s: s.reclaimed is not None)
        assert gone.reclaimed is not None
        assert gone.reclaimed.project == others
        assert (await until(backend, first.id, "running")).run == 1


async def test_interactive_sessions_that_borrow_may_be_victims_and_everybody_is_told(
    cluster: Any, teams: Teams, tmp_path: Path
) -> None:
    make_priorities(cluster.rest())
    ours = (await asyncio.to_thread(teams.with_kueue, "team-a", 1000)).namespace
    others = (await asyncio.to_thread(teams.with_kueue, "team-b", 1000)).namespace
    async with place(cluster, tmp_path, ours, others) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 2)
        assert "interactive" in await preemptible(backend, ours)
        await wait_for(
            lambda: any("preempt interactive sessions of" in w for w in backend.changes.warnings())
        )
        first = await launch(backend, "first", ours, "1")
        await until(backend, first.id, "running")
        told = await preview(backend, ours, "1")
        assert (told.verdict, f"{others} can reclaim" in told.message) == ("borrows", True)
        borrower = await launch(backend, "borrower", ours, "1")
        await until(backend, borrower.id, "running")
        assert (await preview(backend, others, "1")).verdict == "reclaims"
        taker = await launch(backend, "taker", others, "1")
        await until(backend, taker.id, "running")
        # Kueue evicts what was admitted last; of two within a second, either.
        gone = await wait_for(lambda: reclaimed(backend, first, borrower))
        assert gone.project == others


def reclaimed(backend: Backend, *sessions: Session) -> Reclaim | None:
    """Return for whom one of these sessions was reclaimed, None if none was."""
    ids = {each.id for each in sessions}
    found = (each.reclaimed for each in backend.sessions.all() if each.id in ids)
    return next(filter(None, found), None)


async def test_a_new_project_is_what_kubectl_then_makes(
    cluster: Any, nested: Nested, tmp_path: Path
) -> None:
    ours = (await asyncio.to_thread(nested.team, "team-a", 2000)).namespace
    async with place(cluster, tmp_path, ours) as backend:
        await wait_for(backend.inventory.projects)
        body, args = ProjectRequest(quota=1), {"name": f"{ours}-new"}
        with pytest.raises(Unsupported, match="created with kubectl") as refused:
            await ask(backend, "projects.put", ADMIN, args=args, body=body)
        text = refused.value.hint.split("\n", 1)[1].removesuffix("END")
        _, queue, local = yaml.safe_load_all(text)
        rest = cluster.rest()
        try:
            made = await asyncio.to_thread(rest.create, queue)
            assert made["spec"]["namespaceSelector"]["matchLabels"] == {
                "kubernetes.io/metadata.name": args["name"]
            }
            assert local["spec"] == {"clusterQueue": made["metadata"]["name"]}
        finally:
            path = f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{args['name']}"
            await asyncio.to_thread(rest.delete, path)
