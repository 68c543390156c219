"""The test cluster's storage driver does what tests of volumes and snapshots rely on."""

from __future__ import annotations

import pytest

from scripts.cluster.setup import wait_for
from scripts.cluster.storage import faults
from tests.cluster.storage import claim, group_snapshot, path_of, snapshot, stateful_set_with


@pytest.fixture
def team(kubelet, teams):
    return teams.plain("team-a", processes=True)


def bound(rest, made):
    found = rest.get(path_of(made))
    return found["status"]["phase"] == "Bound" and found


def ready(rest, made):
    found = rest.get(path_of(made)).get("status", {})
    return found.get("readyToUse") and found


def test_a_snapshot_keeps_the_content_and_a_claim_from_it_has_it(kubelet, team):
    rest = kubelet.rest()
    work = claim(team, "work")
    rest.create(work)
    wait_for(lambda: bound(rest, work), "it is bound")
    folder = kubelet.claim(team.namespace, "work")
    (folder / "model.txt").write_text("first")
    kept = snapshot(team, "kept", "work")
    rest.create(kept)
    wait_for(lambda: ready(rest, kept), "it is ready")
    (folder / "model.txt").write_text("second")
    source = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "kept"}
    restored = claim(team, "restored", dataSource=source)
    rest.create(restored)
    wait_for(lambda: bound(rest, restored), "it is bound")
    assert (kubelet.claim(team.namespace, "restored") / "model.txt").read_text() == "first"
    assert (folder / "model.txt").read_text() == "second"
    rest.delete(path_of(kept))
    wait_for(lambda: not rest.get(path_of(kept).rpartition("/")[0])["items"], "it is gone")


def test_a_group_has_a_snapshot_of_each_claim(kubelet, team):
    rest = kubelet.rest()
    for name in ("home", "data"):
        made = claim(team, name, labels={"of": "s1"})
        rest.create(made)
        wait_for(lambda made=made: bound(rest, made), "it is bound")
        (kubelet.claim(team.namespace, name) / "name").write_text(name)
    group = group_snapshot(team, "both", {"of": "s1"})
    rest.create(group)
    wait_for(lambda: ready(rest, group), "it is ready")

    def groups():
        found = rest.get(path_of(snapshot(team, "", "")))["items"]
        return [one.get("status", {}).get("volumeGroupSnapshotName") for one in found]

    wait_for(lambda: groups() == ["both", "both"], "each claim has one")
    rest.delete(path_of(group))
    wait_for(lambda: not rest.get(path_of(snapshot(team, "", "")))["items"], "all are gone")


def test_a_test_lets_snapshots_fail(kubelet, team):
    rest = kubelet.rest()
    work = claim(team, "work", annotations={faults.annotation("snapshot"): faults.FAIL})
    rest.create(work)
    wait_for(lambda: bound(rest, work), "it is bound")
    kept = snapshot(team, "kept", "work")
    rest.create(kept)

    def failed():
        return rest.get(path_of(kept)).get("status", {}).get("error", {}).get("message", "")

    wait_for(failed, "it fails")
    assert faults.FAILURE in failed()
    assert not ready(rest, kept)
    rest.patch(path_of(work), {"metadata": {"annotations": {faults.annotation("snapshot"): None}}})
    wait_for(lambda: ready(rest, kept), "it is ready after all")


def test_a_claim_waits_for_its_pod_and_belongs_to_its_node(kubelet, team):
    rest = kubelet.rest()
    late = claim(team, "late", storageClassName="test-csi-waits")
    rest.create(late)
    rest.create(stateful_set_with(team, "user", "late"))
    wait_for(lambda: bound(rest, late), "it is bound")
    volume = rest.get(f"/api/v1/persistentvolumes/{bound(rest, late)['spec']['volumeName']}")
    [term] = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]

    def nodes():
        pods = rest.get(f"/api/v1/namespaces/{team.namespace}/pods")["items"]
        return [pod["spec"].get("nodeName") for pod in pods]

    wait_for(lambda: nodes() == term["matchExpressions"][0]["values"], "the pod is on that node")


def test_a_volume_grows_changes_its_level_and_is_cloned(kubelet, team):
    rest = kubelet.rest()
    work = claim(team, "work", volumeAttributesClassName="test-gold")
    rest.create(work)
    wait_for(lambda: bound(rest, work), "it is bound")
    (kubelet.claim(team.namespace, "work") / "a").write_text("x")
    larger = {"resources": {"requests": {"storage": "3Gi"}}}
    rest.patch(path_of(work), {"spec": {**larger, "volumeAttributesClassName": "test-silver"}})

    def status():
        return rest.get(path_of(work))["status"]

    wait_for(lambda: status()["capacity"]["storage"] == "3Gi", "it has grown")
    wait_for(
        lambda: status()["currentVolumeAttributesClassName"] == "test-silver", "it has the level"
    )
    source = {"kind": "PersistentVolumeClaim", "name": "work"}
    shared = claim(team, "shared", modes=["ReadWriteMany"], size="3Gi", dataSource=source)
    rest.create(shared)
    wait_for(lambda: bound(rest, shared), "it is bound")
    assert (kubelet.claim(team.namespace, "shared") / "a").read_text() == "x"
    folder = kubelet.claim(team.namespace, "work").resolve()
    rest.delete(path_of(work))
    wait_for(lambda: not folder.exists(), "its folder is gone")
