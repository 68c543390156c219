"""Readings of a cluster's GPUs, from a Prometheus: a small server has its API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.usage.gpus import measured
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.core.usage.sampling import sample as sampled
from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.nodes import NodeSettings, read_nodes
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.objects.pods import Container, Pod, PodSpec, PodStatus, Resources
from jupyter_gpuquota.kubernetes.resources import PODS
from jupyter_gpuquota.kubernetes.signals import gpu_metrics
from jupyter_gpuquota.kubernetes.signals.gpu_meter import users_by_pod
from jupyter_gpuquota.kubernetes.signals.gpu_metrics import Users
from jupyter_gpuquota.model.nodes import GpuProgram, Reading
from tests.builders import make_placement, make_project, make_session, make_slice
from tests.fakes import ask
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.gpu_nodes import whole
from tests.kubernetes.test_signals import Fake, result, served
from tests.kubernetes.whole import ADMIN, TEAM, opened, put_nodes, put_quota
from tests.waiting import wait_for

UUID = "GPU-0a1b2c3d-0000-4000-8000-000000000001"
OTHER = "GPU-9f8e7d6c-0000-4000-8000-000000000002"
ALICE = Users("node-1", (GpuProgram(session="id-a", name="gpu-a-0", owner="alice"),))
BEN = Users("node-1", (GpuProgram(session="id-b", name="gpu-b-0", owner="ben"),))
USERS = {("team-a", "gpu-a-0"): ALICE, ("team-a", "gpu-b-0"): BEN}


def sample(kind: str, value: float, **labels: str) -> dict[str, Any]:
    place = {"Hostname": "node-1", "UUID": UUID, "gpu": "3"}
    return {"metric": {"gpuquota": kind, **place, **labels}, "value": [1.5, str(value)]}


def read(*samples: dict[str, Any], nodes: tuple[str, ...] = ("node-1",)) -> dict[str, Reading]:
    found = gpu_metrics.read(json.dumps(result(*samples)).encode())
    return gpu_metrics.readings(found, nodes, USERS.get)


def of(pod: str) -> dict[str, str]:
    return {"namespace": "team-a", "pod": pod}


def test_a_reading_has_what_the_driver_would_report() -> None:
    values = {"busy": 87.4, "used": 20_000.0, "free": 12_000.0, "degrees": 64.0}
    found = read(*(sample(kind, value, **of("gpu-a-0")) for kind, value in values.items()))
    reading = found[UUID]
    assert (reading.utilisation, reading.memory_used, reading.temperature) == (87, 20_000, 64)
    assert (reading.node, reading.name, reading.memory) == ("node-1", "3", 32_000)
    (program,) = reading.programs
    assert (program.session, program.owner, program.memory) == ("id-a", "alice", 20_000)


def test_what_is_not_measured_is_unknown() -> None:
    reading = read(sample("degrees", 31))[UUID]
    assert (reading.utilisation, reading.memory_used, reading.programs) == (None, None, ())
    assert read() == {}


def test_the_pod_of_the_exporter_uses_no_gpu() -> None:
    exporter = {"namespace": "monitoring", "pod": "dcgm-exporter-x"}
    exported = {"exported_namespace": "team-a", "exported_pod": "gpu-a-0"}
    assert read(sample("busy", 0, **exporter))[UUID].programs == ()
    (program,) = read(sample("busy", 9, **exporter, **exported))[UUID].programs
    assert program.session == "id-a"


@pytest.mark.parametrize(
    "labels",
    [
        {"Hostname": "", "hostname": "node-1", "UUID": "", "uuid": UUID},
        {"Hostname": "dcgm-exporter-x", "node": "node-1"},
        {"Hostname": "dcgm-exporter-x", **of("gpu-a-0")},
    ],
)
def test_releases_of_the_exporter_name_the_node_differently(labels: dict[str, str]) -> None:
    assert read(sample("busy", 5, **labels))[UUID].node == "node-1"
    assert read(sample("busy", 5, **labels), nodes=("node-2",)) == {}


def test_of_gpus_that_pods_share_nobody_knows_who_holds_what() -> None:
    shared = [sample("used", 9000, **of(pod)) for pod in ("gpu-a-0", "gpu-b-0")]
    reading = read(*shared)[UUID]
    assert reading.memory_used == 9000
    assert {each.session: each.memory for each in reading.programs} == {"id-a": None, "id-b": None}


def test_hami_tells_what_each_container_holds() -> None:
    def held(pod: str, mib: int) -> dict[str, Any]:
        pod_labels = {"podnamespace": "team-a", "podname": pod, "deviceuuid": UUID}
        metric = {"gpuquota": "held", **pod_labels}
        return {"metric": metric, "value": [1.5, str(mib * 2**20)]}

    reading = read(sample("used", 9000), held("gpu-a-0", 5000), held("gpu-b-0", 3000))[UUID]
    assert {each.session: each.memory for each in reading.programs} == {"id-a": 5000, "id-b": 3000}


def test_instances_add_up_to_their_gpu() -> None:
    def instance(number: str, used: float, pod: str) -> list[dict[str, Any]]:
        labels = {"GPU_I_ID": number, **of(pod)}
        return [sample("used", used, **labels), sample("degrees", 50, **labels)]

    reading = read(*instance("7", 4000, "gpu-a-0"), *instance("8", 2000, "gpu-b-0"))[UUID]
    assert (reading.memory_used, reading.temperature, reading.utilisation) == (6000, 50, None)
    assert reading.mig
    assert {each.session: each.memory for each in reading.programs} == {"id-a": 4000, "id-b": 2000}


def test_one_query_has_all_of_it() -> None:
    text = gpu_metrics.query()
    assert text.count("(") == text.count(")")
    for metric in ("GPU_UTIL", "FB_USED", "FB_FREE", "GPU_TEMP"):
        assert text.count(f"DCGM_FI_DEV_{metric}") == 1


def pod(namespace: str, name: str, *, gpus: int = 0, **labels: str) -> Pod:
    resources = Resources(requests={"nvidia.com/gpu": str(gpus)} if gpus else {})
    named = {SESSION if key == "session" else key.replace("_", "-"): labels[key] for key in labels}
    return Pod(
        metadata=Meta(name=name, namespace=namespace, uid=name, labels=named),
        spec=PodSpec(containers=(Container(name="c", resources=resources),), node_name="node-1"),
        status=PodStatus(phase="Running"),
    )


def users(*pods: Pod, divides: Any = "") -> dict[tuple[str, str], Users]:
    gpus = read_nodes([whole("node-1")], NodeSettings(divides=divides)).gpus
    session = make_session("a", "1", "running", owner="alice")
    return users_by_pod(pods, gpus, {session.id: session})


def test_pods_with_gpus_are_sessions_or_belong_to_their_namespace() -> None:
    id_ = make_session("a").id
    found = users(
        pod("team-a", "gpu-a-0", gpus=1, session=id_),
        pod("team-b", "forged", gpus=1, session=id_),
        pod("monitoring", "dcgm-exporter-x"),
    )
    (own,) = found["team-a", "gpu-a-0"].programs
    assert (own.session, own.owner) == (id_, "alice")
    (other,) = found["team-b", "forged"].programs
    assert (other.session, other.owner, other.name) == ("", "team-b", "forged")
    assert ("monitoring", "dcgm-exporter-x") not in found


def test_who_shares_a_gpu_of_kai_uses_what_keeps_it() -> None:
    def part(name: str, group: str) -> Pod:
        found = pod("team-a", name, runai_gpu_group=group, session=make_session("a").id)
        return replace(found, metadata=replace(found.metadata, annotations={"gpu-fraction": "0.5"}))

    keeper = pod("kai-resource-reservation", "gpu-reservation-x", gpus=1, runai_gpu_group="g1")
    sharing = part("one", "g1"), part("two", "g1"), part("far", "g2")
    found = users(keeper, *sharing, divides="counted")
    programs = found["kai-resource-reservation", "gpu-reservation-x"].programs
    assert [each.name for each in programs] == ["one", "two"]


def drawn(*readings: Reading) -> Any:
    nodes = read_nodes([whole("node-1", gpus=2)], NodeSettings()).nodes
    part = replace(make_slice(0), index=None, uuid="")
    placement = replace(make_placement(part), node="node-1")
    session = make_session("a", "1", "running", placement=placement)
    by_uuid = {str(index): reading for index, reading in enumerate(readings)}
    return nodes, session, by_uuid, draw(nodes, [session], by_uuid)


def test_a_node_has_the_mean_and_the_sum_of_gpus_that_are_not_told_apart() -> None:
    own = GpuProgram(session=make_session("a").id, name="gpu-a-0", owner="alice", memory=3000)
    first = Reading(utilisation=90, memory_used=3000, temperature=70, node="node-1", name="0")
    second = Reading(utilisation=10, memory_used=500, temperature=40, node="node-1", name="1")
    elsewhere = Reading(utilisation=50, node="node-2", name="0")
    first = replace(first, programs=(own,))
    nodes, session, readings, (node,) = drawn(first, second, elsewhere)
    (use,) = node.devices
    assert (use.utilisation, use.memory_used, use.temperature) == (50, 3500, 70)
    assert use.gpus == (first, second)
    assert use.slices[0].used == 3000
    assert (use.utilisation_of(session.id), use.utilisation_of("id-b")) == (90, None)
    gpus = measured([node], {session.id})
    assert [(gpu.name, gpu.mine, gpu.sessions) for gpu in gpus] == [
        ("0", True, (session.id,)),
        ("1", False, ()),
    ]
    uses = sum_up([make_project()], [session], nodes).projects
    buckets = sampled(uses, [session], nodes, readings, at=0, seconds=1)
    assert buckets[0].busy == 90


@pytest.mark.asyncio
async def test_nodes_and_gauges_have_what_prometheus_measures(tmp_path: Path) -> None:
    api = FakeApi((TEAM,))
    put_quota(api)
    put_nodes(api)
    busy = {
        "metadata": {"name": "other", "namespace": TEAM, "uid": "1"},
        "spec": {
            "nodeName": "node-1",
            "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "1"}}}],
        },
        "status": {"phase": "Running"},
    }
    api.put(PODS, busy)
    fake = Fake(query=result(sample("busy", 77, namespace=TEAM, pod="other"), sample("used", 4096)))
    async with served(fake) as url, opened(api, tmp_path, prometheus_url=url) as backend:
        await wait_for(backend.inventory.readings)
        (gpu,) = (await ask(backend, "nodes.gpus", ADMIN)).items
        assert (gpu.node, gpu.name, gpu.utilisation, gpu.memory_used) == ("node-1", "3", 77, 4096)
        assert [(each.name, each.owner) for each in gpu.programs] == [("other", TEAM)]
        (node,) = (await ask(backend, "nodes.list")).nodes
        assert (node.devices[0].utilisation, node.devices[0].memory_used) == (77, 4096)
    queries = [parse_qs(each.request.body.decode())["query"][0] for each in fake.asked]
    assert queries.count(gpu_metrics.query()) == 1


@pytest.mark.asyncio
async def test_without_an_answer_screens_say_nothing(tmp_path: Path) -> None:
    api = FakeApi((TEAM,))
    put_quota(api)
    put_nodes(api)
    fake = Fake(query=503)
    async with served(fake) as url, opened(api, tmp_path, prometheus_url=url) as backend:
        await wait_for(lambda: len(fake.asked) > 1)
        assert (await ask(backend, "nodes.gpus")).items == ()
        (node,) = (await ask(backend, "nodes.list")).nodes
        assert node.devices[0].utilisation is None
