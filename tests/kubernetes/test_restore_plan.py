"""What prevents the restore of a claim is told before anything is made."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.resources import CLAIMS
from jupyter_gpuquota.kubernetes.snapshots.claims import Restorer, Wanted
from jupyter_gpuquota.kubernetes.snapshots.copies import Copies
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from tests.kubernetes.fake_snapshots import TEAM, cluster

pytestmark = pytest.mark.asyncio

GIB = 2**30


def wanted(**changes: Any) -> Wanted:
    """Return a claim to restore."""
    known = {"namespace": TEAM, "snapshot": "copy", "name": "new", "origin": "work"}
    return Wanted(**{**known, "storage_class": "fast", "size": GIB, **changes})


def copy(name: str = "copy", *, ready: bool = True, size: str = "3Gi") -> dict[str, Any]:
    """Return a copy of a claim."""
    meta = {"name": name, "namespace": TEAM}
    return {"metadata": meta, "status": {"readyToUse": ready, "restoreSize": size}}


@pytest.mark.parametrize(
    ("changes", "target", "said"),
    [
        ({}, TEAM, ""),
        ({}, "team-b", "can be restored there only, not in team-b"),
        ({"snapshot": "gone"}, TEAM, "its snapshot gone was deleted"),
        ({"snapshot": "slow"}, TEAM, "its snapshot slow is not ready"),
        ({"storage_class": "old"}, TEAM, "its storage class old is gone; there are fast"),
        ({"name": "work"}, TEAM, "there is a claim work already"),
    ],
)
async def test_each_obstacle_is_named(changes: dict[str, Any], target: str, said: str) -> None:
    api = cluster()
    for each in (copy(), copy("slow", ready=False)):
        api.put(SNAPSHOTS, each)
    before = api.all(CLAIMS)
    found = await Restorer(api, Copies(api)).problems([wanted(**changes)], target)
    assert said in found.get("work", "")
    assert bool(found) == bool(said)
    assert api.all(CLAIMS) == before


async def test_a_claim_is_never_smaller_than_its_content_needs() -> None:
    api = cluster()
    api.put(SNAPSHOTS, copy())
    await Restorer(api, Copies(api)).make([wanted()], "order", "me", "digest")
    assert await Restorer(api, Copies(api)).larger([wanted()]) == {"work": 3 * GIB}
    assert await Restorer(api, Copies(api)).larger([wanted(size=3 * GIB)]) == {}
    assert await Restorer(api, Copies(api)).larger([wanted(snapshot="gone")]) == {}
    made = api.raw(CLAIMS, TEAM, "new")
    assert made["spec"]["resources"]["requests"]["storage"] == str(3 * GIB)
    assert made["spec"]["dataSource"]["name"] == "copy"
