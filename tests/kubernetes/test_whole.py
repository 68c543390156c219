"""What the parts of the backend come to together, on a fake API server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from jupyter_gpuquota.errors import Conflict, NotFound, Outdated, Unsupported
from jupyter_gpuquota.kubernetes.engines.extras import ANNOTATION
from jupyter_gpuquota.kubernetes.engines.kai.objects import QUEUES
from jupyter_gpuquota.kubernetes.engines.kai.queues import QUEUE_LABEL
from jupyter_gpuquota.kubernetes.nodes import GROUP_LABELS
from jupyter_gpuquota.kubernetes.resources import JOBS, NAMESPACES, NODES, STATEFUL_SETS
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.projects import (
    AuditQuery,
    ProjectRemoval,
    ProjectRequest,
    SettingsTextRequest,
)
from jupyter_gpuquota.model.sessions import SessionRequest
from tests.contract.helpers import launch
from tests.fakes import ask
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.kubernetes.gpu_nodes import mig_single, sliced, whole
from tests.kubernetes.kai.objects import queue
from tests.kubernetes.whole import ADMIN, TEAM, at_work, opened, put_nodes, put_quota, until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest.fixture
def api() -> FakeApi:
    return FakeApi((TEAM,))


async def test_replicas_that_look_like_whole_gpus_cost_what_quotas_count(
    api: FakeApi, tmp_path: Path
) -> None:
    put_quota(api)
    put_nodes(api, sliced(), mig_single())
    async with opened(api, tmp_path) as backend:
        request = SessionRequest(
            name="exp-1", project=TEAM, gpu="0.25", kind="train", command=("train",)
        )
        preview = await ask(backend, "sessions.preview", body=request)
        assert preview.message.endswith("Uses 1 GPU.")  # a quota of all GPUs is not named
        await wait_for(lambda: any("ts-1" in each for each in backend.changes.warnings()))


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    put_nodes(api)
    return FakeCluster(api)


async def test_a_project_limits_how_long_interactive_sessions_run(
    api: FakeApi, cluster: FakeCluster, tmp_path: Path
) -> None:
    put_quota(api, **{ANNOTATION: '{"interactive_duration": 1}'})
    async with opened(api, tmp_path) as backend, at_work(cluster):
        kept = await launch(backend, "kept", gpu="1", kind="train")
        await launch(backend, "exp-1", gpu="1")
        ended = await until(backend, "exp-1", lambda s: s.state == "stopped")
        assert ended.reason is not None
        assert ended.reason.code == "MaxLifetime"
        assert (await until(backend, "kept", lambda s: s.state == "running")).id == kept.id


async def test_kinds_go_to_the_node_groups_of_their_project(
    api: FakeApi, cluster: FakeCluster, tmp_path: Path
) -> None:
    put_quota(api, **{ANNOTATION: '{"node_affinity": {"interactive": ["fast"]}}'})
    for name, group in (("node-1", "fast"), ("node-2", "slow")):
        node = msgspec.to_builtins(whole(name))
        node["metadata"]["labels"][GROUP_LABELS[0]] = group
        api.put(NODES, node)
    async with opened(api, tmp_path) as backend, at_work(cluster):
        await launch(backend, "exp-1", gpu="1")
        await launch(backend, "train-1", gpu="1", kind="train")
        await until(backend, "exp-1", lambda s: s.state == "running")
        spec = api.raw(STATEFUL_SETS, TEAM, "gpu-exp-1")["spec"]["template"]["spec"]
        assert '"fast"' in json.dumps(spec["affinity"])
        free = api.raw(JOBS, TEAM, "gpu-train-1")["spec"]["template"]["spec"]
        assert '"fast"' not in json.dumps(free)


async def test_use_is_shown_and_remembered(
    api: FakeApi, cluster: FakeCluster, tmp_path: Path
) -> None:
    put_quota(api)
    control = {"history_interval": 1}
    async with opened(api, tmp_path, control=control) as backend, at_work(cluster):
        await launch(backend, "exp-1", gpu="2")
        await until(backend, "exp-1", lambda s: s.state == "running")
        [use] = (await ask(backend, "quota.get")).projects
        assert (use.allocated, use.running, use.preemptible) == (2000, 1, ())
        nodes = await ask(backend, "nodes.list")
        assert (
            sum(piece.milli for n in nodes.nodes for d in n.devices for piece in d.slices) == 2000
        )

        async def held() -> bool:
            found = await ask(backend, "history.get", query=HistoryQuery(hours=1))
            return any(point.allocated == 2000 for point in found.points)

        await wait_for(held)


async def test_a_resumed_session_goes_to_the_queue_that_its_namespace_has_now(
    api: FakeApi, cluster: FakeCluster, tmp_path: Path
) -> None:
    api.controls.answers["/apis/scheduling.run.ai"] = {"versions": [{"version": "v2"}]}
    for each in (queue("all", parent=""), queue("first", 2), queue("second", 2)):
        api.put(QUEUES, each)
    api.put(NAMESPACES, {"metadata": {"name": TEAM, "labels": {QUEUE_LABEL: "first"}}})
    async with opened(api, tmp_path, engine="kai") as backend, at_work(cluster):
        await launch(backend, "exp-1", gpu="1")
        first = await until(backend, "exp-1", lambda s: s.state == "running")
        [before] = (each["metadata"] for each in api.all(STATEFUL_SETS))
        assert before["labels"][QUEUE_LABEL] == "first"
        await backend.sessions.suspend(first.id)
        await until(backend, "exp-1", lambda s: s.state == "suspended")
        api.put(NAMESPACES, {"metadata": {"name": TEAM, "labels": {QUEUE_LABEL: "second"}}})
        await backend.sessions.resume(first.id)
        again = await until(backend, "exp-1", lambda s: s.state == "running")
        [after] = (each["metadata"] for each in api.all(STATEFUL_SETS))
        assert after["labels"][QUEUE_LABEL] == "second"
        assert after["uid"] != before["uid"]
        assert (again.id, again.run) == (first.id, first.run + 1)


async def test_a_file_sets_all_but_the_projects(api: FakeApi, tmp_path: Path) -> None:
    put_quota(api)
    put_nodes(api)
    path = tmp_path / "quota.yaml"
    path.write_text(
        "rules: {grace: 90}\n"
        f"policy: {{levels: [{{level: 'project:{TEAM}', rules: {{idle_timeout: 1h}}}}]}}\n"
    )
    async with opened(api, tmp_path, control={"quota_file": str(path)}) as backend:
        assert not [each for each in backend.changes.warnings() if str(path) in each]
        listed = await ask(backend, "projects.list", ADMIN)
        assert (listed.source, listed.file) == ("engine", str(path))
        assert [each.name for each in listed.items] == [TEAM]
        assert backend.inventory.rules().grace == 90
        policy = await ask(backend, "policy.get", ADMIN)
        assert [level.level for level in policy.levels] == [f"project:{TEAM}"]
        with pytest.raises(Conflict, match="managed by the file"):
            await backend.administration.put("rules", backend.inventory.rules(), ADMIN)
        newer = tmp_path / "newer.yaml"
        newer.write_text("projects: []\n")
        newer.replace(path)  # at once: for a moment, a file that is written anew is empty
        await wait_for(lambda: any("has the projects" in w for w in backend.changes.warnings()))
        assert backend.inventory.rules().grace == 90


async def test_projects_are_changed_here_and_created_and_deleted_with_kubectl(
    api: FakeApi, tmp_path: Path
) -> None:
    put_quota(api)
    put_nodes(api)

    async def put(name: str, **fields: Any) -> Any:
        body = ProjectRequest(**fields)
        return await ask(backend, "projects.put", ADMIN, args={"name": name}, body=body)

    async with opened(api, tmp_path) as backend:
        [old] = backend.inventory.projects()
        changed = await put(TEAM, quota=3, weight=0, revision=old.revision)
        assert changed.project.quota == 3000
        log = await ask(backend, "audit.list", ADMIN, query=AuditQuery())
        assert [(each.who, each.what) for each in log.items] == [(ADMIN, f"changed project {TEAM}")]
        with pytest.raises(Unsupported, match="created with kubectl") as refused:
            await put("new", quota=2)
        first, *lines, last = refused.value.hint.splitlines()
        assert (first, last) == ("kubectl apply -f - <<'END'", "END")
        namespace, quota = yaml.safe_load_all("\n".join(lines))
        assert (namespace["kind"], namespace["metadata"]) == ("Namespace", {"name": "new"})
        assert quota["metadata"]["namespace"] == "new"
        assert quota["spec"]["hard"] == {"requests.nvidia.com/gpu": "2"}
        with pytest.raises(Outdated):
            await put("new", quota=2, revision="of-yesterday")
        args, query = {"name": TEAM}, ProjectRemoval(drain=True)
        with pytest.raises(Unsupported, match="deleted with kubectl") as refused:
            await ask(backend, "projects.delete", ADMIN, args=args, query=query)
        assert refused.value.hint.startswith(f"kubectl -n {TEAM} delete resourcequota ")
        with pytest.raises(NotFound):
            await ask(backend, "projects.delete", ADMIN, args={"name": "x"}, query=query)
        shown = await ask(backend, "settings.get", ADMIN)
        assert shown.text == ""  # projects are the engine's, and all else is usual
        body = SettingsTextRequest(text="rules: {grace: 2m}", revision=shown.revision)
        assert (await ask(backend, "settings.put", ADMIN, body=body)).text == body.text + "\n"
        assert backend.inventory.rules().grace == 120
        body = ProjectRequest(name=TEAM, quota=1)
        with pytest.raises(Unsupported, match="cannot be previewed"):
            await ask(backend, "projects.preview", ADMIN, body=body)
