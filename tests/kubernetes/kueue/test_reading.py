"""Projects, positions and amounts, as read from objects of a real Kueue.

`after_reclaim.json` was recorded at the end of the scenario `netapp-over-quota`, with Kueue 0.19.2:
each team has a Cohort below `gpus`, a ClusterQueue with its quota for interactive sessions, and one
without for trainings.
"""

from __future__ import annotations

from msgspec import convert

from jupyter_gpuquota.kubernetes.engines.kueue.objects import Workload
from jupyter_gpuquota.kubernetes.engines.kueue.projects import project_of, warnings
from jupyter_gpuquota.kubernetes.engines.kueue.queues import find_queues
from jupyter_gpuquota.kubernetes.engines.kueue.state import KueueState
from jupyter_gpuquota.kubernetes.engines.kueue.victims import may_lose
from tests.kubernetes.kueue.objects import (
    cluster_queue,
    local_queue,
    nested,
    recorded,
    state,
    team,
    workload,
)

RECORDED = state(*recorded("after_reclaim"))
PRIORITIES = {"interactive": 100, "train": 50}


def test_the_projects_of_a_real_cluster() -> None:
    projects = find_queues(RECORDED)
    shown = {name: project_of(queues, "r", PRIORITIES) for name, queues in projects.items()}
    assert {name: (p.quota, p.limit, p.weight) for name, p in shown.items()} == {
        "team-a": (4000, None, 1000),
        "team-b": (2000, None, 1000),
        "team-c": (2000, None, 1000),
        "team-d": (8000, None, 1000),
    }
    assert {p.preemptible for p in shown.values()} == {("interactive-spot", "train")}
    assert {name: queues.used for name, queues in projects.items()} == {
        "team-a": 8000,
        "team-b": 4000,
        "team-c": 4000,
        "team-d": 0,
    }


def test_interactive_sessions_get_the_queue_that_does_not_borrow() -> None:
    queues = find_queues(RECORDED)["team-a"]
    assert queues.of("interactive").metadata.name == "interactive"
    assert {queues.of(kind).metadata.name for kind in ("interactive-spot", "train")} == {"gpus"}
    assert not may_lose(queues, "interactive", PRIORITIES)
    assert may_lose(queues, "train", PRIORITIES)


def test_a_queue_of_thousandths_covers_whole_gpus_and_no_replicas() -> None:
    """Kueue's configuration turns `nvidia.com/gpu` into thousandths, but only what it names."""
    queues = find_queues(RECORDED)["team-a"]
    assert queues.covers("train", "lab/milligpu")
    assert queues.covers("interactive", "nvidia.com/gpu")
    assert not queues.covers("train", "nvidia.com/gpu.shared")


def test_what_waits_on_a_real_cluster() -> None:
    waiting = {
        w.owner_name: RECORDED.positions[w.metadata.uid] for w in RECORDED.queued["team-b", "gpus"]
    }
    assert waiting == {"gpu-b-5-gg": 1}
    assert RECORDED.amount(RECORDED.by_owner["team-b", "gpu-b-5-gg"]) == 2000
    assert RECORDED.amount(RECORDED.by_owner["team-b", "gpu-b-1-g06"]) == 600


def test_the_queue_is_ordered_by_priority_then_age() -> None:
    found = state(
        *team("team-a", 1000),
        workload("team-a", "young", 1000, created="2026-01-01T00:00:09Z"),
        workload("team-a", "old", 1000, created="2026-01-01T00:00:01Z"),
        workload("team-a", "urgent", 1000, priority=100, created="2026-01-01T00:00:10Z"),
        workload("team-a", "runs", 1000, held="team-a"),
        workload("team-a", "stopped", 1000, conditions=[_on_hold()]),
    )
    names = [w.owner_name for w in found.queued["team-a", "gpus"]]
    assert names == ["urgent", "old", "young"]
    assert [found.positions[w.metadata.uid] for w in found.queued["team-a", "gpus"]] == [1, 2, 3]


def test_a_queue_that_may_borrow_is_bounded_by_its_limit() -> None:
    found = state(
        *team("free", 4000),
        *team("bounded", 4000, borrowing=2000),
        *team("alone", 4000, cohort=""),
    )
    projects = find_queues(found)
    assert {name: queues.limit for name, queues in projects.items()} == {
        "alone": 4000,
        "bounded": 6000,
        "free": None,
    }


def test_flavors_of_other_projects_change_nothing() -> None:
    other = cluster_queue("other", 8000, "elsewhere")
    other["spec"]["resourceGroups"][0]["flavors"][0]["name"] = "a100"
    objects = [*nested("team-a", 4000), *nested("team-b", 2000)]
    alone = find_queues(state(*objects, *team("alone", 4000, cohort="")))
    beside = find_queues(
        state(*objects, *team("alone", 4000, cohort=""), other, local_queue("x", "q", "other"))
    )
    for name, queues in alone.items():
        found = beside[name]
        assert (found.quota, found.limit) == (queues.quota, queues.limit)
        for kind in ("interactive", "train"):
            assert may_lose(found, kind, PRIORITIES) == may_lose(queues, kind, PRIORITIES)
    assert beside["alone"].limit == 4000
    assert beside["x"].quota == 8000


def test_queues_without_gpus_are_no_projects() -> None:
    cpu = cluster_queue("cpu", 4, resource="example.com/other")
    assert not find_queues(state(cpu, local_queue("team-a", "cpu", "cpu")))


def test_whole_gpus_count_without_a_transformation() -> None:
    whole = cluster_queue("team-a", 4, resource="nvidia.com/gpu")
    queues = find_queues(state(whole, local_queue("team-a", "gpus", "team-a")))
    assert queues["team-a"].quota == 4000


def test_administrators_choose_among_several_queues() -> None:
    objects = [
        *team("team-a", 2000),
        cluster_queue("other", 1000),
        local_queue("team-a", "z-other", "other"),
    ]
    usual = find_queues(state(*objects))["team-a"]
    assert usual.main.metadata.name == "gpus"
    assert (usual.quota, usual.cluster_queues) == (3000, ("other", "team-a"))
    chosen = find_queues(state(*objects), "z-other")["team-a"]
    assert {chosen.main.metadata.name, chosen.interactive.metadata.name} == {"z-other"}
    said = list(warnings({"team-a": usual}, PRIORITIES))
    assert any("several LocalQueues" in text and "z-other" in text for text in said)


def test_administrators_are_warned_of_interactive_victims() -> None:
    borrows = find_queues(state(*team("team-a", 2000), *team("team-b", 2000)))
    assert may_lose(borrows["team-a"], "interactive", PRIORITIES)
    said = list(warnings(borrows, PRIORITIES))
    assert any("preempt interactive sessions of team-a" in text for text in said)
    shown = project_of(borrows["team-a"], "r", PRIORITIES)
    assert shown.preemptible == ("interactive", "interactive-spot", "train")
    kept = find_queues(state(*nested("team-a", 2000), *nested("team-b", 2000)))
    assert not list(warnings(kept, PRIORITIES))


def test_nobody_is_a_victim_where_no_policy_preempts() -> None:
    policies = {"reclaim": "Never", "within": "Never"}
    found = find_queues(state(*team("team-a", 2000, **policies), *team("team-b", 2000, **policies)))
    for kind in ("interactive", "interactive-spot", "train"):
        assert not may_lose(found["team-a"], kind, PRIORITIES)


def test_lower_priority_spares_equals() -> None:
    policies = {"reclaim": "LowerPriority", "within": "Never"}
    found = find_queues(state(*team("team-a", 2000, **policies), *team("team-b", 2000, **policies)))
    assert not may_lose(found["team-a"], "interactive", PRIORITIES)
    assert may_lose(found["team-a"], "train", PRIORITIES)


def test_a_queue_without_cpu_admits_no_session() -> None:
    queue = cluster_queue("team-a", 4000)
    group = queue["spec"]["resourceGroups"][0]
    group["coveredResources"] = ["lab/milligpu"]
    group["flavors"][0]["resources"] = group["flavors"][0]["resources"][2:]
    found = find_queues(state(queue, local_queue("team-a", "gpus", "team-a")))
    assert any("no quota of cpu and memory" in text for text in warnings(found, PRIORITIES))


def _on_hold() -> dict[str, object]:
    return {"type": "QuotaReserved", "status": "False", "reason": "OnHold", "message": "x"}


def test_what_kueue_has_not_looked_at_yet_is_worth_what_its_pods_request() -> None:
    container = {"name": "c", "resources": {"requests": {"nvidia.com/gpu": "2"}}}
    pods = {"count": 3, "template": {"spec": {"containers": [container]}}}
    found = convert({"metadata": {"name": "w"}, "spec": {"podSets": [pods]}}, Workload)
    assert KueueState().amount(found) == 6000
