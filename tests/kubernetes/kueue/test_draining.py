"""A project that drains, and quotas of several flavors, over an API server in memory."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Conflict, Outdated
from jupyter_gpuquota.kubernetes.engines.kueue.objects import CLUSTER_QUEUES, LOCAL_QUEUES
from tests.builders import make_session, make_spec
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.kueue.objects import cluster_queue, nested, team, workload
from tests.kubernetes.kueue.test_engine import fill, project, running
from tests.waiting import wait_for


def policies(api: FakeApi) -> set[str]:
    return {raw["spec"].get("stopPolicy", "None") for raw in api.all(LOCAL_QUEUES, "team-a")}


async def test_a_project_that_drains_holds_its_queues_until_it_is_saved_again() -> None:
    api, queued = FakeApi(("team-a",)), make_session("exp-1", "1", project="team-a", kind="train")
    fill(api, *nested("team-a", 4000), workload("team-a", "gpu-exp-1", 1000))
    async with running(api, queued) as engine:
        with pytest.raises(Outdated):
            await engine.administration.drain_project("team-a", "of-yesterday")
        drained = await engine.administration.drain_project("team-a", project(engine).revision)
        assert drained.draining
        assert policies(api) == {"Hold"}
        await wait_for(lambda: project(engine) == drained)
        preview = await engine.preview(make_spec("x", "1", project="team-a"))
        assert preview.message.endswith("Project team-a is being closed and starts no sessions.")
        why = engine.admission(queued).queue
        assert why is not None
        assert why.reason is not None
        assert why.reason.key == "project.draining"
        saved = await engine.administration.put_project(replace(drained, draining=False))
        assert not saved.draining
        assert policies(api) == {"None"}


async def test_of_several_flavors_all_but_the_sum_can_be_changed() -> None:
    api, two = FakeApi(("team-a",)), cluster_queue("team-a", 3000)
    [group] = two["spec"]["resourceGroups"]
    group["flavors"].append({**group["flavors"][0], "name": "a100"})
    fill(api, *team("team-a", 1), two)
    async with running(api) as engine:
        found = project(engine)
        assert found.quota == 6000
        changed = await engine.administration.put_project(
            replace(found, weight=2000, interactive_duration=3600)
        )
        assert (changed.quota, changed.weight, changed.interactive_duration) == (6000, 2000, 3600)
        await wait_for(lambda: project(engine) == changed)
        spec = api.raw(CLUSTER_QUEUES, "", "team-a")["spec"]
        assert spec["resourceGroups"] == two["spec"]["resourceGroups"]
        with pytest.raises(Conflict, match=r"sum of several flavors \(v100, a100\)") as refused:
            await engine.administration.put_project(replace(changed, quota=7000))
        assert "kubectl" in refused.value.hint
