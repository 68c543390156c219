"""Claims as volumes: how they are shown, changed, and refused to sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from jupyter_gpuquota.errors import (
    FieldError,
    InUse,
    InvalidFields,
    NameTaken,
    NotAllowed,
    NotFound,
    Unavailable,
)
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.resources import (
    ATTRIBUTES_CLASSES,
    CLAIMS,
    EVENTS,
    NODES,
    PERSISTENT_VOLUMES,
    PODS,
    STORAGE_CLASSES,
)
from jupyter_gpuquota.kubernetes.state.attached import Attached
from jupyter_gpuquota.kubernetes.volumes.capability import ClusterVolumes
from jupyter_gpuquota.kubernetes.volumes.sight import Sight
from jupyter_gpuquota.kubernetes.volumes.ties import Hidden
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.sessions import Session, SessionRequest, SessionSpec
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.volumes import NewVolume, Volume, VolumeChange
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_volumes import (
    GIB,
    TEAM,
    put_claim,
    put_class,
    put_level,
    put_pod,
    put_storage_quota,
)
from tests.kubernetes.gpu_nodes import make_node
from tests.kubernetes.whole import put_nodes
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@dataclass
class Measured:
    """What was measured."""

    used: dict[tuple[str, str], int] = field(default_factory=dict)
    problem: str = ""


@dataclass
class Site:
    """Volumes on a fake API server, with the sessions and the nodes that a test wants."""

    api: FakeApi
    sessions: list[Session] = field(default_factory=list)
    allowed: frozenset[str] | None = None
    measured: Measured = field(default_factory=Measured)
    hidden: Hidden = field(default_factory=lambda: Hidden("home-*", "datasets"))
    home: Mount | None = None

    def __post_init__(self) -> None:
        self.watches = Watches(self.api)
        self.sight = Sight(self.watches, self.hidden, lambda: [TEAM], lambda: tuple(self.sessions))
        self.volumes = ClusterVolumes(
            self.api, self.sight, lambda *_: self.allowed, self.measured, lambda _: self.home
        )

    async def seen(self) -> Site:
        """Let the watches see all that there is."""
        await self.watches.start()
        await self.watches.ready()
        return self

    def volume(self, name: str = "data") -> Volume:
        """Return a volume."""
        return next(each for each in self.volumes.all() if each.name == name)

    async def check(self, *mounts: Mount, name: str = "exp") -> Sequence[FieldError]:
        """Return why a session could not mount volumes."""
        asked = {f"volumes[{i}]": mount for i, mount in enumerate(mounts)}
        return await self.volumes.check(SessionRequest(name=name), TEAM, asked, "ana")


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    api = FakeApi()
    put_class(api)
    put_class(api, "block", "ebs.csi.aws.com", default=True)
    made = Site(api)
    yield made
    await made.watches.close()


def mount(name: str = "data", **more: Any) -> Mount:
    return Mount(volume=name, path=f"/mnt/{name}", **more)


def asked(session: str, **more: Any) -> SessionSpec:
    """Return the checked request of a session that mounts a volume."""
    return replace(make_session(session, project=TEAM).spec, volumes=(mount(**more),))


def wanted(name: str = "new", **more: Any) -> NewVolume:
    given = {"storage_class": "shared", "size": GIB, "mode": "RWX", "owner": "ana", **more}
    return NewVolume(name=name, project=TEAM, **given)


# ── How they are shown ───────────────────────────────────────────────────────────────────────────


async def test_a_claim_is_shown_with_size_use_modes_and_ties(site: Site):
    put_claim(site.api, affinity={"topology.kubernetes.io/zone": ["eu-1a"]})
    site.measured.used[TEAM, "data"] = 3 * GIB
    await site.seen()
    volume = site.volume()
    assert (volume.kind, volume.state, volume.reason) == ("claim", "ready", None)
    assert (volume.size, volume.used, volume.enforced) == (10 * GIB, 3 * GIB, True)
    assert (volume.modes, volume.zones, volume.nodes) == (("RWX",), ("eu-1a",), ())
    assert (volume.storage_class, volume.owner) == ("shared", "")


async def test_sessions_and_other_pods_that_mount_it_are_named(site: Site):
    put_claim(site.api)
    put_pod(site.api, "loader", read_only=True)
    put_pod(site.api, "done", phase="Succeeded")
    session = make_session("exp", project=TEAM, state="suspended", volumes=(mount(),))
    site.sessions.append(session)
    put_pod(site.api, "gpu-exp-0", session=session.id)
    await site.seen()
    first, other = site.volume().uses
    assert (first.session, first.name, first.path, first.state) == (
        session.id,
        "exp",
        "/mnt/data",
        "suspended",
    )
    assert (other.session, other.name, other.path) == ("", "loader", "/data")
    assert (other.read_only, other.node, other.state) == (True, "node-1", "running")


async def test_a_pod_that_mounts_it_nowhere_may_write_to_it(site: Site):
    put_claim(site.api)
    put_pod(site.api, "waits", mounted=False)
    await site.seen()
    (use,) = site.volume().uses
    assert (use.name, use.path, use.read_only) == ("waits", "", False)


async def test_own_claims_and_those_of_other_namespaces_are_hidden(site: Site):
    for name in ("home-ana", "datasets", "data"):
        put_claim(site.api, name)
    put_claim(site.api, "theirs", meta={"namespace": "team-b"})
    await site.seen()
    assert [each.name for each in site.volumes.all()] == ["data"]


@pytest.mark.parametrize(
    ("storage_class", "key"), [("late", "volume.first"), ("shared", "volume.pending")]
)
async def test_a_class_that_waits_explains_a_pending_claim(site: Site, storage_class, key):
    put_class(site.api, "late", volumeBindingMode="WaitForFirstConsumer")
    put_claim(site.api, phase="Pending", storageClassName=storage_class)
    await site.seen()
    volume = site.volume()
    assert (volume.state, volume.reason.key, volume.size) == ("pending", key, 10 * GIB)
    [waits] = [each.waits for each in site.volumes.classes() if each.name == "late"]
    assert waits


async def test_a_pending_claim_tells_what_the_cluster_says(site: Site):
    claim = put_claim(site.api, phase="Pending")
    about = {"kind": "PersistentVolumeClaim", "uid": claim.metadata.uid, "name": "data"}
    event = {"involvedObject": about, "reason": "ProvisioningFailed", "message": "no space left."}
    site.api.put(EVENTS, {"metadata": {"name": "e", "namespace": TEAM}, **event})
    await site.seen()
    assert site.volume().reason.message == "The cluster says: no space left."


@pytest.mark.parametrize(
    ("meta", "status", "state"),
    [
        ({"deletionTimestamp": "2026-05-04T12:00:00Z", "finalizers": ["x/y"]}, {}, "removing"),
        ({}, {"phase": "Lost"}, "lost"),
    ],
)
async def test_states_of_claims_that_are_going(site: Site, meta, status, state):
    put_claim(site.api, phase=status.get("phase", "Pending"), meta=meta)
    await site.seen()
    assert site.volume().state == state


async def test_a_claim_that_grows_says_what_is_left_to_do(site: Site):
    put_claim(site.api)
    raw = site.api.raw(CLAIMS, TEAM, "data")
    raw["spec"]["resources"]["requests"]["storage"] = "20Gi"
    site.api.put(CLAIMS, raw)
    await site.seen()
    assert (site.volume().size, site.volume().reason.key) == (10 * GIB, "volume.changing")
    condition = {"type": "FileSystemResizePending", "status": "True"}
    site.api.put(CLAIMS, {**raw, "status": {**raw["status"], "conditions": [condition]}})
    await wait_for(lambda: site.volume().reason.key == "volume.grows")


async def test_classes_have_levels_and_known_modes(site: Site):
    put_level(site.api, "gold")
    put_level(site.api, "other", driver="example.com/other")
    await site.seen()
    block, shared = site.volumes.classes()
    assert (block.name, block.default, block.levels, block.modes) == (
        "block",
        True,
        (),
        ("RWO", "RWOP"),
    )
    assert (shared.levels, shared.expandable) == (("gold",), True)


async def test_without_rights_columns_are_unknown_and_nothing_fails(site: Site):
    kinds = (PERSISTENT_VOLUMES, STORAGE_CLASSES, ATTRIBUTES_CLASSES, NODES)
    hidden = {kind.plural for kind in kinds}
    site.api.controls.allowed = lambda call: call.resource not in hidden
    put_claim(site.api, affinity={"kubernetes.io/hostname": ["a"]})
    await site.seen()
    assert (site.volume().nodes, site.volumes.classes()) == ((), ())
    [problem] = site.volumes.problems()
    assert problem.startswith("Storage classes are not known.")
    assert await site.check(mount()) == ()


async def test_claims_that_may_not_be_read_are_a_problem(site: Site):
    site.api.controls.allowed = lambda call: call.resource != CLAIMS.plural
    await site.seen()
    assert site.volumes.all() == ()
    [problem] = site.volumes.problems()
    assert problem.startswith("Volumes cannot be shown.")


# ── Creating, changing, deleting ─────────────────────────────────────────────────────────────────


async def test_a_volume_is_created_with_its_owner_and_listed_at_once(site: Site):
    await site.seen()
    made = await site.volumes.create(wanted(description="scans", level="gold"))
    assert (made.name, made.owner, made.description, made.state) == (
        "new",
        "ana",
        "scans",
        "pending",
    )
    spec = site.api.raw(CLAIMS, TEAM, "new")["spec"]
    assert spec == {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "shared",
        "resources": {"requests": {"storage": str(GIB)}},
        "volumeAttributesClassName": "gold",
    }
    assert site.volume("new") == made


async def test_a_taken_name_and_a_lost_right_are_told(site: Site):
    put_claim(site.api, "home-ana")
    await site.seen()
    with pytest.raises(NameTaken):
        await site.volumes.create(wanted("home-ana"))
    site.api.controls.allowed = lambda call: call.verb != "create"
    with pytest.raises(NotAllowed, match="may not create persistentvolumeclaims in team-a"):
        await site.volumes.create(wanted())


async def test_a_quota_is_told_before_anything_is_asked(site: Site):
    put_storage_quota(site.api, {"requests.storage": "9Gi"}, **{"requests.storage": "10Gi"})
    await site.seen()
    with pytest.raises(InvalidFields) as caught:
        await site.volumes.create(wanted(size=2 * GIB))
    [problem] = caught.value.fields
    assert (problem.field, problem.key) == ("size", "volume.quota")
    assert "storage of team-a has 1Gi left of requests.storage" in problem.message


@pytest.mark.parametrize("field", ["size", "folder"])
async def test_a_claim_needs_a_size_and_is_no_folder(site: Site, field):
    await site.seen()
    given = {"size": {"size": 0}, "folder": {"folder": "/srv/scans"}}[field]
    with pytest.raises(InvalidFields) as caught:
        await site.volumes.create(wanted(**given))
    assert [each.field for each in caught.value.fields] == [field]


async def test_an_exclusive_volume_becomes_a_shared_one_by_a_clone(site: Site):
    put_claim(site.api, mode="RWO")
    await site.seen()
    made = await site.volumes.create(wanted(source="volume:data", size=0))
    assert (made.source, made.size, made.modes) == ("volume:data", 10 * GIB, ("RWX",))
    spec = site.api.raw(CLAIMS, TEAM, "new")["spec"]
    assert spec["dataSource"] == {"kind": "PersistentVolumeClaim", "name": "data"}
    assert site.api.raw(CLAIMS, TEAM, "data")["spec"]["accessModes"] == ["ReadWriteOnce"]


@pytest.mark.parametrize(
    ("case", "field"),
    [
        ("pending", "source"),
        ("used", "source"),
        ("missing", "source"),
        ("small", "size"),
        ("driver", "storage_class"),
    ],
)
async def test_what_cannot_be_cloned_is_told(site: Site, case, field):
    put_claim(site.api, phase="Pending" if case == "pending" else "Bound")
    if case == "used":
        put_pod(site.api, "loader")
    await site.seen()
    given = {
        "source": "volume:gone" if case == "missing" else "volume:data",
        "size": GIB if case == "small" else 10 * GIB,
        "storage_class": "block" if case == "driver" else "shared",
    }
    with pytest.raises(InvalidFields) as caught:
        await site.volumes.create(wanted(**given))
    assert [each.field for each in caught.value.fields] == [field]
    assert not [call for call in site.api.calls if call.verb == "create"]


async def test_a_volume_grows_changes_its_level_and_notes(site: Site):
    put_claim(site.api)
    await site.seen()
    change = VolumeChange(level="gold", description="scans", read_only=True)
    changed = await site.volumes.change(site.volume(), change, 20 * GIB)
    assert (changed.description, changed.read_only) == ("scans", True)
    spec = site.api.raw(CLAIMS, TEAM, "data")["spec"]
    assert spec["resources"]["requests"]["storage"] == str(20 * GIB)
    assert spec["volumeAttributesClassName"] == "gold"
    back = VolumeChange(description="", read_only=False)
    changed = await site.volumes.change(site.volume(), back, None)
    assert (changed.description, changed.read_only) == ("", False)


async def test_growth_counts_in_a_quota_by_what_it_adds(site: Site):
    put_claim(site.api)
    put_storage_quota(site.api, {"requests.storage": "10Gi"}, **{"requests.storage": "15Gi"})
    await site.seen()
    with pytest.raises(InvalidFields):
        await site.volumes.change(site.volume(), VolumeChange(), 16 * GIB)
    await site.volumes.change(site.volume(), VolumeChange(), 15 * GIB)


async def test_a_change_of_a_replaced_claim_fails(site: Site):
    put_claim(site.api)
    await site.seen()
    volume = site.volume()
    site.api.controls.store.delete(CLAIMS, TEAM, "data")
    with pytest.raises(NotFound):
        await site.volumes.change(volume, VolumeChange(description="x"), None)


async def test_deleting_is_refused_while_it_is_mounted(site: Site):
    put_claim(site.api)
    put_pod(site.api, "loader")
    await site.seen()
    with pytest.raises(InUse, match="data is mounted by loader"):
        await site.volumes.delete(site.volume())
    site.api.controls.store.delete(PODS, TEAM, "loader")
    site.api.wake()
    await wait_for(lambda: not site.volume().uses)
    await site.volumes.delete(site.volume())
    assert site.volumes.all() == ()
    assert not site.api.all(CLAIMS)


async def test_a_claim_that_still_ends_is_being_removed(site: Site):
    put_claim(site.api, meta={"finalizers": ["kubernetes.io/pvc-protection"]})
    await site.seen()
    await site.volumes.delete(site.volume())
    assert site.volume().state == "removing"


async def test_a_volume_that_is_ready_before_the_answer_to_its_creation_stays_so(site: Site):
    await site.seen()
    answer = site.api.hold("create")
    creation = asyncio.create_task(site.volumes.create(wanted()))
    await wait_for(lambda: site.volumes.all())
    put_claim(site.api, "new")
    await wait_for(lambda: site.volume("new").state == "ready")
    answer.set()
    assert (await creation).state == "ready"
    assert site.volume("new").state == "ready"


async def test_a_volume_that_is_deleted_before_the_answer_to_its_creation_stays_so(site: Site):
    await site.seen()
    answer = site.api.hold("create")
    creation = asyncio.create_task(site.volumes.create(wanted()))
    await wait_for(lambda: site.volumes.all())
    await site.api.delete(CLAIMS, TEAM, "new")
    await wait_for(lambda: not site.volumes.all())
    answer.set()
    assert (await creation).name == "new"
    assert site.volumes.all() == ()


async def test_a_volume_that_has_grown_before_the_answer_to_its_change_stays_so(site: Site):
    put_claim(site.api)
    await site.seen()
    answer = site.api.hold("patch")
    change = asyncio.create_task(site.volumes.change(site.volume(), VolumeChange(), 20 * GIB))
    await wait_for(lambda: site.volume().reason)
    put_claim(site.api, size="20Gi")
    await wait_for(lambda: not site.volume().reason)
    answer.set()
    assert (await change).size == 20 * GIB
    assert (site.volume().size, site.volume().reason) == (20 * GIB, None)


async def test_a_volume_that_is_gone_before_the_answer_about_its_deletion_stays_so(site: Site):
    put_claim(site.api, meta={"finalizers": ["kubernetes.io/pvc-protection"]})
    await site.seen()
    answer = site.api.hold("get")
    deletion = asyncio.create_task(site.volumes.delete(site.volume()))
    await wait_for(lambda: site.volume().state == "removing")
    await wait_for(lambda: [call for call in site.api.calls if call.verb == "get"])
    await site.api.patch(CLAIMS, TEAM, "data", {"metadata": {"finalizers": None}})
    await wait_for(lambda: not site.volumes.all())
    answer.set()
    await deletion
    assert site.volumes.all() == ()


async def test_a_volume_that_takes_the_name_of_a_deleted_one_is_shown(site: Site):
    put_claim(site.api)
    await site.seen()
    site.api.fail(Fault(404, "NotFound", "not found"), "get")  # asked before the next one was made
    answer = site.api.hold("delete")
    deletion = asyncio.create_task(site.volumes.delete(site.volume()))
    await wait_for(lambda: not site.volumes.all())
    put_claim(site.api, size="1Gi")
    await wait_for(lambda: site.volumes.all())
    answer.set()
    await deletion
    assert site.volume().size == GIB


async def test_what_is_created_where_nothing_may_be_read_is_not_listed(site: Site):
    site.api.controls.allowed = lambda call: (call.verb, call.resource) != ("watch", CLAIMS.plural)
    await site.seen()
    assert (await site.volumes.create(wanted())).state == "pending"
    assert site.volumes.all() == ()  # it would be pending for ever


async def test_a_deletion_of_something_unseen_is_not_found(site: Site):
    put_claim(site.api, "home-ana")
    await site.seen()
    with pytest.raises(NotFound):
        await site.volumes.delete(Volume(name="home-ana", project=TEAM))
    assert site.api.all(CLAIMS)


# ── Conflicts before a launch ────────────────────────────────────────────────────────────────────


async def test_what_is_free_can_be_mounted(site: Site):
    put_claim(site.api, mode="RWO")
    await site.seen()
    assert await site.check(mount()) == ()


@pytest.mark.parametrize(
    ("mode", "key"),
    [("RWO", "volume.elsewhere"), ("ReadWriteOncePod", "volume.alone"), ("RWX", "")],
)
async def test_a_volume_that_another_pod_mounts(site: Site, mode, key):
    put_claim(site.api, mode=mode)
    put_pod(site.api, "loader")
    await site.seen()
    site.allowed = frozenset({"node-2"})
    found = await site.check(mount())
    assert [each.key for each in found] == ([key] if key else [])
    for each in found:
        assert "loader" in each.message
        assert "volume create" in each.hint


@pytest.mark.parametrize("allowed", [{"node-1"}, {"node-1", "node-2"}, None])
async def test_a_pod_on_a_node_that_a_session_can_have_is_no_conflict(site: Site, allowed):
    """Also where nodes may not be read: it waits then, and says for which."""
    put_claim(site.api, mode="RWO")
    put_pod(site.api, "loader")
    await site.seen()
    site.allowed = None if allowed is None else frozenset(allowed)
    assert await site.check(mount()) == ()


@pytest.mark.parametrize("allowed", [{"node-1", "node-2"}, None])
async def test_volumes_that_are_attached_to_different_nodes_exclude_each_other(site: Site, allowed):
    for name, node in (("one", "node-1"), ("two", "node-2"), ("near", "node-1")):
        put_claim(site.api, name, mode="RWO")
        put_pod(site.api, f"loads-{name}", name, node)
    await site.seen()
    site.allowed = None if allowed is None else frozenset(allowed)
    assert await site.check(mount("one"), mount("near")) == ()
    [error] = await site.check(mount("one"), mount("near"), mount("two"))
    assert (error.field, error.key) == ("volumes[2]", "volume.elsewhere")
    assert "is on node-2 (loads-two)" in error.message


async def test_a_volume_that_is_attached_out_of_the_reach_of_another(site: Site):
    put_nodes(site.api, make_node("node-1"), make_node("node-2"))
    put_claim(site.api, "held", mode="RWO")
    put_claim(site.api, "tied", affinity={"kubernetes.io/hostname": ["node-2"]})
    put_pod(site.api, "loader", "held", "node-1")
    await site.seen()
    site.allowed = frozenset({"node-1", "node-2"})
    assert [e.key for e in await site.check(mount("held"), mount("tied"))] == ["volume.nodes"]
    assert [e.key for e in await site.check(mount("tied"), mount("held"))] == ["volume.elsewhere"]


@pytest.mark.parametrize(
    ("mode", "pod", "read_only", "tied"),
    [
        ("RWO", {}, False, True),
        ("RWO", {}, True, True),
        ("RWO", {"node": ""}, False, False),
        ("RWO", {"phase": "Succeeded"}, False, False),
        ("RWX", {}, False, False),
        ("ROX", {}, True, False),
        ("ReadWriteOncePod", {}, False, False),
    ],
)
async def test_pods_that_mount_a_volume_tie_others_to_their_node(
    site: Site, mode, pod, read_only, tied
):
    put_nodes(site.api, make_node("node-1", labelled={"kubernetes.io/hostname": "host-1"}))
    put_claim(site.api, mode=mode)
    put_pod(site.api, "loader", **pod)
    await site.seen()
    found = site.sight.attached(asked("exp", read_only=read_only))
    assert found == ((Attached("data", ("node-1",), ("host-1",)),) if tied else ())


async def test_a_session_is_not_tied_by_its_own_pod_or_by_what_is_no_claim(site: Site):
    put_claim(site.api, mode="RWO")
    session = make_session("exp", project=TEAM)
    site.sessions.append(session)
    put_pod(site.api, "gpu-exp-0", session=session.id)
    await site.seen()
    assert site.sight.attached(asked("exp")) == ()
    [found] = site.sight.attached(asked("other"))
    assert found.hosts == found.nodes == ("node-1",), "its node may not be read"
    folder = Mount(host_path="/data", path="/data")
    gone = Mount(volume="gone", path="/gone")
    spec = replace(asked("other"), volumes=(folder, gone))
    assert site.sight.attached(spec) == ()


async def test_the_pods_of_the_session_itself_are_no_conflict(site: Site):
    put_claim(site.api, mode="RWO")
    session = make_session("exp", project=TEAM)
    site.sessions.append(session)
    put_pod(site.api, "gpu-exp-0", session=session.id)
    await site.seen()
    site.allowed = frozenset({"node-2"})
    assert await site.check(mount()) == ()
    assert [each.key for each in await site.check(mount(), name="other")] == ["volume.elsewhere"]


async def test_a_volume_that_can_only_be_read(site: Site):
    put_claim(site.api, mode="ROX")
    await site.seen()
    assert [each.key for each in await site.check(mount())] == ["volume.only_read"]
    assert await site.check(mount(read_only=True)) == ()


async def test_a_raw_device_cannot_be_mounted(site: Site):
    put_claim(site.api, volumeMode="Block")
    await site.seen()
    assert [each.key for each in await site.check(mount())] == ["volume.unusable"]


async def test_volumes_of_different_nodes_exclude_each_other(site: Site):
    put_nodes(site.api, make_node("a"), make_node("b"))
    put_claim(site.api, "one", affinity={"kubernetes.io/hostname": ["a"]})
    put_claim(site.api, "two", affinity={"kubernetes.io/hostname": ["b"]})
    await site.seen()
    site.allowed = frozenset({"a", "b"})
    assert await site.check(mount("one")) == ()
    [error] = await site.check(mount("one"), mount("two"))
    assert (error.field, error.key) == ("volumes[1]", "volume.nodes")
    site.allowed = frozenset({"b"})
    [error] = await site.check(mount("one"))
    assert "one can be used on a only" in error.message


async def test_new_volumes_are_tried_on_the_server(site: Site):
    await site.seen()
    new = mount("exp-out", storage_class="shared", size=GIB)
    assert await site.check(new) == ()
    [call] = [call for call in site.api.calls if call.verb == "create"]
    assert call.dry_run
    assert not site.api.all(CLAIMS)
    put_claim(site.api, "exp-out")
    [error] = await site.check(new)
    assert (error.field, error.message) == ("volumes[0]", "exp-out already exists.")


async def test_a_server_that_does_not_answer_is_no_conflict(site: Site):
    await site.seen()
    site.api.fail(Fault(0, "", "connection refused"), "create", CLAIMS.plural)
    with pytest.raises(Unavailable):
        await site.check(mount("exp-out", storage_class="shared", size=GIB))


async def test_new_volumes_share_a_quota(site: Site):
    put_storage_quota(site.api, persistentvolumeclaims="1")
    await site.seen()
    new = [mount(name, storage_class="shared", size=GIB) for name in ("a", "b")]
    assert await site.check(new[0]) == ()
    [error] = await site.check(*new)
    assert (error.field, error.key) == ("volumes[1]", "volume.quota")
    assert "has 1 left of persistentvolumeclaims" in error.message
