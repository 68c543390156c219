"""GPUs that pods claim: what a driver offers, what a session claims, and who holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.builders.defaults import Parts
from jupyter_gpuquota.kubernetes.builders.volumes import claim_template
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.inventory import offers_gpus
from jupyter_gpuquota.kubernetes.nodes import ClusterNodes, NodeSettings, placement_of, read_nodes
from jupyter_gpuquota.kubernetes.objects.devices import DeviceObjects, ResourceClaim, ResourceSlice
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.resources import (
    CLAIM_TEMPLATES,
    NODES,
    PODS,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    STATEFUL_SETS,
)
from jupyter_gpuquota.kubernetes.shares.dra import Dra
from jupyter_gpuquota.kubernetes.shares.gpu_node import GpuNode
from jupyter_gpuquota.kubernetes.shares.provider import Grant
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.resources import Share
from tests.contract.helpers import launch
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.gpu_nodes import make_node, whole
from tests.kubernetes.gpu_slices import INSTANCES, WHOLE, of_node
from tests.kubernetes.shares_contract import ShareContract
from tests.kubernetes.test_builders import image_session
from tests.kubernetes.whole import TEAM, opened
from tests.waiting import wait_for

Raw = dict[str, Any]

PROFILE = "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'"


def claim(pod: str, *devices: str, node: str = "n1", **result: str) -> Raw:
    results = [
        {"request": "gpu", "driver": "gpu.nvidia.com", "pool": node, "device": name, **result}
        for name in devices
    ]
    return {
        "metadata": {"name": f"of-{pod}", "namespace": "team-a"},
        "status": {
            "allocation": {"devices": {"results": results}},
            "reservedFor": [{"resource": "pods", "name": pod, "uid": f"uid-{pod}"}],
        },
    }


def cluster(*slices: Raw, claims: tuple[Raw, ...] = (), node: Any = None) -> ClusterNodes:
    found = DeviceObjects(
        tuple(msgspec.convert(each, ResourceSlice) for each in slices),
        tuple(msgspec.convert(each, ResourceClaim) for each in claims),
    )
    return read_nodes([node or make_node("n1", {"cpu": "8"})], NodeSettings(), found)


def gpus(*slices: Raw, **more: Any) -> GpuNode:
    return cluster(*slices, **more).gpus["n1"]


class DeviceContract(ShareContract):
    """The contract where pods have claims."""

    def check_request(self, grant: Grant) -> None:
        patch = self.provider.render(grant)
        assert patch.resources == {}
        [wanted] = patch.devices["devices"]["requests"]
        assert wanted["exactly"]["count"] == grant.units
        assert grant.resource.startswith(wanted["exactly"]["deviceClassName"])


class TestWholeDevices(DeviceContract):
    provider, node = Dra(), gpus(of_node(*WHOLE))
    given_share, too_much = Share(milli=2000), Share(milli=3000)


class TestInstances(DeviceContract):
    provider, node = Dra(), gpus(of_node(*WHOLE, *INSTANCES))
    given_share, too_much = Share(milli=100), Share(mig="7g.40gb")


def test_devices_are_drawn_like_other_gpus() -> None:
    found = cluster(of_node(*WHOLE))
    [drawn] = found.nodes[0].devices
    assert (drawn.count, drawn.model, drawn.memory) == (2, "A100", 40_960)


def test_only_the_newest_slices_of_the_driver_count() -> None:
    old, new = of_node(*WHOLE, generation=1), of_node(WHOLE[0], generation=2)
    other = of_node(*WHOLE, driver="nic.example.org")
    assert gpus(old, new, other).offered == 1


def test_an_instance_that_could_be_made_is_not_offered() -> None:
    shared = {"counterSet": "gpu-0", "counters": {"memory": {"value": "5Gi"}}}
    dynamic = {**INSTANCES[0], "consumesCounters": [shared]}
    assert not gpus(of_node(WHOLE[0], dynamic)).profiles


def test_a_node_that_has_gpus_as_a_resource_keeps_these() -> None:
    found = gpus(of_node(*WHOLE), node=whole("n1"))
    assert (found.sharing, found.offered) == ("", 8)


def placed(found: ClusterNodes, pod: str) -> list[tuple[int, str]]:
    raw = {"metadata": {"name": pod, "uid": f"uid-{pod}"}, "spec": {"nodeName": "n1"}}
    placement = placement_of(msgspec.convert(raw, Pod), found.gpus)
    assert placement is not None
    return [(piece.milli, piece.mig) for piece in placement.slices]


def test_claims_tell_what_pods_hold() -> None:
    claims = (claim("a", "gpu-0", "gpu-1"), claim("b", "gpu-2-mig-0"), claim("c", driver="other"))
    found = cluster(of_node(*WHOLE, *INSTANCES), claims=claims)
    assert placed(found, "a") == [(2000, "")]
    assert placed(found, "b") == [(143, "1g.5gb")]
    assert placed(found, "c") == placed(found, "d") == []


def test_a_session_has_a_claim_of_its_own() -> None:
    choice = Shares().choose(Share(mig="1g.5gb"), [gpus(of_node(*WHOLE, *INSTANCES))])
    assert isinstance(choice, Choice)
    session, share = image_session(), choice.patch()
    template = claim_template(session, share)
    assert template["spec"]["spec"]["devices"]["requests"] == [
        {
            "name": "gpu",
            "exactly": {
                "deviceClassName": "mig.nvidia.com",
                "allocationMode": "ExactCount",
                "count": 1,
                "selectors": [{"cel": {"expression": PROFILE}}],
            },
        }
    ]
    spec = workload(session, Parts(share=share))["spec"]["template"]["spec"]
    name = template["metadata"]["name"]
    assert spec["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": name}]
    assert spec["containers"][0]["resources"] == {"claims": [{"name": "gpu"}]}


def test_another_share_is_another_template() -> None:
    node, session = gpus(of_node(*WHOLE)), image_session()
    names = set()
    for milli in (1000, 2000):
        choice = Shares().choose(Share(milli=milli), [node])
        assert isinstance(choice, Choice)
        names.add(claim_template(session, choice.patch())["metadata"]["name"])
    assert len(names) == 2


@pytest.mark.asyncio
async def test_devices_are_looked_for_where_a_driver_offers_some() -> None:
    api = FakeApi()
    assert not await offers_gpus(api)
    api.controls.answers["/apis/resource.k8s.io"] = {"versions": [{"version": "v1"}]}
    api.put(RESOURCE_SLICES, of_node(*WHOLE, node="n2", driver="nic.example.org"))
    assert not await offers_gpus(api)
    api.put(RESOURCE_SLICES, of_node(*WHOLE))
    assert await offers_gpus(api)


@pytest.mark.asyncio
async def test_a_controller_makes_the_claim_of_a_session(tmp_path: Path) -> None:
    api = FakeApi((TEAM,))
    api.controls.answers["/apis/resource.k8s.io"] = {"versions": [{"version": "v1"}]}
    api.put(NODES, msgspec.to_builtins(make_node("n1", {"cpu": "8"})))
    api.put(RESOURCE_SLICES, of_node(*WHOLE))
    async with opened(api, tmp_path) as backend:
        await launch(backend, "exp-1", gpu="1")
        await wait_for(lambda: api.all(CLAIM_TEMPLATES, TEAM))
        [template] = api.all(CLAIM_TEMPLATES, TEAM)
        found = api.raw(STATEFUL_SETS, TEAM, "gpu-exp-1")
        [owner] = template["metadata"]["ownerReferences"]
        assert owner["uid"] == found["metadata"]["uid"]
        [claimed] = found["spec"]["template"]["spec"]["resourceClaims"]
        assert claimed["resourceClaimTemplateName"] == template["metadata"]["name"]


@pytest.mark.asyncio
async def test_claims_of_others_are_holdings(tmp_path: Path) -> None:
    api = FakeApi((TEAM,))
    api.controls.answers["/apis/resource.k8s.io"] = {"versions": [{"version": "v1"}]}
    api.put(NODES, msgspec.to_builtins(make_node("n1", {"cpu": "8"})))
    api.put(RESOURCE_SLICES, of_node(*WHOLE))
    async with opened(api, tmp_path) as backend:
        meta = {"name": "x", "namespace": TEAM, "uid": "uid-x"}
        api.put(PODS, {"metadata": meta, "spec": {"nodeName": "n1"}, "status": {}})
        api.put(RESOURCE_CLAIMS, claim("x", "gpu-0"))

        def names() -> list[str]:
            return [holding.name for holding in backend.usage.holdings()]

        await wait_for(lambda: names() == [f"{TEAM}/x"])
