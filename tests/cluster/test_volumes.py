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
from jupyter_gpuquota.kubernetes.labels import OWNER, SESSION
from jupyter_gpuquota.kubernetes.resources import CLAIMS, PODS, RESOURCE_QUOTAS
from jupyter_gpuquota.model.volumes.volumes import VolumeChange, VolumeQuery, VolumeRequest
from scripts.cluster.cluster import Cluster
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import BINDINGS, bind, connected, controller_kubeconfig
from tests.cluster.volume_sites import PEOPLE, Site
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
        account = {"kind": "ServiceAccount", "name": "controller", "namespace": "jupyter-gpuquota"}
        await bind(admin, team.namespace, "sessions", account)
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
        await site.ready("own", mode="RWO")
        await site.run("one", "sleep 600", "own:/data")
        cases = {
            "own:/data": "can be mounted on one node at a time",
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
