"""Which class copies which claim, which claims are copied together, and what a cluster offers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.objects.snapshots import SnapshotClass
from jupyter_gpuquota.kubernetes.objects.storage import (
    Claim,
    ClaimSpec,
    ClaimStatus,
    ClassOfStorage,
    CsiSource,
    PersistentVolume,
    VolumeSpec,
)
from jupyter_gpuquota.kubernetes.snapshots.claims import claim_name
from jupyter_gpuquota.kubernetes.snapshots.kinds import (
    CLASSES,
    SELECTED_NODE,
    Offer,
    discover,
    group_classes,
)
from jupyter_gpuquota.kubernetes.snapshots.plan import (
    PROVISIONER,
    NotCopied,
    Storage,
    class_for,
    plan,
)
from tests.kubernetes.fake_api import FakeApi

DRIVER, OTHER = "csi.example.org", "nfs.csi.k8s.io"


def of_class(name: str, driver: str = DRIVER, *, default: bool = False) -> SnapshotClass:
    key = "snapshot.storage.kubernetes.io/is-default-class"
    meta = Meta(name=name, annotations={key: "true"} if default else {})
    return SnapshotClass(metadata=meta, driver=driver)


def claim(
    name: str, driver: str = DRIVER, phase: str = "Bound", node: str = "", **meta: datetime
) -> Claim:
    noted = {PROVISIONER[0]: driver} if driver else {}
    noted |= {SELECTED_NODE: node} if node else {}
    return Claim(
        metadata=Meta(name=name, namespace="team-a", annotations=noted, **meta),
        spec=ClaimSpec(storage_class_name="fast", volume_name="pv"),
        status=ClaimStatus(phase=phase),
    )


def offer(*classes: SnapshotClass, groups: tuple[SnapshotClass, ...] = ()) -> Offer:
    version = "v1" if groups else ""
    return Offer(is_installed=True, version=version, classes=classes, group_classes=groups)


def storage(
    volume: str | None = DRIVER, provisioner: str = DRIVER, binding: str = "Immediate"
) -> Storage:
    """Return what is known of a claim's storage; `volume` is the driver that made its volume."""
    csi = CsiSource(driver=volume) if volume else None
    kind = ClassOfStorage(
        metadata=Meta(name="fast"), provisioner=provisioner, volume_binding_mode=binding
    )
    made = PersistentVolume(metadata=Meta(name="pv"), spec=VolumeSpec(csi=csi))
    return Storage(classes=[kind], volumes=[made])


def test_the_class_is_found_by_the_driver_and_the_default_comes_first():
    classes = [of_class("a"), of_class("b", default=True), of_class("c", OTHER)]
    assert class_for(DRIVER, classes).metadata.name == "b"
    assert class_for(OTHER, classes).metadata.name == "c"


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([], "an administrator has to create one"),
        ([of_class("b"), of_class("a")], r"several snapshot classes \(a, b\)"),
        ([of_class("b", default=True), of_class("a", default=True)], r"\(a, b\)"),
    ],
)
def test_without_one_class_it_is_said_why(classes, said):
    with pytest.raises(NotCopied, match=said):
        class_for(DRIVER, classes)


def test_claims_of_one_driver_go_together_and_those_of_another_apart():
    group = of_class("g")
    found = plan(
        [claim("home"), claim("data"), claim("share", OTHER)],
        offer(of_class("a"), of_class("n", OTHER), groups=(group,)),
    )
    together, alone = found.batches
    assert (together.claims, together.version) == (("home", "data"), "v1")
    assert (alone.claims, alone.version, alone.is_copy) == (("share",), "", True)
    assert found.problems == {}


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ((), "the cluster has no group snapshots"),
        ((of_class("g", OTHER),), f"no snapshot class belongs to the driver {DRIVER}"),
    ],
)
def test_claims_are_copied_one_by_one_where_they_cannot_be_together(groups, why):
    found = plan([claim("home"), claim("data")], offer(of_class("a"), groups=groups))
    assert [each.claims for each in found.batches] == [("home",), ("data",)]
    assert all(each.why.startswith(why) and not each.version for each in found.batches)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (claim("c", phase="Pending"), "no volume yet"),
        (claim("c", driver=""), "not made by a CSI driver"),
        (claim("c", deletion_timestamp=datetime(2026, 5, 4, tzinfo=UTC)), "being deleted"),
        (claim("c", OTHER), "no snapshot class belongs"),
    ],
)
def test_one_claim_that_cannot_be_copied_leaves_the_others(made, said):
    found = plan([made, claim("home")], offer(of_class("a")))
    assert said in found.problems["c"]
    assert [each.claims for each in found.batches] == [("home",)]


def test_the_driver_is_that_of_the_storage_class_where_no_annotation_names_it():
    found = plan([claim("home", driver="")], offer(of_class("a")), storage())
    assert [each.driver for each in found.batches] == [DRIVER]


def test_a_cluster_without_snapshots_says_so():
    assert "has no snapshots" in plan([claim("home")], Offer()).problems["home"]


@pytest.mark.parametrize("offered", [Offer(), offer(of_class("n", OTHER))])
def test_a_driver_without_a_class_clones(offered):
    found = plan([claim("home"), claim("data")], offered, storage())
    assert [(each.provider, each.claims) for each in found.batches] == [
        ("clone", ("home",)),
        ("clone", ("data",)),
    ]
    assert all(each.is_copy and each.why for each in found.batches)
    assert found.problems == {}


@pytest.mark.parametrize(
    ("made", "around", "said"),
    [
        (claim("c"), Storage(), "is not known"),
        (claim("c"), storage(volume=None), "not of the CSI driver of its volume"),
        (claim("c"), storage(provisioner="example.com/nfs"), "not of the CSI driver"),
        (claim("c"), storage(binding="WaitForFirstConsumer"), "waits for a pod"),
        (claim("c", node="node-1"), storage(binding="WaitForFirstConsumer"), ""),
        (claim("c", phase="Pending"), storage(), "no volume yet"),
    ],
)
def test_what_cannot_be_cloned_is_named(made, around, said):
    problem = plan([made], Offer(), around).problems.get("c", "")
    assert said in problem
    assert bool(said) == bool(problem)


def test_a_choice_between_classes_is_not_avoided_by_a_clone():
    found = plan([claim("c")], offer(of_class("a"), of_class("b")), storage())
    assert "several snapshot classes" in found.problems["c"]
    assert found.batches == ()


def test_a_group_that_fails_is_made_apart_by_whatever_each_claim_has():
    [group] = plan([claim("a"), claim("b")], offer(groups=(of_class("g"),)), storage()).batches
    assert group.provider == "csi-group/v1"
    assert [each.provider for each in group.apart] == ["clone", "clone"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("served", "version"),
    [
        (["v1beta1"], "v1beta1"),
        (["v1beta1", "v1beta2"], "v1beta2"),
        (["v1beta2", "v1"], "v1"),
        (["v2"], ""),
        (None, ""),
    ],
)
async def test_the_newest_version_that_is_served_and_known_is_used(served, version):
    api = FakeApi()
    api.controls.answers["/apis/snapshot.storage.k8s.io"] = {"versions": [{"version": "v1"}]}
    if served is not None:
        versions = {"versions": [{"version": each} for each in served]}
        api.controls.answers["/apis/groupsnapshot.storage.k8s.io"] = versions
    api.put(CLASSES, {"metadata": {"name": "a"}, "driver": DRIVER})
    if version:
        api.put(group_classes(version), {"metadata": {"name": "g"}, "driver": DRIVER})
    found = await discover(api)
    assert found.version == version
    assert [each.metadata.name for each in found.group_classes] == (["g"] if version else [])


@pytest.mark.asyncio
async def test_without_the_kind_nothing_is_offered_and_other_faults_are_told():
    api = FakeApi()
    assert await discover(api) == Offer()
    api.fail(Fault(503, "ServiceUnavailable", "not now"))
    with pytest.raises(Fault, match="not now"):
        await discover(api)


def test_names_of_restored_claims_are_valid_and_differ():
    names = {claim_name("s" * 48, origin) for origin in ("a" * 60, "a" * 61, "a.b", "a-b")}
    assert len(names) == 4
    assert all(len(name) <= 63 and name.replace("-", "").isalnum() for name in names)
