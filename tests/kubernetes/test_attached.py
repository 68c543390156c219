"""Sessions run where their volumes are attached, on a fake API server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS, PODS, STATEFUL_SETS
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import ask
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.kubernetes.fake_volumes import put_claim, put_pod
from tests.kubernetes.gpu_nodes import make_node, whole
from tests.kubernetes.whole import TEAM, at_work, opened, put_nodes, put_quota, until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
UNPLACED = [
    {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
    }
]


@pytest.fixture
def api() -> FakeApi:
    found = FakeApi((TEAM,))
    put_quota(found)
    put_nodes(found, whole("node-1"), whole("node-2"))
    put_claim(found, mode="RWO")
    return found


def nodes_of(api: FakeApi, resource: Any, name: str) -> list[str] | None:
    """Return the nodes to which a workload's pod is tied, None for none or no workload."""
    found = [each for each in api.all(resource, TEAM) if each["metadata"]["name"] == name]
    affinity = found[0]["spec"]["template"]["spec"].get("affinity") if found else None
    if not affinity:
        return None
    required = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    [term] = required["nodeSelectorTerms"]
    [found] = [e for e in term["matchExpressions"] if e["key"] == "kubernetes.io/hostname"]
    values: list[str] = found["values"]
    return values


def moved(api: FakeApi, node: str = "") -> None:
    """Let the claim be mounted on another node, or nowhere."""
    if any(pod["metadata"]["name"] == "loader" for pod in api.all(PODS, TEAM)):
        api.controls.store.delete(PODS, TEAM, "loader")
    if node:
        put_pod(api, "loader", node=node)


def is_tied(api: FakeApi, resource: Any, nodes: list[str] | None) -> Callable[[], bool]:
    """Return what tells whether the session's workload has a pod that is tied to nodes."""

    def holds() -> bool:
        pods = [pod for pod in api.all(PODS, TEAM) if pod["metadata"]["name"] == "gpu-exp-0"]
        return bool(pods) and nodes_of(api, resource, "gpu-exp") == nodes

    return holds


@pytest.mark.parametrize(("kind", "resource"), [("interactive", STATEFUL_SETS), ("train", JOBS)])
async def test_a_session_that_waits_follows_its_volume(
    api: FakeApi, tmp_path: Path, kind: str, resource: Any
) -> None:
    cluster = FakeCluster(api)
    cluster.has_room = False
    put_pod(api, "loader", node="node-2")
    async with opened(api, tmp_path) as backend, at_work(cluster):
        command = ("sleep", "600") if kind == "train" else ()
        wanted = {"gpu": "1", "kind": kind, "volumes": ("data:/data",), "command": command}
        assert "Runs on node node-2: volume data is attached there." in await told(
            backend, **wanted
        )
        made = await launch(backend, **wanted)
        await wait_for(is_tied(api, resource, ["node-2"]))
        [pod] = [pod for pod in api.all(PODS, TEAM) if pod["metadata"]["name"] == "gpu-exp-0"]
        api.put(PODS, {**pod, "status": {**pod["status"], "conditions": UNPLACED}})
        why = (await until(backend, "exp", lambda s: s.reason)).reason
        assert why is not None
        assert why.message == "Runs on node node-2: volume data is attached there."
        assert "Insufficient" in why.raw
        moved(api, "node-1")
        await wait_for(is_tied(api, resource, ["node-1"]))
        moved(api)
        await wait_for(is_tied(api, resource, None))
        cluster.has_room = True
        found = await until(backend, "exp", lambda s: s.state == "running")
        assert (found.id, found.run) == (made.id, 1)


async def launch(backend: Backend, **fields: Any) -> Session:
    """Request the session."""
    body = SessionRequest(name="exp", project=TEAM, **fields)
    made: Session = await ask(backend, "sessions.create", body=body)
    return made


async def told(backend: Backend, **fields: Any) -> str:
    """Return what is said of a request before it is made."""
    request = SessionRequest(name="exp", project=TEAM, **fields)
    message: str = (await ask(backend, "sessions.preview", body=request)).message
    return message


async def test_a_session_that_resumes_runs_where_its_volume_is_then(
    api: FakeApi, tmp_path: Path
) -> None:
    cluster = FakeCluster(api)
    async with opened(api, tmp_path) as backend, at_work(cluster):
        made = await launch(backend, gpu="1", volumes=("data:/data",))
        await until(backend, "exp", lambda s: s.state == "running")
        assert nodes_of(api, STATEFUL_SETS, "gpu-exp") is None
        moved(api, "node-1")  # what runs is left alone
        await backend.sessions.suspend(made.id)
        await until(backend, "exp", lambda s: s.state == "suspended")
        assert nodes_of(api, STATEFUL_SETS, "gpu-exp") is None
        await backend.sessions.resume(made.id)
        await until(backend, "exp", lambda s: s.state == "running")
        assert nodes_of(api, STATEFUL_SETS, "gpu-exp") == ["node-1"]
    assert len(api.all(CLAIMS, TEAM)) == 1


async def test_a_plan_without_ties_says_nothing_of_nodes(api: FakeApi, tmp_path: Path) -> None:
    async with opened(api, tmp_path) as backend:
        assert "attached" not in await told(backend, gpu="1", volumes=("data:/data",))


# ── Home folders ─────────────────────────────────────────────────────────────────────────────────


async def test_a_session_runs_where_its_home_folder_is_attached(
    api: FakeApi, tmp_path: Path
) -> None:
    """Only the owner's: the claims of other users tie nobody else."""
    cluster = FakeCluster(api)
    for claim, node in (("home-me", "node-2"), ("home-bob", "node-1")):
        put_claim(api, claim, mode="RWO")
        put_pod(api, f"jupyter-{claim}", claim, node)
    async with opened(api, tmp_path, home_claim="home-{user}") as backend, at_work(cluster):
        said = await told(backend, gpu="1")
        assert said.endswith("Runs on node node-2: your home folder is attached there.")
        await launch(backend, gpu="1")
        await until(backend, "exp", lambda s: s.state == "running")
        assert nodes_of(api, STATEFUL_SETS, "gpu-exp") == ["node-2"]


async def test_a_home_folder_follows_while_its_session_waits(api: FakeApi, tmp_path: Path) -> None:
    cluster = FakeCluster(api)
    cluster.has_room = False
    put_claim(api, "home-me", mode="RWO")
    put_pod(api, "loader", "home-me", "node-1")
    async with opened(api, tmp_path, home_claim="home-{user}") as backend, at_work(cluster):
        await launch(backend, gpu="1")
        await wait_for(is_tied(api, STATEFUL_SETS, ["node-1"]))
        [pod] = [pod for pod in api.all(PODS, TEAM) if pod["metadata"]["name"] == "gpu-exp-0"]
        api.put(PODS, {**pod, "status": {**pod["status"], "conditions": UNPLACED}})
        why = (await until(backend, "exp", lambda s: s.reason)).reason
        assert why is not None
        assert why.key == "volume.home"
        moved(api)
        await wait_for(is_tied(api, STATEFUL_SETS, None))


@pytest.mark.parametrize(
    ("mode", "affinity", "node", "key"),
    [
        ("RWO", {}, "cpu-1", "home.elsewhere"),
        ("ReadWriteOncePod", {}, "node-1", "home.alone"),
        ("RWX", {"kubernetes.io/hostname": ["cpu-1"]}, "", "home.nodes"),
        ("RWX", {}, "cpu-1", ""),
        ("ROX", {}, "", ""),
    ],
)
async def test_a_session_that_cannot_have_its_home_folder_is_refused(
    api: FakeApi, tmp_path: Path, mode: str, affinity: dict[str, list[str]], node: str, key: str
) -> None:
    """Such as one with a GPU, while JupyterLab mounts the home folder on a node without one."""
    put_nodes(api, make_node("cpu-1", labelled={"kubernetes.io/hostname": "cpu-1"}))
    put_claim(api, "home-me", mode=mode, affinity=affinity)
    if node:
        put_pod(api, "jupyter-me", "home-me", node)
    async with opened(api, tmp_path, home_claim="home-{user}") as backend:
        body = SessionRequest(name="exp", project=TEAM, gpu="1")
        found = await ask(backend, "sessions.preview", body=body)
        assert [(each.field, each.key) for each in found.problems] == (
            [("volumes", key)] if key else []
        )
        if key:
            with pytest.raises(InvalidFields, match="Your home folder, home-me"):
                await launch(backend, gpu="1")


@pytest.mark.parametrize(
    ("affinity", "said"),
    [
        ({"kubernetes.io/hostname": ["node-2"]}, "Runs on node node-2: data can only be used"),
        ({"topology.kubernetes.io/zone": ["eu-1a"]}, "Runs in zone eu-1a: data can only be used"),
    ],
)
async def test_a_plan_says_where_a_volume_can_be_used(
    api: FakeApi, tmp_path: Path, affinity: dict[str, list[str]], said: str
) -> None:
    zone = {"topology.kubernetes.io/zone": "eu-1a", "kubernetes.io/hostname": "node-2"}
    put_nodes(api, whole("node-2", labelled=zone))
    put_claim(api, mode="RWO", affinity=affinity)
    async with opened(api, tmp_path) as backend:
        assert said in await told(backend, gpu="1", volumes=("data:/data",))
