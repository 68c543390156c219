"""Claims as volumes on a real API server: who may do what, sessions that mount them, faults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import (
    GpuQuotaError,
    InUse,
    InvalidFields,
    NameTaken,
    NotAllowed,
    NotFound,
)
from jupyter_gpuquota.kubernetes.labels import ATTACHED, OWNER, SESSION
from jupyter_gpuquota.kubernetes.resources import (
    CLAIMS,
    PODS,
    RESOURCE_QUOTAS,
    STATEFUL_SETS,
)
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.volumes.volumes import VolumeChange, VolumeQuery, VolumeRequest
from scripts.cluster.cluster import Cluster
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import ACCOUNT, BINDINGS, bind, connected, controller_kubeconfig
from tests.cluster.volume_sites import PEOPLE, Site
from tests.cluster.workloads import RESTRICTED
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
GIB = 2**30
ALLOWED = {
    "volumes.list": set(PEOPLE),
    "volumes.create": {"member", "lead"},
    "volumes.get": {"viewer", "member", "lead"},
    "volumes.change": {"member", "lead"},
    "volumes.delete": {"member", "lead"},
}
"""Who may do what with a volume of the member."""


@pytest_asyncio.fixture
async def site(kubelet: Cluster, teams: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """A team whose GPUs a ResourceQuota limits; the controller has the rights of the manifests."""
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    async with connected(kubelet.kubeconfig()) as [admin]:
        kubeconfig = await controller_kubeconfig(admin, kubelet.kubeconfig(), tmp_path)
        await bind(admin, team.namespace, "sessions", ACCOUNT)
        made = Site(team.namespace, tmp_path, admin, kubeconfig)
        for role in ("viewer", "member", "lead"):
            await bind(admin, team.namespace, role, made.account(role))
        yield made


async def test_every_route_for_every_role(site: Site):
    async with site.controller():
        wrong = []
        for route, allowed in ALLOWED.items():
            for n, who in enumerate(PEOPLE):
                name = f"{route.removeprefix('volumes.')}-{n}"
                await site.create(name)
                if (who in allowed) != await _is_granted(site, route, who, name):
                    wrong.append((route, who))
        assert wrong == []
        assert (await site.listed("stranger")).items == ()


async def _is_granted(site: Site, route: str, who: str, name: str) -> bool:
    bodies = {
        "volumes.create": VolumeRequest(name=f"{name}-x", project=site.namespace, size="1Gi"),
        "volumes.change": VolumeChange(description="scans"),
    }
    given: dict[str, Any] = {"body": bodies[route]} if route in bodies else {}
    if route == "volumes.list":
        given = {"query": VolumeQuery()}
    named = "" if route in {"volumes.create", "volumes.list"} else name
    try:
        await site.ask(route, who, named, **given)
    except (NotAllowed, NotFound, InvalidFields):
        return False
    return True


async def test_a_lead_lacks_what_the_cluster_withdraws(site: Site):
    async with site.controller():
        await site.create("data")
        lead = await site.ask("volumes.get", "lead", "data")
        assert set(lead.actions) == {"mount", "change", "delete"}
        other = await site.create("others", "lead")
        assert other.owner == site.account("lead")
        member = await site.ask("volumes.get", "member", "others")
        assert set(member.actions) == {"mount"}
        with pytest.raises(NotAllowed):
            await site.ask("volumes.delete", "member", "others")


async def test_two_sessions_share_a_volume_that_is_not_deleted_meanwhile(
    site: Site, kubelet: Cluster
):
    async with site.controller():
        volume = await site.ready("data", description="scans")
        assert (volume.size, volume.modes, volume.description) == (GIB, ("RWX",), "scans")
        first = await site.run("one", "echo hi > /out/a; sleep 600", "data:/out")
        await wait_for((kubelet.claim(site.namespace, "data") / "a").exists)
        # The second one finds by name what the first one has written, and copies it.
        script = 'cat "$GPUQUOTA_VOLUMES/data/a" > /own/b; sleep 600'
        second = await site.run("two", script, "data:/in:ro", ":1Gi:/own", who="lead")
        copied = kubelet.claim(site.namespace, "two-own") / "b"
        await wait_for(lambda: copied.exists() and copied.read_text() == "hi\n")
        uses = {use.name: (use.path, use.read_only) for use in (await site.volume("data")).uses}
        assert uses == {"one": ("/out", False), "two": ("/in", True)}
        assert await _mounts(site, second.id) == {"volume-0": True, "volume-1": False}
        with pytest.raises(InUse, match=rf"one \({site.account('member')}\), two"):
            await site.ask("volumes.delete", name="data")
        await site.stop(first, second)
        await site.volume_when("data", lambda volume: not volume.uses)
        await site.ask("volumes.delete", name="data")
        await wait_for(lambda: _is_gone(site, "data"))


async def _mounts(site: Site, session: str) -> dict[str, bool]:
    """Return the volumes that a session's pod was asked for, and whether it can only read them."""
    [pod] = await site.admin.list(PODS, site.namespace, f"{SESSION}={session}")
    mounts = pod.spec.containers[0].volume_mounts
    return {one.name: one.read_only for one in mounts if one.name.startswith("volume-")}


async def _is_gone(site: Site, name: str) -> bool:
    return name not in {volume.name for volume in (await site.listed()).items}


async def test_a_claim_is_made_with_a_session_and_survives_it(site: Site):
    async with site.controller():
        made = await site.run("exp", "echo 1 > /out/a; sleep 600", "test-csi:1Gi:/out")
        [claim] = await site.admin.list(CLAIMS, site.namespace)
        assert claim.metadata.name == "exp-out"
        assert claim.spec.storage_class_name == "test-csi"
        assert claim.metadata.labels[SESSION] == made.id
        assert claim.metadata.annotations[OWNER] == site.account("member")
        assert not claim.metadata.owner_references
        await site.stop(made)
        await site.backend.sessions.delete(made.id)
        await site.run("next", "test -f /in/a && sleep 600", "exp-out:/in")
        with pytest.raises(InvalidFields, match="exp-out"):
            await site.launch("exp", "sleep 1", ":1Gi:/out")


async def test_conflicts_are_told_before_the_launch(site: Site):
    meta = {"name": "storage", "namespace": site.namespace}
    quota = {"metadata": meta, "spec": {"hard": {"requests.storage": "3Gi"}}}
    await site.admin.create(RESOURCE_QUOTAS, site.namespace, quota)
    async with site.controller():
        await site.ready("own", mode="RWOP")
        await site.run("one", "sleep 600", "own:/data")
        cases = {
            "own:/data": "can be mounted by one pod at a time",
            ":5Gi:/new": "storage",
            "nosuch:1Gi:/new": "kwok-volume",
            "gone:/data": "gone",
            "own:/etc": "is used by the system",
            "/srv:/srv": "may not be mounted",
            "home-ana:/x": "home-ana",
        }
        for text, told in cases.items():
            with pytest.raises(InvalidFields) as caught:
                await site.launch("two", "sleep 600", text)
            said = " ".join(f"{each.message} {each.hint}" for each in caught.value.fields)
            assert told in said, text
            assert {each.field for each in caught.value.fields} == {"volumes[0]"}
        with pytest.raises(InvalidFields) as caught:
            await site.launch("two", "sleep 1", ":1Gi:/a", ":1Gi:/a")
        assert {each.field for each in caught.value.fields} >= {"volumes[1]"}
        with pytest.raises(InvalidFields, match="storage"):
            await site.create("large", size="3Gi")


async def test_sessions_run_where_their_volume_is_attached(site: Site, kubelet: Cluster):
    async with site.controller():
        await site.ready("own", mode="RWO")
        first = await site.run("one", "echo hi > /data/a; sleep 600", "own:/data")
        assert first.placement
        node = first.placement.node
        body = SessionRequest(
            name="two",
            project=site.namespace,
            command=("sleep", "600"),
            volumes=("own:/data",),
            environment="any",
        )
        plan = await site.ask("sessions.preview", body=body)
        assert plan.message.endswith(f"Runs on node {node}: volume own is attached there.")
        # The scheduler spreads pods over nodes: without a tie these would run on others.
        rest = [await site.launch(f"s{n}", "sleep 600", "own:/data") for n in range(3)]
        rest = [await until(site.backend, each.id, "running") for each in rest]
        assert [each.placement and each.placement.node for each in rest] == [node] * 3
        assert await _tie(site, rest[0].id) == node
        assert await _tie(site, first.id) == ""


async def test_sessions_run_where_their_home_folder_is_attached(site: Site):
    """JupyterLab mounts the home folder of its user, which one node at a time can mount."""
    home = f"home-{site.account('member')}"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    await site.admin.create(CLAIMS, site.namespace, {"metadata": {"name": home}, "spec": spec})
    await site.admin.create(PODS, site.namespace, _mounting(home, "dgx1-2"))
    async with site.controller(home_claim="home-{user}"):
        body = SessionRequest(
            name="one", project=site.namespace, command=("sleep", "600"), environment="any"
        )

        async def is_told() -> bool:
            plan = await site.ask("sessions.preview", body=body)
            said: bool = plan.message.endswith(
                "Runs on node dgx1-2: your home folder is attached there."
            )
            return said

        await wait_for(is_told)
        made = [await site.launch(f"s{n}", "sleep 600") for n in range(3)]
        made = [await until(site.backend, each.id, "running") for each in made]
        assert [each.placement and each.placement.node for each in made] == ["dgx1-2"] * 3
        other = await site.launch("theirs", "sleep 600", who="lead")
        assert await _tie(site, other.id) == ""


async def test_a_session_that_waits_follows_its_volume(site: Site):
    async with site.controller():
        await site.ready("own", mode="RWO")
        hog = await site.run("hog", "sleep 600", gpu="4")
        made = await site.launch("exp", "sleep 600", "own:/data", gpu="1")
        for node in ("dgx1-1", "dgx1-2"):
            await site.admin.create(PODS, site.namespace, _mounting("own", node))
            await wait_for(lambda node=node: _is_tied(site, made.id, node))
            if node == "dgx1-1":
                await site.admin.delete(PODS, site.namespace, f"loader-{node}")
        await site.stop(hog)
        found = await until(site.backend, made.id, "running")
        assert found.placement
        assert found.placement.node == "dgx1-2"


async def _is_tied(site: Site, session: str, node: str) -> bool:
    return await _tie(site, session) == node


async def _tie(site: Site, session: str) -> str:
    """Return the node on which alone a session's pod may run, empty for any."""
    for found in await site.admin.list(STATEFUL_SETS, site.namespace, f"{SESSION}={session}"):
        tie: str = found.metadata.annotations.get(ATTACHED, "")
        return tie
    return ""


def _mounting(claim: str, node: str) -> dict[str, Any]:
    """Return a pod of someone else that mounts a claim on a node."""
    mount = {"name": "v", "mountPath": "/data"}
    container = {
        "name": "main",
        "image": "quay.io/jupyter/base-notebook",
        "command": ["sleep", "600"],
        "securityContext": dict(RESTRICTED),
        "volumeMounts": [mount],
    }
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": claim}}
    spec = {"nodeName": node, "containers": [container], "volumes": [volume]}
    return {"metadata": {"name": f"loader-{node}"}, "spec": spec}


async def test_a_clone_can_be_shared_and_grows_where_its_class_allows(site: Site, kubelet: Cluster):
    async with site.controller():
        await site.ready("own", mode="RWO", storage_class="test-csi")
        (kubelet.claim(site.namespace, "own") / "a").write_text("one")
        clone = await site.ready(
            "shared", mode="RWX", storage_class="test-csi", source="volume:own", size="2Gi"
        )
        assert (clone.modes, clone.source, clone.size) == (("RWX",), "volume:own", 2 * GIB)
        assert (await site.volume("own")).modes == ("RWO",)
        copied = kubelet.claim(site.namespace, "shared") / "a"
        await wait_for(copied.exists)
        assert copied.read_text() == "one"
        change = VolumeChange(size="3Gi", level="test-gold")
        await site.ask("volumes.change", name="shared", body=change)
        changed = (3 * GIB, "test-gold")
        await site.volume_when("shared", lambda volume: (volume.size, volume.level) == changed)
        # Volumes of the default class neither grow nor are they cloned.
        await site.ready("plain", mode="RWO")
        with pytest.raises(InvalidFields, match="cannot grow") as caught:
            await site.ask("volumes.change", name="plain", body=VolumeChange(size="3Gi"))
        assert "--from plain" in caught.value.fields[0].hint
        with pytest.raises(InvalidFields, match="no CSI driver"):
            await site.create("again", source="volume:plain", size="")


async def test_a_taken_name_and_home_claims(site: Site):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"metadata": {"name": "home-ana"}, "spec": spec}
    await site.admin.create(CLAIMS, site.namespace, body)
    async with site.controller(home_claim="home-{user}"):
        assert (await site.listed()).items == ()
        with pytest.raises(NameTaken):
            await site.create("home-ana")
        await site.create("data")
        with pytest.raises(NameTaken):
            await site.create("data")


async def test_a_withdrawn_right_of_the_controller_is_told(site: Site):
    async with site.controller():
        await site.create("data")
        await site.admin.delete(BINDINGS, site.namespace, "sessions-controller")

        async def refusal() -> str:
            try:
                await site.create("more")
            except NotAllowed as error:
                return str(error)
            except GpuQuotaError:
                return ""
            await site.admin.delete(CLAIMS, site.namespace, "more")
            return ""

        said = await wait_for(refusal)
        assert "may not create persistentvolumeclaims" in said
        names = {claim.metadata.name for claim in await site.admin.list(CLAIMS, site.namespace)}
        assert "data" in names


@pytest.mark.parametrize("lost", [False, True], ids=["before", "after"])
async def test_a_controller_that_ends_at_the_claim_is_followed(
    site: Site, proxy: Callable[..., FaultProxy], *, lost: bool
):
    between = proxy()
    between.rules.append(
        Rule(
            path=rf"/{site.namespace}/persistentvolumeclaims\?(?!.*dryRun)",
            method="POST",
            status=0 if lost else 503,
            lost=lost,
        )
    )
    site.kubeconfig, own = between.kubeconfig, site.kubeconfig
    async with site.controller():
        made = await site.launch("exp", "sleep 600", ":1Gi:/out")
        await wait_for(lambda: between.rules[0].seen)
    site.kubeconfig = own
    async with site.controller():
        await until(site.backend, made.id, "running")
        [claim] = await site.admin.list(CLAIMS, site.namespace)
        assert claim.metadata.labels[SESSION] == made.id
        assert len(site.backend.sessions.all()) == 1
