"""Restores whose controller ends at one of their calls: the next one ends them, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.kubernetes.resources import CLAIMS, STATEFUL_SETS
from tests.cluster.data_sites import Site
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import connected
from tests.cluster.snapshots import (
    begun_restore,
    end_of,
    launch,
    snapshot_site,
    taken,
    volume,
)
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

REALLY = r"\?(?!.*dryRun)"
CALLS = [
    pytest.param("persistentvolumeclaims", False, id="claim-before"),
    pytest.param("persistentvolumeclaims", True, id="claim-after"),
    pytest.param("statefulsets", True, id="workload-after"),
    pytest.param("secrets", False, id="secret-before"),
]
"""What a call of a restore creates, and whether it is there when the controller ends."""


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team whose sessions can be copied."""
    return await snapshot_site(kubelet, teams, tmp_path)


@pytest.fixture
def between(site: Site, tmp_path: Path) -> Iterator[FaultProxy]:
    """A proxy in front of the API server, with the rights of the controller."""
    with FaultProxy.running(site.kubeconfig, tmp_path) as proxy:
        yield proxy


def fault(method: str, path: str, *, lost: bool) -> Rule:
    """Return the rule by which calls fail: before the server acts, or after it."""
    return Rule(method=method, path=path, status=0 if lost else 503, lost=lost)


async def names(site: Site, kind: Any) -> set[str]:
    """Return the names of all objects of a kind."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        return {each.metadata.name for each in await admin.list(kind, site.namespace)}


@pytest.mark.parametrize(("plural", "lost"), CALLS)
async def test_a_restore_is_made_once_whatever_call_its_controller_ends_at(
    site: Site, between: FaultProxy, plural: str, *, lost: bool
) -> None:
    direct, site.kubeconfig = site.kubeconfig, between.kubeconfig
    async with site.controller():
        await site.set_up()
        await volume(site)
        session = await launch(site, "exp", "work:/work")
        found = await taken(site, session)
        before = await names(site, CLAIMS)
        rule = between.add(fault("POST", f"/{plural}{REALLY}", lost=lost))
        begun = await begun_restore(site, found.snapshot.id, name="again")
        await wait_for(lambda: rule.seen)
    site.kubeconfig = direct
    async with site.controller():
        back = await end_of(site, begun)
        assert back.state == "done", back.problem
        again = await until(site.backend, back.session, "running")
        [mount] = again.spec.mounts
        assert await names(site, CLAIMS) == {*before, mount.volume}
        assert len(await names(site, STATEFUL_SETS)) == 2
        content = site.cluster.claim(site.namespace, mount.volume) / "model.txt"
        assert content.read_text() == "first"
