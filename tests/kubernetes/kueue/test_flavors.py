"""Quotas of several flavors, over an API server in memory."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.kubernetes.engines.kueue.objects import CLUSTER_QUEUES
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.kueue.objects import cluster_queue, team
from tests.kubernetes.kueue.test_engine import fill, project, running
from tests.waiting import wait_for


async def test_of_several_flavors_all_but_the_sum_can_be_changed() -> None:
    api, two = FakeApi(("team-a",)), cluster_queue("team-a", 3000)
    [group] = two["spec"]["resourceGroups"]
    group["flavors"].append({**group["flavors"][0], "name": "a100"})
    fill(api, *team("team-a", 1), two)
    async with running(api) as engine:
        found = project(engine)
        assert found.quota == 6000
        changed = await engine.administration.change_project(
            replace(found, weight=2000, interactive_duration=3600)
        )
        assert (changed.quota, changed.weight, changed.interactive_duration) == (6000, 2000, 3600)
        await wait_for(lambda: project(engine) == changed)
        spec = api.raw(CLUSTER_QUEUES, "", "team-a")["spec"]
        assert spec["resourceGroups"] == two["spec"]["resourceGroups"]
        with pytest.raises(Conflict, match=r"sum of several flavors \(v100, a100\)") as refused:
            await engine.administration.change_project(replace(changed, quota=7000))
        assert "kubectl" in refused.value.hint
