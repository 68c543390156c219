"""The real scheduler gives sessions the GPUs that they claim, and we read who holds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.pod import pod_template
from jupyter_gpuquota.kubernetes.builders.volumes import claim_template
from jupyter_gpuquota.kubernetes.nodes import ClusterNodes, NodeSettings, placement_of, read_nodes
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode
from jupyter_gpuquota.kubernetes.objects.devices import DeviceObjects, ResourceClaim, ResourceSlice
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.pods import Toleration
from jupyter_gpuquota.model.resources import Share
from scripts.cluster.rest import Refused
from scripts.cluster.setup import wait_for
from tests.builders import make_session
from tests.cluster.existing import Existing
from tests.cluster.test_shares import TAINT, fake_node
from tests.kubernetes.gpu_slices import INSTANCES, WHOLE, of_node

DEVICES = "/apis/resource.k8s.io/v1"


@pytest.fixture
def node(cluster: Any, name: str) -> Iterator[str]:
    """A node whose GPUs a driver offers: two whole ones, and two MIG instances."""
    rest = cluster.rest()
    served = rest.request("GET", "/apis/resource.k8s.io")
    if isinstance(cluster, Existing) and b'"v1"' not in served:
        pytest.skip("this cluster has no Dynamic Resource Allocation")
    for kind in ("gpu", "mig"):
        _device_class(rest, kind)
    rest.create(fake_node(name, {}, {}))
    head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice"}
    rest.create({**head, **of_node(*WHOLE, *INSTANCES, node=name)})
    yield name
    rest.delete(f"{DEVICES}/resourceslices/{name}-1")
    rest.delete(f"/api/v1/nodes/{name}")


@pytest.mark.parametrize(
    ("share", "held"),
    [(Share(milli=2000), [(2000, "")]), (Share(milli=100), [(143, "1g.5gb")])],
)
def test_a_session_gets_the_gpus_that_it_claims(
    cluster: Any, teams: Any, node: str, share: Share, held: list[tuple[int, str]]
) -> None:
    rest, team = cluster.rest(), teams.plain("team-a")
    choice = Shares().choose(share, [_read(rest).gpus[node]])
    assert isinstance(choice, Choice)
    session = make_session("exp-1", project=team.namespace, image="quay.io/jupyter/base-notebook")
    parts = Parts(share=choice.patch(), defaults=PodDefaults(tolerations=(Toleration(key=TAINT),)))
    alice = cluster.rest("alice")
    alice.create(claim_template(session, parts.share))
    meta = {"name": "exp-1", "namespace": team.namespace}
    spec = pod_template(session, parts, "Never")["spec"]
    alice.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    path = f"/api/v1/namespaces/{team.namespace}/pods/exp-1"
    wait_for(lambda: rest.get(path)["status"]["phase"] == "Running", "the pod runs")
    pod = msgspec.convert(rest.get(path), Pod)
    assert pod.spec.node_name == node
    placement = placement_of(pod, _read(rest).gpus)
    assert placement is not None
    assert [(piece.milli, piece.mig) for piece in placement.slices] == held
    rest.delete(path)
    wait_for(lambda: _is_gone(rest, path), "the pod has gone, and its claim with it")


def _read(rest: Any) -> ClusterNodes:
    found = DeviceObjects(
        tuple(msgspec.convert(rest.get(f"{DEVICES}/resourceslices")["items"], list[ResourceSlice])),
        tuple(msgspec.convert(rest.get(f"{DEVICES}/resourceclaims")["items"], list[ResourceClaim])),
    )
    nodes = msgspec.convert(rest.get("/api/v1/nodes")["items"], list[KubeNode])
    return read_nodes(nodes, NodeSettings(), found)


def _device_class(rest: Any, kind: str) -> None:
    """Make a class of NVIDIA's driver unless it is there; other tests may use it, so it stays."""
    driver = "gpu.nvidia.com"
    kinds = f"device.attributes['{driver}'].type == '{kind}'"
    expression = f"device.driver == '{driver}' && {kinds}"
    made = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": f"{kind}.nvidia.com"},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }
    try:
        rest.create(made)
    except Refused as refused:
        if refused.reason != "AlreadyExists":
            raise


def _is_gone(rest: Any, path: str) -> bool:
    try:
        rest.get(path)
    except Refused as refused:
        return refused.reason == "NotFound"
    return False
