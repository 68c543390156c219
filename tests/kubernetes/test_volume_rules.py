"""The pure rules of volumes: ties to nodes, quotas, what Prometheus says, what is hidden."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.objects.cluster import ResourceQuota
from jupyter_gpuquota.kubernetes.objects.storage import Claim, PersistentVolume
from jupyter_gpuquota.kubernetes.volumes import modes, ties, used
from jupyter_gpuquota.kubernetes.volumes.quotas import Demand, Excess, exceeded
from jupyter_gpuquota.kubernetes.volumes.ties import Hidden
from jupyter_gpuquota.model.volumes.volumes import StorageClass
from tests.kubernetes.gpu_nodes import make_node

GIB = 2**30
NODES = [make_node("a"), make_node("b")]
CLASS = ".storageclass.storage.k8s.io/"


def volume(*expressions: tuple[str, str, list[str]], fields: bool = False) -> PersistentVolume:
    """Return a volume whose nodes must meet these conditions."""
    found = [{"key": k, "operator": o, "values": v} for k, o, v in expressions]
    term = {"matchFields" if fields else "matchExpressions": found}
    spec = {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}
    return msgspec.convert({"metadata": {"name": "pv"}, "spec": spec}, PersistentVolume)


def quota(used: dict[str, str], hard: dict[str, str], **spec: object) -> ResourceQuota:
    """Return a ResourceQuota that counts."""
    return msgspec.convert(
        {
            "metadata": {"name": "q"},
            "spec": {"hard": hard, **spec},
            "status": {"hard": hard, "used": used},
        },
        ResourceQuota,
    )


@pytest.mark.parametrize(
    ("condition", "nodes"),
    [
        (("kubernetes.io/hostname", "In", ["a"]), {"a"}),
        (("kubernetes.io/hostname", "NotIn", ["a"]), {"b"}),
        (("kubernetes.io/hostname", "Exists", []), {"a", "b"}),
        (("disk", "DoesNotExist", []), {"a", "b"}),
        (("disk", "Exists", []), set()),
        (("disk", "Gt", ["1"]), set()),
        (("disk", "Unheard", ["1"]), set()),
    ],
)
def test_a_volume_is_reachable_where_its_conditions_hold(condition, nodes):
    assert ties.reachable(volume(condition), NODES) == nodes


def test_labels_are_compared_as_numbers():
    node = make_node("c")
    node = msgspec.structs.replace(
        node, metadata=msgspec.structs.replace(node.metadata, labels={"rack": "7"})
    )
    assert ties.reachable(volume(("rack", "Gt", ["6"])), [node]) == {"c"}
    assert ties.reachable(volume(("rack", "Lt", ["7"])), [node]) == frozenset()


def test_a_volume_without_conditions_is_reachable_everywhere():
    free = msgspec.convert({"metadata": {"name": "pv"}}, PersistentVolume)
    assert ties.reachable(free, NODES) is None
    assert (ties.named_nodes(free), ties.named_zones(free)) == ((), ())


def test_nodes_and_zones_are_named():
    tied = volume(
        ("kubernetes.io/hostname", "In", ["b", "a"]),
        ("topology.ebs.csi.aws.com/zone", "In", ["eu-1a"]),
    )
    assert ties.named_nodes(tied) == ("a", "b")
    assert ties.named_zones(tied) == ("eu-1a",)
    by_field = volume(("metadata.name", "In", ["b"]), fields=True)
    assert ties.named_nodes(by_field) == ("b",)
    assert ties.reachable(by_field, NODES) == {"b"}


@pytest.mark.parametrize(
    ("hard", "used", "excess"),
    [
        ({"requests.storage": "10Gi"}, {"requests.storage": "4Gi"}, ("requests.storage", 6 * GIB)),
        ({"persistentvolumeclaims": "2"}, {"persistentvolumeclaims": "1"}, None),
        (
            {"persistentvolumeclaims": "1"},
            {"persistentvolumeclaims": "1"},
            ("persistentvolumeclaims", 0),
        ),
        (
            {"count/persistentvolumeclaims": "1"},
            {"count/persistentvolumeclaims": "1"},
            ("count/persistentvolumeclaims", 0),
        ),
        (
            {f"fast{CLASS}requests.storage": "1Gi"},
            {},
            (f"fast{CLASS}requests.storage", GIB),
        ),
        (
            {f"fast{CLASS}persistentvolumeclaims": "0"},
            {},
            (f"fast{CLASS}persistentvolumeclaims", 0),
        ),
        ({f"slow{CLASS}requests.storage": "1Gi"}, {}, None),
        ({"requests.storage": "what"}, {}, None),
    ],
)
def test_quotas_limit_storage(hard, used, excess):
    found = list(exceeded([quota(used, hard)], [Demand(8 * GIB, "fast")]))
    assert found == ([Excess("q", *excess)] if excess else [])


def test_claims_count_together_and_growth_is_no_claim():
    limit = quota({}, {"requests.storage": "10Gi", "persistentvolumeclaims": "1"})
    two = [Demand(6 * GIB), Demand(6 * GIB)]
    assert {each.resource for each in exceeded([limit], two)} == {
        "requests.storage",
        "persistentvolumeclaims",
    }
    full = quota({"persistentvolumeclaims": "1"}, {"persistentvolumeclaims": "1"})
    assert not list(exceeded([full], [Demand(GIB, claims=0)]))


@pytest.mark.parametrize(
    ("operator", "values", "counts"),
    [
        ("In", ["gold"], True),
        ("In", ["silver"], False),
        ("NotIn", ["gold"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_a_quota_may_count_one_level(operator, values, counts):
    scope = {"scopeName": "VolumeAttributesClass", "operator": operator, "values": values}
    limit = quota({}, {"requests.storage": "1Gi"}, scopeSelector={"matchExpressions": [scope]})
    assert bool(list(exceeded([limit], [Demand(2 * GIB, level="gold")]))) == counts


def test_a_quota_of_pods_counts_no_claims():
    limit = quota({}, {"requests.storage": "1Gi"}, scopes=["BestEffort"])
    assert not list(exceeded([limit], [Demand(2 * GIB)]))


def test_used_bytes_are_read_by_claim():
    def sample(value: str, **labels: str) -> dict[str, object]:
        return {"metric": labels, "value": [1.0, value]}

    result = [
        sample("5e3", namespace="monitoring", exported_namespace="t", persistentvolumeclaim="a"),
        sample("7000", namespace="t", persistentvolumeclaim="a"),
        sample("NaN", namespace="t", persistentvolumeclaim="b"),
        sample("1", namespace="t"),
    ]
    answer = msgspec.json.encode({"status": "success", "data": {"result": result}})
    assert used.read(answer) == {("t", "a"): 7000}
    with pytest.raises(ValueError, match="bad query"):
        used.read(msgspec.json.encode({"status": "error", "error": "bad query"}))


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("home-ana", True),
        ("datasets", True),
        ("data", False),
    ],
)
def test_own_claims_are_hidden(name, hidden):
    claim = msgspec.convert({"metadata": {"name": name}}, Claim)
    assert Hidden("home-*", "datasets").hides(claim) == hidden
    assert not Hidden().hides(claim)


def test_a_claim_that_a_pod_owns_is_hidden():
    owner = {"kind": "Pod", "name": "p", "uid": "u"}
    claim = msgspec.convert({"metadata": {"name": "p-v", "ownerReferences": [owner]}}, Claim)
    assert Hidden().hides(claim)


def test_the_copy_of_a_claim_is_hidden():
    labels = {"jupyter-gpuquota.github.io/copy": "clone"}
    claim = msgspec.convert({"metadata": {"name": "data-copy", "labels": labels}}, Claim)
    assert Hidden().hides(claim)


def test_modes_of_known_drivers():
    assert "RWX" in modes.of_driver("rook-ceph.cephfs.csi.ceph.com")
    assert "RWX" not in modes.of_driver("rook-ceph.rbd.csi.ceph.com")
    assert modes.of_driver("example.com/unknown") == ()
    assert modes.short(["ReadWriteMany", "Later"]) == ("RWX", "Later")


def test_a_claim_of_a_session_is_shared_where_its_class_can():
    classes = [
        StorageClass(name="block", default=True, modes=("RWO",)),
        StorageClass(name="nfs", modes=("RWO", "RWX")),
        StorageClass(name="other"),
    ]
    found = [modes.usual_mode(name, classes) for name in ("", "nfs", "other", "gone")]
    assert found == ["RWO", "RWX", "RWO", "RWO"]
